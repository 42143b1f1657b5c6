/** Reads the answer to `extract`: leniently in form, while whatever is missing stays missing. */
import { type EvidenceKind, evidenceKinds, type TaskInput, type TaskOutput } from "../../port";
import { foldKey, isJsonObject, type JsonObject, ruleAliases, textField, withProperKeys } from "./keys";
import { readLabel, readLabels } from "./labels";
import { type Outcome, unusable } from "./outcome";
import { findItems } from "./unwrap";

type Candidate = TaskOutput<"extract">["playbooks"][number];

const aliases = {
  ...ruleAliases,
  evidence_refs: ["sources", "citations", "evidence", "refs", "references", "turns", "evidence_ids"],
  evidence_spans: ["spans", "source_spans", "quotes"],
  evidence_kind: ["kind", "type", "category", "evidence_type"],
};

const kindAliases: Readonly<Record<string, EvidenceKind>> = {
  failure: "observed-failure",
  observed: "observed-failure",
  success: "verified-success",
  verified: "verified-success",
  "success-recipe": "verified-success",
  rejection: "rejected-approach",
  rejected: "rejected-approach",
  "rejected-alternative": "rejected-approach",
  corrections: "correction",
  preferences: "preference",
  expert: "expert-gap",
  gap: "expert-gap",
};

/** The port's kind for what a model wrote; other words stay, for the pipeline to refuse by name. */
export function readEvidenceKind(value: unknown): string {
  const folded = foldKey(textField(value)).replaceAll("_", "-");
  const kind = evidenceKinds.find((known) => known === folded);
  return kind ?? (Object.hasOwn(kindAliases, folded) ? kindAliases[folded] : undefined) ?? folded;
}

const listNames = ["playbooks", "rules", "candidates", "items", "user_playbooks", "results", "playbook"];

/** A candidate has at least a trigger or a content; a bare evidence object has neither. */
function isCandidate(item: JsonObject): boolean {
  const fields = withProperKeys(item, aliases);
  return typeof fields.content === "string" || typeof fields.trigger === "string";
}

/** Evidence in the form `{turn_ref, source_span}`, beside plain labels. */
function readEvidence(
  value: unknown,
  turnLabels: readonly string[],
): { refs: string[]; spans: string[] | null } {
  const entries = Array.isArray(value) ? value : [value];
  if (!entries.some(isJsonObject)) return { refs: readTurnLabels(value, turnLabels), spans: null };
  const refs: string[] = [];
  const spans: string[] = [];
  for (const entry of entries) {
    const fields: Record<string, unknown> = isJsonObject(entry)
      ? withProperKeys(entry, {
          turn_ref: ["turn", "ref", "label", "turn_id", "id", "source"],
          source_span: ["span", "quote", "text", "verbatim"],
        })
      : { turn_ref: entry };
    const read = readLabel(fields.turn_ref, turnLabels);
    if (!read.ok) continue;
    refs.push(read.label);
    spans.push(textField(fields.source_span));
  }
  return { refs, spans: spans.every((span) => span !== "") ? spans : null };
}

/** Labels of turns; entries that are none are passed over, so a candidate without any is refused as such. */
function readTurnLabels(value: unknown, turnLabels: readonly string[]): string[] {
  const whole = readLabels(value, turnLabels);
  if (whole !== null) return whole;
  if (!Array.isArray(value)) return [];
  return [...new Set(value.flatMap((entry) => readLabels(entry, turnLabels) ?? []))];
}

function readCandidate(item: JsonObject, turnLabels: readonly string[]): Candidate {
  const fields = withProperKeys(item, aliases);
  const evidence = readEvidence(fields.evidence_refs, turnLabels);
  const given = fields.evidence_spans;
  const listed = Array.isArray(given) && given.length > 0 ? given.map(textField) : null;
  const spans = evidence.spans ?? listed;
  return {
    rationale: textField(fields.rationale),
    evidence_kind: readEvidenceKind(fields.evidence_kind),
    trigger: textField(fields.trigger),
    content: textField(fields.content),
    evidence_refs: evidence.refs,
    ...(spans !== null && spans.length === evidence.refs.length ? { evidence_spans: spans } : {}),
  };
}

export function readExtraction(value: unknown, input: TaskInput<"extract">): Outcome<TaskOutput<"extract">> {
  const items = findItems(value, listNames, isCandidate);
  if (items === null)
    return unusable('Expected {"playbooks": [...]} with rules that have trigger and content.');
  const turnLabels = input.turns.map((turn) => turn.label);
  return { ok: true, output: { playbooks: items.map((item) => readCandidate(item, turnLabels)) } };
}

type ExpertCandidate = TaskOutput<"extractExpert">["playbooks"][number];

/** A candidate whose evidence came as labels beside a list of spans is brought into the form of the contract. */
function asExpertCandidate({ evidence_refs, evidence_spans, ...rule }: Candidate): ExpertCandidate {
  return {
    ...rule,
    evidence: evidence_refs.map((turn_ref, at) => ({ turn_ref, source_span: evidence_spans?.[at] ?? "" })),
  };
}

/** Reads the answer to `extractExpert`; a span that was not given stays empty, for the pipeline to refuse. */
export function readExpertExtraction(
  value: unknown,
  input: TaskInput<"extractExpert">,
): Outcome<TaskOutput<"extractExpert">> {
  const items = findItems(value, listNames, isCandidate);
  if (items === null)
    return unusable('Expected {"playbooks": [...]} with rules that have trigger, content and evidence.');
  const turnLabels = input.pairs.flatMap(({ question, answer, expert }) =>
    [question, answer, expert].flatMap((turn) => (turn === null ? [] : [turn.label])),
  );
  const playbooks = items.map((item) => asExpertCandidate(readCandidate(item, [...new Set(turnLabels)])));
  return { ok: true, output: { playbooks } };
}
