/** Reads the answer to `tag`: a list of rules with their tags, or an object from label to tags. */
import type { TaskInput, TaskOutput } from "../../port";
import { foldKey, isJsonObject, type JsonObject, withProperKeys } from "./keys";
import { readLabel } from "./labels";
import { type Outcome, unusable } from "./outcome";
import { findItems } from "./unwrap";

type Assignment = NonNullable<TaskOutput<"tag">["assignments"]>[number];

const aliases = {
  label: ["rule", "rule_label", "rule_id", "id", "name"],
  tags: ["tag", "labels", "categories"],
};

const listNames = ["assignments", "rules", "tags", "items", "results"];

/** `["a", "b"]`, `"a, b"` and null as a list; undefined for what is no list of tags. */
function readTagList(value: unknown): string[] | undefined {
  if (value === null) return [];
  const items = typeof value === "string" ? value.split(/[,;\n]/) : value;
  if (!Array.isArray(items) || !items.every((item) => typeof item === "string")) return undefined;
  return items.map((item) => item.trim()).filter((item) => item !== "");
}

function readItem(item: JsonObject, labels: readonly string[]): Assignment | null {
  const fields = withProperKeys(item, aliases);
  const read = readLabel(fields.label, labels);
  const tags = readTagList(fields.tags);
  return read.ok && tags !== undefined ? { label: read.label, tags } : null;
}

/** `{"R1": ["billing"], "R2": []}`, bare or one wrapper deep. */
function readMap(value: unknown, labels: readonly string[]): Assignment[] | null {
  if (!isJsonObject(value)) return null;
  const entries = Object.entries(value).map(([key, tags]) => ({
    read: readLabel(key, labels),
    tags: readTagList(tags),
  }));
  const assignments = entries.flatMap(({ read, tags }) =>
    read.ok && labels.includes(read.label) && tags !== undefined ? [{ label: read.label, tags }] : [],
  );
  return assignments.length > 0 && assignments.length === entries.length ? assignments : null;
}

function readWrappedMap(value: unknown, labels: readonly string[]): Assignment[] | null {
  const bare = readMap(value, labels);
  if (bare !== null || !isJsonObject(value)) return bare;
  const named = Object.entries(value).find(([key]) => listNames.includes(foldKey(key)));
  return named === undefined ? null : readMap(named[1], labels);
}

export function readTags(value: unknown, input: TaskInput<"tag">): Outcome<TaskOutput<"tag">> {
  const labels = input.rules.map((rule) => rule.label);
  const mapped = readWrappedMap(value, labels);
  if (mapped !== null) return { ok: true, output: { assignments: mapped } };
  const items = findItems(value, listNames, (item) => readItem(item, labels) !== null);
  if (items === null)
    return unusable('Expected {"assignments": [{"label", "tags": [...]}]}, every rule once.');
  const assignments = items
    .map((item) => readItem(item, labels))
    .filter((assignment): assignment is Assignment => assignment !== null);
  return { ok: true, output: { assignments } };
}
