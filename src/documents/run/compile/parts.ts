/** Compiles the smallest parts: an expression, a template, a duration. */
import { compileExpression } from "../../expressions/compile";
import type { CompiledExpression, ExpressionPosition } from "../../expressions/expression";
import { type CompiledTemplate, compileTemplate } from "../../expressions/templates";
import type { Duration, MapStep, Template } from "../../model";
import { DEFAULTS } from "../../spec";
import { parseDuration } from "../../text/duration";

/** The document cannot be run. A document without errors by the validator never gives this. */
export class UnrunnableDocument extends Error {
  constructor(
    /** JSON Pointer, as far as it is known. */
    readonly path: string,
    message: string,
  ) {
    super(`${path}: ${message}`);
    this.name = "UnrunnableDocument";
  }
}

export function expression(
  source: string,
  position: ExpressionPosition,
  path: string,
  map: MapStep | undefined,
): CompiledExpression {
  const compiled = compileExpression(source, position, itemOptions(map));
  if (compiled.ok) return compiled.expression;
  throw new UnrunnableDocument(path, compiled.faults[0]?.message ?? "no expression");
}

export function template(
  json: Template | undefined,
  secrets: "allowed" | "refused",
  path: string,
  map: MapStep | undefined,
): CompiledTemplate | null {
  if (json === undefined) return null;
  const reading = compileTemplate(json, { secrets, ...itemOptions(map) });
  if (reading.template) return reading.template;
  const [fault] = reading.faults;
  throw new UnrunnableDocument(`${path}${fault?.pointer ?? ""}`, fault?.message ?? "no template");
}

const itemOptions = (map: MapStep | undefined): { itemName?: string } =>
  map ? { itemName: map.as ?? DEFAULTS.mapAs } : {};

export function milliseconds(text: Duration, path: string): number {
  const reading = parseDuration(text);
  if (reading.ok) return reading.ms;
  throw new UnrunnableDocument(path, reading.fault.message);
}
