/** What the generator leaves out of the OpenAPI document: meanings of fields, values of examples, plain patterns. */
import type { OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import { type ExampleValues, filled } from "./example";
import { meaningOf } from "./glossary";
import type { Route } from "./route";

export type OpenApiDocument = ReturnType<OpenApiGeneratorV31["generateDocument"]>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Everything below a value that is an object, itself included. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (Array.isArray(value)) for (const entry of value) yield* objectsIn(entry);
  if (!isRecord(value)) return;
  yield value;
  for (const entry of Object.values(value)) yield* objectsIn(entry);
}

/** JSON Schema's patterns have no flags; the generator leaves a regular expression's behind it. */
function plainPatterns(document: unknown): void {
  for (const schema of objectsIn(document)) {
    if (typeof schema.pattern === "string") schema.pattern = schema.pattern.replace(/\/[dgimsuvy]+$/, "");
  }
}

/** Describes the properties of a request's body, at every depth. */
function describeBody(body: unknown, path: string): void {
  for (const schema of objectsIn(body)) {
    if (!isRecord(schema.properties)) continue;
    for (const [name, property] of Object.entries(schema.properties)) {
      const meaning = meaningOf(path, name);
      if (meaning !== undefined && isRecord(property)) property.description ??= meaning;
    }
  }
}

function describeParameters(parameters: unknown, { path, example }: Route, samples: ExampleValues): void {
  if (!Array.isArray(parameters)) return;
  for (const parameter of parameters.filter(isRecord)) {
    const name = String(parameter.name);
    const meaning = meaningOf(path, name);
    if (meaning !== undefined) parameter.description ??= meaning;
    const given = (parameter.in === "path" ? example?.params : example?.query)?.[name];
    if (given === undefined || parameter.in === "header") continue;
    const value = filled(given, samples);
    const type = isRecord(parameter.schema) ? parameter.schema.type : undefined;
    const isNumber = [type].flat().some((each) => each === "number" || each === "integer");
    parameter.example = isNumber ? Number(value) : value;
  }
}

/** Completes the document in place. */
export function completeDocument(
  document: OpenApiDocument,
  routes: readonly Route[],
  samples: ExampleValues,
): OpenApiDocument {
  plainPatterns(document.paths);
  for (const route of routes) {
    const operation = document.paths?.[route.path]?.[route.method];
    describeBody(operation?.requestBody, route.path);
    describeParameters(operation?.parameters, route, samples);
  }
  return document;
}
