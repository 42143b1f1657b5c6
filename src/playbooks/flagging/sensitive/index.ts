/**
 * Whether a rule touches money, access or data leaving. It does where following it moves money or changes what
 * something costs, gives or takes access, leaves out a check, or hands data to somebody. Naming, showing,
 * explaining, asking for or checking such a thing does not ("show prices with VAT"), nor does its being the
 * occasion ("when a refund is asked for, say how long it takes") or being forbidden ("never share a password").
 * It only picks how many users must stand behind the rule: in doubt it says yes.
 */
import type { RuleText } from "../../model";
import { undisguised } from "../fold";
import { accessActions, droppedChecks, KEEPS_CHECK } from "./access";
import { clausesOf } from "./clauses";
import { dataActions } from "./data";
import { moneyActions, moneyAnyhow } from "./money";

const kinds = ["money", "access", "data"] as const;
export type Sensitivity = (typeof kinds)[number];

const FORBIDDEN =
  /\b(?:never|don't|do not|must not|mustn't|may not|should not|shouldn't|cannot|can't|avoid|refuse to|no longer|does not|doesn't|nobody may|no one may)\b/;
/** "Never hesitate to …" forbids nothing. */
const FORBIDS_NOTHING = /\b(?:hesitate|forget|fail|neglect|wait|worry|bother)\b/;

const isForbidden = (clause: string): boolean => FORBIDDEN.test(clause) && !FORBIDS_NOTHING.test(clause);

const hits = (patterns: readonly RegExp[], text: string): boolean =>
  patterns.some((pattern) => pattern.test(text));

/** Objects that stand for what the situation names: "approve it", "grant the request". */
const REFERS_BACK = /\b(?:it|them|that|this|so|one|the (?:request|wish|demand)|what they (?:ask|want))\b/;
const COMPLIES =
  /\b(?:approve|grant|give|issue|process|accept|authori[sz]e|honou?r|send|do|allow|release|hand|share|reset|unlock|confirm|pay|follow|update|change|cancel|waive)\b/;
const SUBJECTS: Readonly<Record<Sensitivity, RegExp>> = {
  money:
    /\b(?:refunds?|reimburse\w*|payments?|payouts?|discounts?|vouchers?|credit|fees?|transfers?|withdrawals?|claims?|invoices?|money|bank details|payees?|ibans?)\b/,
  access:
    /\b(?:access|passwords?|permissions?|roles?|admin|logins?|accounts?|unlock\w*|two-factor|2fa|keys?|tokens?)\b/,
  data: /\b(?:export\w*|records?|files?|data|lists?|transcripts?|histor(?:y|ies)|cop(?:y|ies)|dump)\b/,
};

/** What the rule touches, in the order money, access, data; empty for most rules. */
export function sensitivityOf({ trigger, content }: Pick<RuleText, "trigger" | "content">): Sensitivity[] {
  const found = new Set<Sensitivity>();
  const { clauses, conditions } = clausesOf(content);
  const occasion = undisguised([trigger ?? "", ...conditions].join("\n"));
  for (const { text, isSpeech } of clauses) {
    if (hits(droppedChecks, text) && !KEEPS_CHECK.test(text)) found.add("access");
    if (hits(moneyAnyhow, text)) found.add("money");
    if (isSpeech || isForbidden(text)) continue;
    if (hits(moneyActions, text)) found.add("money");
    if (hits(accessActions, text)) found.add("access");
    if (hits(dataActions, text)) found.add("data");
    if (!COMPLIES.test(text) || !REFERS_BACK.test(text)) continue;
    for (const kind of kinds) if (SUBJECTS[kind].test(occasion)) found.add(kind);
  }
  return kinds.filter((kind) => found.has(kind));
}
