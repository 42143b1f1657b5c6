/** Reads the answer to `reviewCandidates`. */
import type { TaskInput, TaskOutput } from "../../port";
import { foldKey, isJsonObject, type JsonObject, ruleAliases, textField, withProperKeys } from "./keys";
import { readLabel, readLabels } from "./labels";
import { type Outcome, unusable } from "./outcome";
import { findItems } from "./unwrap";

type Decision = TaskOutput<"reviewCandidates">["decisions"][number];

const aliases = {
  candidate_id: ["candidate", "id", "label", "candidate_label"],
  decision: ["verdict", "action", "outcome"],
  reason_code: ["code"],
  reason: ["explanation", "rationale", "why", "justification"],
  evidence_ids: ["evidence", "evidence_refs", "retained_evidence_ids", "retained_evidence", "units"],
  revision: ["revised", "edit", "revised_rule"],
};

const verdicts: Readonly<Record<string, Decision["decision"]>> = {
  accept: "accept",
  accepted: "accept",
  approve: "accept",
  approved: "accept",
  keep: "accept",
  revise: "revise",
  revised: "revise",
  edit: "revise",
  modify: "revise",
  narrow: "revise",
  rewrite: "revise",
  reject: "reject",
  rejected: "reject",
  drop: "reject",
  remove: "reject",
  discard: "reject",
};

function isDecision(item: JsonObject): boolean {
  const fields = withProperKeys(item, aliases);
  return fields.candidate_id !== undefined && typeof fields.decision === "string";
}

function readRevision(value: unknown): Decision["revision"] {
  if (!isJsonObject(value)) return null;
  const fields = withProperKeys(value, ruleAliases);
  const revision = {
    trigger: textField(fields.trigger),
    content: textField(fields.content),
    rationale: textField(fields.rationale),
  };
  return Object.values(revision).every((text) => text === "") ? null : revision;
}

export function readReview(
  value: unknown,
  input: TaskInput<"reviewCandidates">,
): Outcome<TaskOutput<"reviewCandidates">> {
  const items = findItems(value, ["decisions", "reviews", "results", "candidates"], isDecision);
  if (items === null) return unusable('Expected {"decisions": [...]} with one decision per candidate.');
  const candidateLabels = input.candidates.map((candidate) => candidate.label);
  const unitLabels = input.candidates.flatMap((candidate) => candidate.evidence.map((unit) => unit.unit));
  const decisions: Decision[] = [];
  const problems: string[] = [];
  items.forEach((item, index) => {
    const where = `/decisions/${index}`;
    const fields = withProperKeys(item, aliases);
    const candidate = readLabel(fields.candidate_id, candidateLabels);
    const folded = foldKey(textField(fields.decision));
    const decision = Object.hasOwn(verdicts, folded) ? verdicts[folded] : undefined;
    const evidence = readLabels(fields.evidence_ids, unitLabels);
    if (!candidate.ok) problems.push(`${where}/candidate_id: expected the label of a candidate, such as C1.`);
    if (decision === undefined) problems.push(`${where}/decision: expected accept, revise or reject.`);
    if (evidence === null)
      problems.push(`${where}/evidence_ids: expected labels of evidence units, such as C1-E1.`);
    if (!candidate.ok || decision === undefined || evidence === null) return;
    const code = foldKey(textField(fields.reason_code));
    decisions.push({
      candidate_id: candidate.label,
      decision,
      reason_code: code || (decision === "reject" ? "unsupported_evidence" : "grounded_useful"),
      reason: textField(fields.reason),
      evidence_ids: evidence,
      revision: readRevision(fields.revision),
    });
  });
  return problems.length > 0 ? { ok: false, problems } : { ok: true, output: { decisions } };
}
