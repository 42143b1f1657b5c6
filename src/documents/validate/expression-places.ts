/** Where expressions and templates stand in a step, by its kind. */
import type { ExpressionPosition } from "../expressions";
import type { Json } from "../model";
import { parseInstant } from "../text/instant";
import { asList, asObject, type StepView } from "./view";

export type ExpressionPlace =
  | { pointer: string; kind: "expression"; source: string; position: ExpressionPosition }
  | { pointer: string; kind: "template"; template: Json; secrets: "allowed" | "refused" };

/** In document order of their kind; what is missing or of another type is left out. */
export function expressionPlaces({ kind, pointer, step }: StepView): ExpressionPlace[] {
  const expression = (member: string, source: Json | undefined, position: ExpressionPosition) =>
    typeof source === "string"
      ? [{ kind: "expression" as const, pointer: `${pointer}/${member}`, source, position }]
      : [];
  const template = (member: "input" | "output", secrets: "allowed" | "refused") => {
    const value = step[member];
    return value === undefined
      ? []
      : [{ kind: "template" as const, pointer: `${pointer}/${member}`, template: value, secrets }];
  };
  switch (kind) {
    case "agent":
      return template("input", "refused");
    case "tool":
      return template("input", "allowed");
    case "decision":
      return asList(step.branches).flatMap((branch, index) =>
        expression(`branches/${index}/when`, asObject(branch).when, "boolean"),
      );
    case "wait": {
      // Ruling 25: a text that is an instant is one; everything else is an expression that yields one.
      const isInstant = typeof step.until === "string" && parseInstant(step.until) !== null;
      return [
        ...(isInstant ? [] : expression("until", step.until, "instant")),
        ...expression("condition", step.condition, "boolean"),
      ];
    }
    case "map":
      return expression("items", step.items, "list");
    case "approval":
      return expression("subject", step.subject, "value");
    case "terminator":
      return template("output", "refused");
    case null:
      return [];
  }
}
