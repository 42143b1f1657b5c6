/** Which members the object at a place may have, read off the schemas. */
import * as z from "zod";
import { documentSchema, guardrailsSchema, STEP_SHAPES, TRIGGER_SHAPES, toolSchema } from "../schema";
import { type AnySchema, elementOf, membersOf, optionsOf } from "../schema/walk";
import { STEP_KINDS, TRIGGER_KINDS } from "../spec";
import type { Place } from "./place";

const playbook = documentSchema.shape.playbook;
const OWNERS = new Map<string, AnySchema>([
  ["document", documentSchema],
  ["playbook", playbook],
  ["manifest", playbook.shape.manifest],
  ["guardrails", guardrailsSchema],
  ["tool", toolSchema],
  ...STEP_KINDS.map((kind): [string, AnySchema] => [`step:${kind}`, z.object(STEP_SHAPES[kind])]),
  ...TRIGGER_KINDS.map((kind): [string, AnySchema] => [`trigger:${kind}`, z.object(TRIGGER_SHAPES[kind])]),
]);

/** Names in the order of the schema; none where any name may stand. */
export function membersAt({ owner, members }: Place): string[] {
  let schemas = optionsOf(OWNERS.get(owner));
  for (const member of members) schemas = schemas.flatMap((schema) => optionsOf(inside(schema, member)));
  return schemas.flatMap((schema) => [...(membersOf(schema)?.keys() ?? [])]);
}

const inside = (schema: AnySchema, member: string): AnySchema | undefined =>
  (member === "*" ? elementOf(schema) : membersOf(schema)?.get(member)) ?? undefined;
