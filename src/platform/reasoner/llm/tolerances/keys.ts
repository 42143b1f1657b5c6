/** Field names as models vary them: `evidenceRefs`, `Evidence-Refs`, `citations`. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `evidenceRefs`, `Evidence refs` and `EVIDENCE-REFS` all become `evidence_refs`. */
export function foldKey(key: string): string {
  return key
    .trim()
    .slice(0, 80)
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[\s\-.]+/g, "_");
}

/** For each field the other names it goes by. */
export type KeyAliases = Readonly<Record<string, readonly string[]>>;

/** Names of the three texts of a rule. */
export const ruleAliases = {
  content: ["action", "lesson", "guidance", "instruction", "rule", "do"],
  trigger: ["when", "condition", "situation"],
  rationale: ["why", "reason", "reasoning", "because", "justification"],
} as const satisfies KeyAliases;

/**
 * A copy with folded keys, each alias under its proper name. A field's own name wins over its aliases,
 * and an earlier alias over a later one. Unknown fields stay and are ignored later.
 */
export function withProperKeys(value: JsonObject, aliases: KeyAliases): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [key, item] of Object.entries(value)) {
    const folded = foldKey(key);
    if (!fields.has(folded)) fields.set(folded, item);
  }
  for (const [name, others] of Object.entries(aliases)) {
    if (fields.has(name)) continue;
    const alias = others.find((other) => fields.has(other));
    if (alias !== undefined) fields.set(name, fields.get(alias));
  }
  return Object.fromEntries(fields);
}

/** The text of a field; "" for anything that is not text, which the pipeline then names as missing. */
export function textField(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}
