/** Handing data to somebody or sending it somewhere. */
import { anyOf } from "../any-of";
import { ACTING } from "./money";

const DATA = anyOf(String.raw`data\b, (?:client |customer |patient |case |whole |full )?files?\b, records?\b,
  (?:\w+ )?lists?\b(?! items), (?:salary |user )?tables?\b, databases?, dumps?\b, reports?\b, minutes\b(?= of|$),
  (?:board|meeting) (?:minutes|notes), internal notes, (?:signed )?contracts?\b, documents?\b, statistics, stats\b,
  (?:weekly |monthly )?(?:figures|numbers)\b, logs\b, stack traces?, traces?\b, transcripts?, conversations?\b,
  histor(?:y|ies)\b, backups?\b, invoices?\b, (?:patient )?letters?\b(?= about|$| to| of), statements?\b, source code,
  salar(?:y|ies)\b, payroll, (?:\w+ )?scans\b, x-rays?, (?:contact |personal |customer |client |bank )details,
  addresses\b, archives?\b, (?:open |all )tickets of, names\b(?= and| of), (?:system|hidden) prompts?,
  internal pricing, cop(?:y|ies) of, drafts?\b, results?\b(?= to)`);
const SENDS =
  anyOf(`send, forward, e-?mail, mail, fax, share, export, upload, hand (?:out|over), give out, reveal, print,
  append, encode, pass(?: on)?, transfer, publish, sync, disclose, provide, submit, deliver, relay, leak, expose,
  release, bcc, cc`);
const SENT =
  anyOf(`sent, forwarded, mailed, faxed, shared, exported, uploaded, copied, posted, published, handed, passed,
  given`);
const MAY = anyOf("may, can, lets?, allow(?:ed)?, have, gets?, give[sn]?");

export const dataActions: readonly RegExp[] = [
  new RegExp(`${ACTING}${SENDS}s?\\b.{0,60}\\b${DATA}`),
  new RegExp(
    `${ACTING}(?:give|hand|put|post|copy|add|show|let)s?\\b.{0,50}\\b${DATA}.{0,30}\\b(?:to|with|for|of|on|in the public)\\b`,
  ),
  new RegExp(`\\b(?:gets?|receives?|obtains?|may (?:have|see|read)|are allowed to see)\\b.{0,30}\\b${DATA}`),
  new RegExp(`\\b${DATA}.{0,40}\\b(?:is|are|be|being)\\b.{0,20}\\b${SENT}\\b`),
  new RegExp(`\\b${DATA}.{0,30}\\b(?:go|goes)\\b.{0,10}\\b(?:to|out)\\b`),
  new RegExp(`\\b${MAY}\\b.{0,40}\\blooks? (?:at|into|through|over)\\b.{0,20}\\b${DATA}`),
  new RegExp(`\\b(?:lets?|allow)\\b.{0,40}\\b(?:have|see|read)\\b.{0,20}\\b${DATA}`),
  new RegExp(`${ACTING}back(?:s|ed)? up\\b.{0,30}\\bto\\b`),
];
