/**
 * The keywords of JSON Schema (draft 2020-12) that users may write (section e.2 of the specification), and what each
 * must hold. A keyword outside of this list is a fault: ignoring `maxLenght` would let everything through.
 */

/** What stands under a keyword. */
export type KeywordShape =
  | "schema"
  | "schemas"
  | "schemaMap"
  | "type"
  | "names"
  | "values"
  | "anything"
  | "count"
  | "number"
  | "pattern"
  | "format"
  | "reference"
  | "text";

export const KEYWORDS: Readonly<Record<string, KeywordShape>> = {
  type: "type",
  properties: "schemaMap",
  required: "names",
  additionalProperties: "schema",
  items: "schema",
  prefixItems: "schemas",
  enum: "values",
  const: "anything",
  anyOf: "schemas",
  oneOf: "schemas",
  allOf: "schemas",
  minimum: "number",
  maximum: "number",
  exclusiveMinimum: "number",
  exclusiveMaximum: "number",
  minLength: "count",
  maxLength: "count",
  minItems: "count",
  maxItems: "count",
  minProperties: "count",
  maxProperties: "count",
  pattern: "pattern",
  format: "format",
  $defs: "schemaMap",
  $ref: "reference",
  description: "text",
  title: "text",
  default: "anything",
  // They say nothing about values, and editors write them.
  $schema: "text",
  $comment: "text",
  examples: "anything",
};

/** Other drafts' names, and keywords that are often meant by something else. */
export const KEYWORD_HINTS: Readonly<Record<string, string>> = {
  definitions: 'Use "$defs".',
  $id: "Refer to parts of the same schema by their place, such as #/$defs/address.",
  id: "Refer to parts of the same schema by their place, such as #/$defs/address.",
  nullable: 'Write {"type": ["string", "null"]}.',
  patternProperties: 'Name the properties, or give "additionalProperties" a schema.',
};

export const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"] as const;
export type TypeName = (typeof TYPES)[number];
