/** A decision (c.3): the first branch that is true. What cannot be evaluated fails the step and never means `default`. */
import type { Json } from "../../model";
import { succeed } from "../cells";
import { failureOf, halt } from "../failure";
import type { DecisionProgram } from "../program";
import { scopeOf } from "../scope";
import type { Cell } from "../state";
import type { Turn } from "../turn";

export function decideBranch(turn: Turn, cell: Cell, step: DecisionProgram): void {
  const scope = scopeOf(turn, cell);
  const branches: Json[] = [];
  const record = (next: string | null): void =>
    turn.recordStep("decision.evaluated", cell, { branches, next });
  for (const [index, { when, next, label }] of step.branches.entries()) {
    const named = { index, ...(label === null ? {} : { label }) };
    const result = when.evaluate(scope);
    if (!result.ok) {
      branches.push({ ...named, error: result.message });
      record(null);
      const message = `Branch ${index} of "${cell.key}" cannot be evaluated: ${result.message}`;
      halt(turn, cell, failureOf("expression_error", message, "expression_error"));
      return;
    }
    branches.push({ ...named, value: result.value });
    if (result.value !== true) continue;
    record(next);
    succeed(turn, cell, null, next);
    return;
  }
  record(step.otherwise);
  succeed(turn, cell, null, step.otherwise);
}
