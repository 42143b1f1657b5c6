/** Reads and checks what a model gives as a step's output. A text may be JSON that it wrote. */
import type { Json } from "../../model";
import type { CompiledSchema, ValueFault } from "../../user-schema";

export type CheckedOutput = { ok: true; output: Json } | { ok: false; faults: ValueFault[] };

/** Without a schema an output is what it is; with one, the first reading that the schema allows. */
export function checkOutput(schema: CompiledSchema | null, output: Json): CheckedOutput {
  if (!schema) return { ok: true, output };
  const parsed = typeof output === "string" ? parsedJson(output) : undefined;
  const readings = parsed === undefined ? [output] : [parsed, output];
  for (const reading of readings)
    if (schema.validate(reading).length === 0) return { ok: true, output: reading };
  return { ok: false, faults: schema.validate(readings[0] ?? null) };
}

function parsedJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
