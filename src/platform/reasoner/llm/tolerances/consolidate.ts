/** Reads the answer to `consolidate`; a decision without a kind is told by its fields. */
import type { TaskInput, TaskOutput } from "../../port";
import { foldKey, type JsonObject, ruleAliases, textField, withProperKeys } from "./keys";
import { readLabel, readLabels } from "./labels";
import { type Outcome, unusable } from "./outcome";
import { findItems } from "./unwrap";

type Decision = TaskOutput<"consolidate">["decisions"][number];
type Kind = Decision["kind"];

const aliases = {
  ...ruleAliases,
  kind: ["decision", "type", "action_kind", "operation"],
  new_ids: ["new_id", "new", "new_labels", "ids"],
  new_id: ["new_ids", "new", "new_label"],
  archive_existing_ids: [
    "archive_existing_id",
    "archived_existing_ids",
    "archive_ids",
    "archive",
    "merge_existing_ids",
  ],
  superseded_by_existing_ids: [
    "superseded_by_existing_id",
    "superseded_by",
    "covered_by_existing_ids",
    "covered_by",
  ],
  existing_id: ["existing", "existing_ids", "existing_label"],
  refined_new_trigger: ["new_trigger"],
  refined_existing_trigger: ["existing_trigger"],
};

const kindAliases: Readonly<Record<string, Kind>> = {
  unify: "unify",
  merge: "unify",
  combine: "unify",
  reject_new: "reject_new",
  reject: "reject_new",
  drop: "reject_new",
  duplicate: "reject_new",
  differentiate: "differentiate",
  refine: "differentiate",
  split: "differentiate",
  independent: "independent",
  keep: "independent",
  accept: "independent",
  keep_both: "independent",
};

/** The kind by name, else by the fields that only one kind has. */
function kindOf(fields: Record<string, unknown>): Kind | undefined {
  if (typeof fields.kind === "string") {
    const folded = foldKey(fields.kind);
    return Object.hasOwn(kindAliases, folded) ? kindAliases[folded] : undefined;
  }
  if (fields.kind !== undefined) return undefined;
  if (fields.refined_new_trigger !== undefined && fields.refined_existing_trigger !== undefined)
    return "differentiate";
  if (fields.superseded_by_existing_ids !== undefined) return "reject_new";
  if (fields.archive_existing_ids !== undefined || textField(fields.content) !== "") return "unify";
  return undefined;
}

function isDecision(item: JsonObject): boolean {
  const fields = withProperKeys(item, aliases);
  return fields.new_ids !== undefined && (fields.kind !== undefined || kindOf(fields) !== undefined);
}

interface Labels {
  fresh: readonly string[];
  existing: readonly string[];
}

function readDecision(item: JsonObject, labels: Labels, where: string): Outcome<Decision> {
  const fields = withProperKeys(item, aliases);
  const kind = kindOf(fields);
  if (kind === undefined) {
    return unusable(`${where}/kind: expected unify, reject_new, differentiate or independent.`);
  }
  const badLabel = (name: string, example: string): { ok: false; problems: string[] } =>
    unusable(`${where}/${name}: expected labels as given, such as ${example}.`);

  if (kind === "differentiate") {
    const newId = readLabel(fields.new_id, labels.fresh);
    const existingId = readLabel(fields.existing_id, labels.existing);
    if (!newId.ok) return badLabel("new_id", labels.fresh[0] ?? "NEW-1");
    if (!existingId.ok) return badLabel("existing_id", labels.existing[0] ?? "EXISTING-1");
    return {
      ok: true,
      output: {
        kind,
        new_id: newId.label,
        existing_id: existingId.label,
        refined_new_trigger: textField(fields.refined_new_trigger),
        refined_existing_trigger: textField(fields.refined_existing_trigger),
      },
    };
  }

  const newIds = readLabels(fields.new_ids, labels.fresh);
  if (newIds === null || newIds.length === 0) return badLabel("new_ids", labels.fresh[0] ?? "NEW-1");
  if (kind === "independent") return { ok: true, output: { kind, new_ids: newIds } };

  const existingName = kind === "unify" ? "archive_existing_ids" : "superseded_by_existing_ids";
  const existingIds = readLabels(fields[existingName] ?? fields.existing_id, labels.existing);
  if (existingIds === null) return badLabel(existingName, labels.existing[0] ?? "EXISTING-1");
  if (kind === "reject_new") {
    return { ok: true, output: { kind, new_ids: newIds, superseded_by_existing_ids: existingIds } };
  }
  return {
    ok: true,
    output: {
      kind,
      new_ids: newIds,
      archive_existing_ids: existingIds,
      trigger: textField(fields.trigger),
      content: textField(fields.content),
      rationale: textField(fields.rationale),
    },
  };
}

export function readConsolidation(
  value: unknown,
  input: TaskInput<"consolidate">,
): Outcome<TaskOutput<"consolidate">> {
  const items = findItems(value, ["decisions", "results", "operations"], isDecision);
  if (items === null)
    return unusable('Expected {"decisions": [...]} that covers every NEW rule exactly once.');
  const labels = {
    fresh: input.fresh.map((row) => row.label),
    existing: input.existing.map((row) => row.label),
  };
  const read = items.map((item, index) => readDecision(item, labels, `/decisions/${index}`));
  const problems = read.flatMap((outcome) => (outcome.ok ? [] : outcome.problems));
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, output: { decisions: read.flatMap((outcome) => (outcome.ok ? [outcome.output] : [])) } };
}
