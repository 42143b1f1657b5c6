/** The JSON Schema that is published of the format: made from the same schemas that the validator checks with. */
import * as z from "zod";
import type { JsonObject } from "../model";
import { EXTENSION_PREFIX, ITEM_STEP_KINDS, VERSION_TEXT } from "../spec";
import { documentSchema } from "./document";
import { FORMS } from "./parts";

/** Where it is published unless its reader says otherwise. */
export const SCHEMA_PATH = `/schemas/openplaybook-${VERSION_TEXT}.json`;

/** Lists that may be left out when they are empty. */
const MAY_BE_ABSENT: readonly string[] = [
  "requiredConnectors",
  "requiredPermissions",
  "allowedTools",
  "tools",
  "triggers",
  "requiresApprovalFor",
];
const ITEM_KINDS: readonly string[] = ITEM_STEP_KINDS;

/**
 * JSON Schema of draft 2020-12. It lets pass every document that the validator has no findings for; rules between
 * members, the graph, expressions and other spellings of names (E112) are the validator's alone.
 * @param id its `$id`
 */
export function openPlaybookSchema(id: string = SCHEMA_PATH): JsonObject {
  const generated = z.toJSONSchema(documentSchema, {
    target: "draft-2020-12",
    metadata: FORMS,
    unrepresentable: "any",
    override: ({ jsonSchema }) => asRead(jsonSchema),
  });
  const { $schema, ...rest } = generated;
  const schema: JsonObject = JSON.parse(
    JSON.stringify({ $schema, $id: id, title: `OpenPlaybook ${VERSION_TEXT}`, ...rest }),
  );
  return schema;
}

/** An object as it is read: extensions everywhere, unknown members where they are only warned of. */
function asRead(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.type !== "object" || !schema.properties) return;
  schema.patternProperties = { [`^${EXTENSION_PREFIX}`]: {} };
  if (schema.isClosed !== true) delete schema.additionalProperties;
  delete schema.isClosed;
  const { kind } = schema.properties;
  const isItem =
    typeof kind === "object" && typeof kind.const === "string" && ITEM_KINDS.includes(kind.const);
  // A step that a map names by its id has no next.
  const required = schema.required?.filter(
    (name) => !MAY_BE_ABSENT.includes(name) && !(isItem && name === "next"),
  );
  if (required) schema.required = required;
}
