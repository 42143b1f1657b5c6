/** Reads the answer to `synthesise`. Only an explicit null means that there is nothing to say. */
import type { TaskOutput } from "../../port";
import { foldKey, isJsonObject, type JsonObject, ruleAliases, textField, withProperKeys } from "./keys";
import { type Outcome, unusable } from "./outcome";
import { maxWrapperDepth } from "./unwrap";

type Rule = NonNullable<TaskOutput<"synthesise">["playbook"]>;

const ruleNames = new Set(["playbook", "agent_playbook", "rule", "consolidated_playbook"]);

function readRule(item: JsonObject): Rule | null {
  const fields = withProperKeys(item, ruleAliases);
  const rule = {
    trigger: textField(fields.trigger),
    content: textField(fields.content),
    rationale: textField(fields.rationale),
  };
  return rule.trigger === "" && rule.content === "" ? null : rule;
}

/** `undefined` while neither a rule nor an explicit null has been found. */
function findRule(value: unknown, depth: number): Rule | null | undefined {
  if (depth > maxWrapperDepth) return undefined;
  if (Array.isArray(value)) return value.length === 1 ? findRule(value[0], depth + 1) : undefined;
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  const named = entries.find(([key, inner]) => ruleNames.has(foldKey(key)) && typeof inner !== "string");
  if (named !== undefined) return named[1] === null ? null : findRule(named[1], depth + 1);
  const rule = readRule(value);
  if (rule !== null) return rule;
  for (const [, inner] of entries) {
    const found = findRule(inner, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function readSynthesis(value: unknown): Outcome<TaskOutput<"synthesise">> {
  const playbook = findRule(value, 0);
  if (playbook === undefined) {
    return unusable('Expected {"playbook": {"rationale", "trigger", "content"}} or {"playbook": null}.');
  }
  return { ok: true, output: { playbook } };
}
