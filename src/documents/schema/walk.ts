/** Reading schemas as data: what an object may hold, and in which order. */
import * as z from "zod";

export type AnySchema = z.core.$ZodType;

/** The schema without "may be absent" and "may be null"; of a choice, each option. */
export function optionsOf(schema: AnySchema | undefined): AnySchema[] {
  if (schema === undefined) return [];
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodNullable)
    return optionsOf(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => optionsOf(option));
  return [schema];
}

/** The members of an object's schema in their order; null for any other schema. */
export function membersOf(schema: AnySchema): Map<string, AnySchema> | null {
  return schema instanceof z.ZodObject ? new Map<string, AnySchema>(Object.entries(schema.shape)) : null;
}

/** The schema of a list's elements; null for any other schema. */
export const elementOf = (schema: AnySchema): AnySchema | null =>
  schema instanceof z.ZodArray ? schema.element : null;

/** The one value that a schema allows, if it allows one only. */
export const literalOf = (schema: AnySchema | undefined): unknown =>
  schema instanceof z.ZodLiteral ? schema.value : undefined;
