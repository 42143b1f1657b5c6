/**
 * The deterministic checks of an extraction (specification 6.5): every candidate alone, the first rule it
 * breaks names why it is dropped. Pure, and the same for every adapter.
 */
import { type EvidenceKind, evidenceKinds, type TaskOutput } from "../platform/reasoner/port";
import {
  cut,
  MAX_CANDIDATES,
  MAX_CITED_CHARS,
  MAX_CONTENT_CHARS,
  MAX_EVIDENCE_UNITS,
  MAX_RATIONALE_CHARS,
  MAX_TRIGGER_CHARS,
} from "./bounds";
import type { Chronology } from "./chronology";
import { leaksLabel } from "./leaks";
import type { Candidate, EvidenceUnit, RuleText } from "./model";
import { findSpan } from "./spans";
import { citableTexts } from "./turn-text";

export type RawCandidate = TaskOutput<"extract">["playbooks"][number];

export type DropReason =
  | "missing_content"
  | "missing_trigger"
  | "missing_rationale"
  | "missing_evidence_kind"
  | "missing_evidence"
  | "unknown_evidence_kind"
  | "turn_label_leak"
  | "unknown_turn"
  | "turn_not_stored"
  | "span_count"
  | "empty_span"
  | "span_not_verbatim"
  | "span_ambiguous"
  | "preference_not_users"
  | "not_expert_gap"
  | "expert_not_cited"
  | "prompt_echo"
  | "too_long"
  | "too_many"
  | "duplicate";

export interface Validated {
  candidates: Candidate[];
  /** Positions in the answer, and why they were dropped. */
  dropped: { position: number; reason: DropReason }[];
}

const KIND_ALIASES: ReadonlyMap<string, EvidenceKind> = new Map([
  ["failure", "observed-failure"],
  ["rejection", "rejected-approach"],
  ["rejected", "rejected-approach"],
  ["success", "verified-success"],
  ["expert", "expert-gap"],
]);

/** The evidence kind whatever its separators and case, or undefined. */
export function evidenceKindOf(text: string): EvidenceKind | undefined {
  const name = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "-");
  return evidenceKinds.find((kind) => kind === name) ?? KIND_ALIASES.get(name);
}

/** `t3`, `[T3]` and ` T3 ` are one turn. */
const turnLabel = (reference: string): string =>
  reference
    .trim()
    .replaceAll(/^[[(]|[\])]$/g, "")
    .toUpperCase();

type Outcome<Value> = { value: Value } | { reason: DropReason };

function missingField(raw: RawCandidate): DropReason | undefined {
  if (raw.content.trim() === "") return "missing_content";
  if (raw.trigger.trim() === "") return "missing_trigger";
  if (raw.rationale.trim() === "") return "missing_rationale";
  if (raw.evidence_kind.trim() === "") return "missing_evidence_kind";
  if (raw.evidence_refs.every((reference) => reference.trim() === "")) return "missing_evidence";
  return undefined;
}

function citedText(texts: readonly string[], span: string | undefined): Outcome<string> {
  const whole = texts[0] ?? "";
  if (span === undefined) return whole.trim() === "" ? { reason: "empty_span" } : { value: whole };
  if (span.trim() === "") return { reason: "empty_span" };
  let fault: DropReason = "span_not_verbatim";
  for (const text of texts) {
    const search = findSpan(text, span);
    if ("found" in search) return { value: search.found };
    if (search.fault === "span_ambiguous") fault = "span_ambiguous";
  }
  return { reason: fault };
}

/** The cited places in citation order, each pair of turn and text once. */
function evidenceOf(raw: RawCandidate, chronology: Chronology): Outcome<Omit<EvidenceUnit, "unit">[]> {
  const spans = raw.evidence_spans;
  if (spans !== undefined && spans.length !== raw.evidence_refs.length) return { reason: "span_count" };
  const units = new Map<string, Omit<EvidenceUnit, "unit">>();
  for (const [position, reference] of raw.evidence_refs.entries()) {
    const label = turnLabel(reference);
    const turn = chronology.turns.find((candidate) => candidate.label === label);
    if (turn === undefined) return { reason: "unknown_turn" };
    const interactionId = chronology.interactionIdOf.get(label);
    if (interactionId === undefined || interactionId <= 0) return { reason: "turn_not_stored" };
    const cited = citedText(citableTexts(turn), spans?.[position]);
    if ("reason" in cited) return cited;
    const text = cut(cited.value, MAX_CITED_CHARS);
    units.set(JSON.stringify([label, text]), {
      turn: label,
      interactionId,
      text,
      isUserVoice: turn.isUserVoice,
    });
  }
  return { value: [...units.values()].slice(0, MAX_EVIDENCE_UNITS) };
}

const tooLong = (rule: RuleText): boolean =>
  rule.trigger.length > MAX_TRIGGER_CHARS ||
  rule.content.length > MAX_CONTENT_CHARS ||
  rule.rationale.length > MAX_RATIONALE_CHARS;

function judge(
  raw: RawCandidate,
  chronology: Chronology,
  echoesPrompt: (rule: RuleText) => boolean,
): Outcome<Judged> {
  const missing = missingField(raw);
  if (missing !== undefined) return { reason: missing };
  const evidenceKind = evidenceKindOf(raw.evidence_kind);
  if (evidenceKind === undefined) return { reason: "unknown_evidence_kind" };
  const rule = { trigger: raw.trigger.trim(), content: raw.content.trim(), rationale: raw.rationale.trim() };
  if (leaksLabel(rule)) return { reason: "turn_label_leak" };
  const evidence = evidenceOf(raw, chronology);
  if ("reason" in evidence) return evidence;
  if (evidenceKind === "preference" && !evidence.value.some((unit) => unit.isUserVoice)) {
    return { reason: "preference_not_users" };
  }
  if (tooLong(rule)) return { reason: "too_long" };
  if (echoesPrompt(rule)) return { reason: "prompt_echo" };
  return { value: { ...rule, evidenceKind, evidence: evidence.value } };
}

/** Rules with the same words for the same situation are one. */
const sameness = ({ trigger, content }: RuleText): string =>
  JSON.stringify([trigger.trim().toLowerCase(), content.trim().toLowerCase()]);

export type Judged = Omit<Candidate, "label" | "evidence"> & { evidence: Omit<EvidenceUnit, "unit">[] };

/** Adds what a repeated rule cites to the evidence of the one that is kept. */
function addEvidence(kept: Judged, repeated: Judged): void {
  const known = new Set(kept.evidence.map(({ turn, text }) => JSON.stringify([turn, text])));
  const further = repeated.evidence.filter(({ turn, text }) => !known.has(JSON.stringify([turn, text])));
  kept.evidence = [...kept.evidence, ...further].slice(0, MAX_EVIDENCE_UNITS);
}

/**
 * Judges every rule of an answer; survivors are labelled `C1`…, their evidence `C1-E1`….
 * @param breaksContract what a contract of its own asks besides, after every other check
 */
export function validateCandidates(
  answer: readonly RawCandidate[],
  chronology: Chronology,
  echoesPrompt: (rule: RuleText) => boolean,
  breaksContract: (rule: Judged) => DropReason | undefined = () => undefined,
): Validated {
  const kept = new Map<string, Judged>();
  const dropped: Validated["dropped"] = [];
  for (const [position, raw] of answer.entries()) {
    const drop = (reason: DropReason) => dropped.push({ position, reason });
    const outcome = judge(raw, chronology, echoesPrompt);
    if ("reason" in outcome) {
      drop(outcome.reason);
      continue;
    }
    const breach = breaksContract(outcome.value);
    if (breach !== undefined) {
      drop(breach);
      continue;
    }
    const same = kept.get(sameness(outcome.value));
    if (same !== undefined) {
      addEvidence(same, outcome.value);
      drop("duplicate");
    } else if (kept.size === MAX_CANDIDATES) drop("too_many");
    else kept.set(sameness(outcome.value), outcome.value);
  }
  const candidates = [...kept.values()].map((rule, index): Candidate => {
    const label = `C${index + 1}`;
    return {
      label,
      ...rule,
      evidence: rule.evidence.map((unit, at) => ({ unit: `${label}-E${at + 1}`, ...unit })),
    };
  });
  return { candidates, dropped };
}
