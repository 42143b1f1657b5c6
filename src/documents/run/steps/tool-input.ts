/** Holds a tool's input against its schema. A secret is not known here, so it may be any text. */
import type { SecretLeaf } from "../../expressions/templates";
import type { Json } from "../../model";
import { childPointer } from "../../text/pointer";
import { type Partial, Unknown } from "../../user-schema/partial";
import { validateValue } from "../../user-schema/validate";
import type { Program } from "../program";

/** What is wrong with an input, in words; null when nothing is. */
export function inputFault(
  { tools }: Program,
  tool: string,
  input: Json,
  secretLeaves: readonly SecretLeaf[],
): string | null {
  const schema = tools.get(tool)?.inputSchema;
  if (!schema) return null;
  const secret = new Set(secretLeaves.map(({ pointer }) => pointer));
  const [fault] = validateValue(schema, secret.size === 0 ? input : hiding(input, secret, ""));
  return fault ? `${fault.pointer === "" ? "the input" : `"${fault.pointer}"`}: ${fault.message}` : null;
}

function hiding(value: Json, secret: ReadonlySet<string>, pointer: string): Partial {
  if (secret.has(pointer)) return new Unknown(true);
  if (Array.isArray(value))
    return value.map((element, index) => hiding(element, secret, childPointer(pointer, index)));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, hiding(member, secret, childPointer(pointer, key))]),
  );
}
