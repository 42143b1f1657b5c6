/** JSON Schemas that users write: checked, compiled, and held against literals before anything runs. */
import type { Json, Template, UserSchema } from "../model";
import type { Pattern } from "../text/pattern";
import { checkUserSchema } from "./check";
import { knownPart } from "./partial";
import type { ValueFault } from "./place";
import { validateValue } from "./validate";

export { checkUserSchema, type SchemaFault } from "./check";
export type { ValueFault } from "./place";

export interface CompiledSchema {
  /** What is wrong with a value, in document order, at most `LIMITS.userSchemaFaults`; empty when it is valid. */
  validate(value: Json): ValueFault[];
}

/**
 * Compiles a schema.
 * @throws TypeError when `checkUserSchema` has faults for it: documents are checked before they run
 */
export function compileUserSchema(schema: UserSchema): CompiledSchema {
  const [fault] = checkUserSchema(schema);
  if (fault) throw new TypeError(`The schema cannot be used, at "${fault.pointer}": ${fault.message}`);
  const patterns = new Map<string, Pattern>();
  return { validate: (value) => validateValue(schema, value, patterns) };
}

/**
 * What the literal part of a template certainly violates (finding S422). `${{ … }}` may yield anything, a text around
 * it makes it a text, and a secret may be anything.
 * @param schema one that `checkUserSchema` has no faults for
 */
export const literalMismatch = (schema: UserSchema, template: Template): ValueFault[] =>
  validateValue(schema, knownPart(template));
