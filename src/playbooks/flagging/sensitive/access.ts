/** Giving, widening or taking access, and leaving out a check that stands before something. */
import { anyOf } from "../any-of";
import { ACTING } from "./money";

const KEY =
  anyOf(String.raw`access\b(?! (?:logs?|times?)), permissions?, (?:admin|owner|root|read|write|edit\w*|user) (?:rights?|roles?),
  rights\b, privileges?, (?:separate |dedicated |own )?roles?\b(?! of), admin(?:istrator)?s?\b,
  owners?\b(?! of the (?:text|document)), superusers?,
  (?:user |customer |bank |admin )?accounts?\b(?! (?:menu|page|settings|statement)), logins?\b, sign-ins?\b, passwords?,
  passphrases?, pins?\b, (?:access |session |bearer )?tokens?, (?:api|licen[cs]e|access|ssh|private|secret) keys?,
  credentials?, secrets?\b, (?:two|2|second)[- ]factors?, 2fa, mfa, one-time codes?, (?:un)?lock codes?,
  sessions?\b(?! notes), firewalls?, (?:internal|hidden|private|confidential) (?:notes|pages|files|documents|area)`);
const ACTS =
  anyOf(`grant, give, assign, provide, issue, create, make, promote, elevate, open, enable, activate, unlock,
  reset, disable, deactivate, remove, revoke, withdraw, switch, turn, block, lock, close, suspend, kill, delete, share,
  hand, lend, use, rotate, extend, restore, change, set, let, allow, approve, accept, treat, trust, lift, add,
  (?:log|sign) in (?:as|with)`);
const DONE =
  anyOf(`granted, given, created, unlocked, reset, disabled, removed, revoked, blocked, locked, closed,
  suspended, deleted, shared, opened, enabled, activated, (?:switched|turned) off, lifted, extended, shown, listed`);
const KIND_OF_ACCESS = String.raw`(?:admin|owner|root|full|read|write|edit\w*|calendar|wiki|system)`;

export const accessActions: readonly RegExp[] = [
  new RegExp(`${ACTING}${ACTS}s?\\b.{0,40}\\b${KEY}`),
  new RegExp(`\\b${KEY}.{0,40}\\b(?:is|are|be|can be|gets?|should be)\\b.{0,25}\\b${DONE}\\b`),
  new RegExp(
    `\\b(?:gets?|receives?|needs?|has|have|obtains?)\\b.{0,25}\\b(?:${KIND_OF_ACCESS} ?(?:rights?|access|roles?|permissions?|logins?)|access to|an? login)\\b`,
  ),
  /\b(?:lets?|admit|allows?|get)\b.{0,30}\b(?:in|into|inside)\b.{0,25}\b(?:systems?|buildings?|networks?|offices?|consoles?|accounts?|servers?|vaults?)\b/,
  /\b(?:is|are|be) (?:enough|sufficient|all (?:that is |that's )?(?:needed|required)) (?:to|for)\b.{0,30}\b(?:unlock|log ?in|enter|access|changes?|reset|open|identify|refunds?|transfers?)/,
  /\bunlock(?:s|ed)?\b|\b(?:log|sign) (?:in|into) as\b/,
];

const CHECK =
  anyOf(String.raw`approvals?, supervisors?, managers?, (?:second |other |counter)?signatures?, receipts?, identity,
  identification, id checks?, verif\w+, proofs?\b,
  (?:fraud|security|credit|safety|background|age|kyc|sanctions) (?:checks?|reviews?|scans?), checks?\b, confirmations?,
  consent, permission, (?:second|two)[- ]factors?, 2fa, authentication, (?:order|member|customer|account) numbers?,
  four[- ]eyes, who (?:i am|they are|(?:he|she|it|the \w+) is), safety notes, asking, reviews?\b, reviewers?`);
const LEAVES_OUT =
  anyOf(String.raw`skip, bypass, omit, waive, drop, leave out, leave the(?= checks), do without, go(?:es)? (?:through )?without,
  no need (?:for|to), (?:needs?|requires?) no, no, stop asking for, without (?:any |a |an |the )?,
  (?:does not|do not|don't|doesn't|need not|needn't|never|not) (?:\w+ ){0,2}(?:wait for|ask(?: for)?|check|require|verify|need|demand)`);

/** Leaving out a check counts wherever it stands. */
export const droppedChecks: readonly RegExp[] = [
  new RegExp(`\\b${LEAVES_OUT}s?\\b.{0,30}?\\b${CHECK}`),
  new RegExp(`\\b${CHECK}.{0,20}\\b(?:is|are) (?:not|no longer) (?:needed|required|necessary)`),
  new RegExp(
    `\\b${CHECK}.{0,20}\\b(?:is|are|can be) (?:skipped|waived|dropped|left out|omitted|replaced|bypassed|switched off|turned off)\\b`,
  ),
  /\breplaces? the (?:order|member|customer) number\b/,
];
/** "Never refund without a receipt" keeps a check. */
export const KEEPS_CHECK =
  /\b(?:never|don't|do not|must not|may not|cannot|can't|nothing|nobody|no one|avoid)\b.{0,60}\b(?:without|skip\w*|bypass\w*|omit\w*|drop\w*|leav\w+ out)\b/;
