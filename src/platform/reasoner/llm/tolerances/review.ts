/** Reads the answers to `reviewCandidates` and `reviewStored`. */
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

/** One code, or several apart by commas, each in the port's spelling; a missing one has its default. */
function readCode(value: unknown, decision: Decision["decision"]): string {
  const texts = Array.isArray(value) ? value.map(textField) : [textField(value)];
  const codes = texts
    .flatMap((text) => text.split(/[,;|/\n]/))
    .map(foldKey)
    .filter((code) => code !== "");
  if (codes.length > 0) return codes.join(",");
  return decision === "reject" ? "unsupported_evidence" : "grounded_useful";
}

/** What both answers say of one rule. */
function readVerdict(
  fields: Record<string, unknown>,
  units: readonly string[],
  where: string,
): Outcome<Omit<Decision, "candidate_id">> {
  const folded = foldKey(textField(fields.decision));
  const decision = Object.hasOwn(verdicts, folded) ? verdicts[folded] : undefined;
  const evidence = readLabels(fields.evidence_ids, units);
  const problems: string[] = [];
  if (decision === undefined) problems.push(`${where}/decision: expected accept, revise or reject.`);
  if (evidence === null)
    problems.push(`${where}/evidence_ids: expected labels of evidence units, such as C1-E1.`);
  if (decision === undefined || evidence === null) return { ok: false, problems };
  return {
    ok: true,
    output: {
      decision,
      reason_code: readCode(fields.reason_code, decision),
      reason: textField(fields.reason),
      evidence_ids: evidence,
      revision: readRevision(fields.revision),
    },
  };
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
    if (!candidate.ok) problems.push(`${where}/candidate_id: expected the label of a candidate, such as C1.`);
    const verdict = readVerdict(fields, unitLabels, where);
    if (!verdict.ok) problems.push(...verdict.problems);
    else if (candidate.ok) decisions.push({ candidate_id: candidate.label, ...verdict.output });
  });
  return problems.length > 0 ? { ok: false, problems } : { ok: true, output: { decisions } };
}

/** A list of one is as good as the bare decision; a label of the rule is ignored, since there is only one. */
export function readStoredReview(
  value: unknown,
  input: TaskInput<"reviewStored">,
): Outcome<TaskOutput<"reviewStored">> {
  const items = findItems(value, ["decisions", "decision", "review", "result"], (item) => {
    return typeof withProperKeys(item, aliases).decision === "string";
  });
  const [item] = items ?? [];
  if (items === null || items.length !== 1 || item === undefined) {
    return unusable("Expected one JSON object with the decision on the rule.");
  }
  return readVerdict(
    withProperKeys(item, aliases),
    input.rule.evidence.map(({ unit }) => unit),
    "",
  );
}
