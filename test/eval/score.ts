/**
 * Scores extractions against an oracle's labels, as its `about` says.
 *
 * Expected rules: a hit cites one of the evidence turns (a preference: a turn of the user) and holds
 * two of the stems in trigger, content and rationale. Kind is not compared.
 *
 * `must_not` labels are prose, so they are matched mechanically: a label without its bracketed remark
 * is reduced to content stems, and an extraction commits it when its own orders (the clauses of its
 * content that forbid nothing, with the trigger left out) hold at least three quarters and at least two
 * of those stems. A ban on the labelled behaviour is therefore no match. Text that looks like a
 * secret always is one.
 */
import { contentStems } from "../../src/platform/reasoner/offline/topics";
import type { ExpectedRule } from "./oracle";

/** An extraction with its evidence as indexes into the conversation. */
export interface Extraction {
  readonly trigger: string;
  readonly content: string;
  readonly rationale: string;
  readonly kind: string;
  readonly evidence: readonly number[];
  readonly spansAreVerbatim: boolean;
}

const minStems = 2;
const mustNotShare = 3 / 4;
const secretLike = /\b(?:sk|pk|whsec|ghp)_[A-Za-z0-9_]{8,}/;

/** True when the extraction expresses the expected rule. `roles` are the conversation's roles. */
export function expresses(extraction: Extraction, rule: ExpectedRule, roles: readonly string[]): boolean {
  const text = `${extraction.trigger}\n${extraction.content}\n${extraction.rationale}`.toLowerCase();
  const stems = rule.must_have_any.filter((stem) => text.includes(stem));
  const cited = extraction.evidence.filter((index) => rule.evidence_turns.includes(index));
  const needsUser = extraction.kind === "preference";
  const hasVoice =
    !needsUser || extraction.evidence.some((index) => (roles[index] ?? "").toLowerCase() === "user");
  return stems.length >= minStems && cited.length > 0 && hasVoice;
}

function ordersIn(content: string): string {
  return content
    .split(/;|\.\s|\n/)
    .filter(
      (clause) =>
        !/\b(?:do not|don't|never|avoid|not to|without|skip|instead of|leave out|omit|hide|drop|stop)\b/i.test(
          clause,
        ),
    )
    .map((clause) => clause.replace(/,?\s+(?:not|rather than|instead of)\s.*$/i, ""))
    .join(" ");
}

/** True when the extraction commits what the label warns of. */
export function commits(extraction: Extraction, label: string): boolean {
  if (secretLike.test(`${extraction.trigger} ${extraction.content} ${extraction.rationale}`)) return true;
  const labelled = contentStems(label.replace(/\([^)]*\)/g, " "));
  const orders = contentStems(ordersIn(extraction.content));
  const shared = [...labelled].filter((stem) => orders.has(stem)).length;
  return shared >= minStems && shared / labelled.size >= mustNotShare;
}

export interface FileScore {
  readonly hits: string[];
  readonly missesByImportance: ReadonlyMap<number, string[]>;
  readonly extras: Extraction[];
  readonly falsePositives: Array<{ extraction: Extraction; label: string }>;
  readonly unverbatim: number;
  readonly extractions: number;
}

/** Scores one conversation. An extraction that commits a `must_not` is wrong even where it also fits a rule. */
export function scoreFile(
  extractions: readonly Extraction[],
  expected: readonly ExpectedRule[],
  mustNot: readonly string[],
  roles: readonly string[],
): FileScore {
  const found = new Set<string>();
  const extras: Extraction[] = [];
  const falsePositives: FileScore["falsePositives"] = [];
  for (const extraction of extractions) {
    const label = mustNot.find((candidate) => commits(extraction, candidate));
    const matched = expected.filter((rule) => expresses(extraction, rule, roles));
    if (label !== undefined) falsePositives.push({ extraction, label });
    else if (matched.length === 0) extras.push(extraction);
    for (const rule of label === undefined ? matched : []) found.add(rule.id);
  }
  const missesByImportance = new Map<number, string[]>();
  for (const rule of expected) {
    if (!found.has(rule.id))
      missesByImportance.set(rule.importance, [...(missesByImportance.get(rule.importance) ?? []), rule.id]);
  }
  return {
    hits: [...found],
    missesByImportance,
    extras,
    falsePositives,
    unverbatim: extractions.filter((extraction) => !extraction.spansAreVerbatim).length,
    extractions: extractions.length,
  };
}

export type MicroVerdict = "hit" | "miss" | "wrong" | "clean" | "false-positive";

/** `wrong`: something was found, but not what was asked; `clean`: rightly nothing. */
export function scoreMicro(
  extractions: readonly Extraction[],
  expect: { trigger_any: readonly string[]; content_any: readonly string[] } | null,
): MicroVerdict {
  if (expect === null) return extractions.length === 0 ? "clean" : "false-positive";
  const holds = (text: string, stems: readonly string[]): boolean =>
    stems.some((stem) => text.toLowerCase().includes(stem));
  if (
    extractions.some(
      (found) => holds(found.trigger, expect.trigger_any) && holds(found.content, expect.content_any),
    )
  )
    return "hit";
  return extractions.length === 0 ? "miss" : "wrong";
}
