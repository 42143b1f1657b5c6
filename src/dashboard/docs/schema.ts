/** JSON schemas in words: the fields of an input as rows, an answer as one shape. Pure. */

export interface FieldRow {
  /** `interaction_data_list[].content`. */
  name: string;
  type: string;
  isRequired: boolean;
  limits: string;
  meaning: string;
}

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const schemasIn = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);
const textsIn = (value: unknown): string[] => [value].flat().filter((entry) => typeof entry === "string");

/** The alternatives of a schema, without null: whether null is taken is told apart. */
const alternatives = (schema: Schema): Schema[] =>
  [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)].filter(({ type }) => type !== "null");

const propertiesOf = (schema: Schema): [string, Schema][] =>
  isSchema(schema.properties)
    ? Object.entries(schema.properties).flatMap(([name, property]) =>
        isSchema(property) ? [[name, property] as [string, Schema]] : [],
      )
    : [];

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

/** `text`, `list of numbers`, `text or whole number`. */
export function typeOf(schema: Schema): string {
  const either = alternatives(schema);
  if (either.length > 0) return unique(either.map(typeOf)).join(" or ");
  const types = textsIn(schema.type).filter((type) => type !== "null");
  return (
    types.map((type) => (type === "array" ? listOf(schema) : (WORDS[type] ?? type))).join(" or ") ||
    "any JSON"
  );
}

const WORDS: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  boolean: "true or false",
};

function listOf({ items }: Schema): string {
  const inner = isSchema(items) ? typeOf(items) : "any JSON";
  return `list of ${inner.includes(" or ") ? `(${inner})` : `${inner}s`}`;
}

const count = (value: unknown): string | undefined =>
  typeof value === "number" ? value.toLocaleString("en-US") : undefined;

function rangeOf(least: string | undefined, most: string | undefined, unit: string): string[] {
  const of = unit === "" ? "" : ` ${unit}`;
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${of}`];
  if (least !== undefined) return [`at least ${least}${of}`];
  return most === undefined ? [] : [`at most ${most}${of}`];
}

/** Limits as text; of alternatives those of each. */
export function limitsOf(schema: Schema): string {
  const either = alternatives(schema);
  if (either.length > 0) {
    const choices = either.flatMap(({ enum: values }) => (Array.isArray(values) ? values : []));
    const others = either.filter((each) => !Array.isArray(each.enum));
    const all = [...(choices.length > 0 ? [{ enum: choices }] : []), ...others];
    return unique(all.map(limitsOf).filter((text) => text !== "")).join("; ");
  }
  const values = Array.isArray(schema.enum) ? schema.enum.filter((value) => value !== null) : [];
  const above = count(schema.exclusiveMinimum);
  const parts = [
    ...(values.length > 0 ? [`one of ${values.join(", ")}`] : []),
    ...rangeOf(count(schema.minLength), count(schema.maxLength), "characters"),
    ...rangeOf(count(schema.minItems), count(schema.maxItems), "entries"),
    ...rangeOf(count(schema.minimum), count(schema.maximum), ""),
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(typeof schema.format === "string" ? [schema.format] : []),
    ...(isSchema(schema.items) && limitsOf(schema.items) !== "" ? [`each ${limitsOf(schema.items)}`] : []),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
  return parts.join(", ");
}

/** The objects that a schema may hold below a name: of an object itself, of a list its entries. */
function nested(schema: Schema, name: string): { schema: Schema; prefix: string }[] {
  return [schema, ...alternatives(schema)].flatMap((each) => {
    const own = propertiesOf(each).length > 0 ? [{ schema: each, prefix: `${name}.` }] : [];
    return isSchema(each.items) ? [...own, ...nested(each.items, `${name}[]`)] : own;
  });
}

/** Deeper fields than this are free JSON. */
const MAX_DEPTH = 5;

/**
 * The fields of an object schema, nested ones after their parent. A field that only some alternatives demand is
 * not required.
 */
export function fieldRows(schema: Schema, prefix = "", depth = 0): FieldRow[] {
  if (depth > MAX_DEPTH) return [];
  const shapes = propertiesOf(schema).length > 0 ? [schema] : alternatives(schema);
  const names = unique(shapes.flatMap((shape) => propertiesOf(shape).map(([name]) => name)));
  return names.flatMap((name) => {
    const found = shapes.flatMap((shape) => propertiesOf(shape).filter(([own]) => own === name));
    const variants = found.map(([, property]) => property);
    const merged: Schema = variants.length === 1 ? (variants[0] ?? {}) : { anyOf: variants };
    const described = variants.find(({ description }) => typeof description === "string");
    const row: FieldRow = {
      name: `${prefix}${name}`,
      type: typeOf(merged),
      isRequired: shapes.every((shape) => textsIn(shape.required).includes(name)),
      limits: limitsOf(merged),
      meaning: typeof described?.description === "string" ? described.description : "",
    };
    const inner = variants.flatMap((variant) => nested(variant, row.name));
    return [row, ...inner.flatMap((below) => fieldRows(below.schema, below.prefix, depth + 1))];
  });
}

const INDENT = "  ";

/** An answer as one shape, such as `{ success: boolean, ids: integer[] }`, an object a line where it is long. */
export function shapeOf(schema: Schema, indent = ""): string {
  const orNull =
    textsIn(schema.type).includes("null") || schemasIn(schema.anyOf).some(({ type }) => type === "null");
  const shape = plainShape(schema, indent);
  return orNull ? `${shape} | null` : shape;
}

function plainShape(schema: Schema, indent: string): string {
  const either = alternatives(schema);
  if (either.length > 0) return unique(either.map((each) => shapeOf(each, indent))).join(" | ");
  if (Array.isArray(schema.enum)) {
    return schema.enum.flatMap((value) => (value === null ? [] : [JSON.stringify(value)])).join(" | ");
  }
  const types = textsIn(schema.type).filter((type) => type !== "null");
  if (types.includes("array")) {
    const inner = isSchema(schema.items) ? shapeOf(schema.items, indent) : "any";
    return inner.includes(" | ") ? `(${inner})[]` : `${inner}[]`;
  }
  const properties = propertiesOf(schema);
  if (properties.length === 0) return types.includes("object") ? "{…}" : types.join(" | ") || "any";
  const required = textsIn(schema.required);
  const lines = properties.map(
    ([name, property]) =>
      `${name}${required.includes(name) ? "" : "?"}: ${shapeOf(property, `${indent}${INDENT}`)}`,
  );
  const short = `{ ${lines.join(", ")} }`;
  return short.length + indent.length <= 80 && !short.includes("\n")
    ? short
    : `{\n${lines.map((line) => `${indent}${INDENT}${line}`).join("\n")}\n${indent}}`;
}
