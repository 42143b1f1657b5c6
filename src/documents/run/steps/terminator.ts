/** A terminator: the run ends with its reason and its output (c.3, rulings 18 and 19). */
import { endRun } from "../end";
import { failureOf, halt } from "../failure";
import type { TerminatorProgram } from "../program";
import { scopeOf } from "../scope";
import type { Cell } from "../state";
import type { Turn } from "../turn";

export function terminate(turn: Turn, cell: Cell, step: TerminatorProgram): void {
  const output = step.output?.evaluate(scopeOf(turn, cell)) ?? { ok: true, value: null };
  if (!output.ok) {
    const message = `The output of "${cell.key}" cannot be evaluated at "${output.pointer}": ${output.message}`;
    halt(turn, cell, failureOf("expression_error", message, "expression_error"));
    return;
  }
  cell.phase = "succeeded";
  cell.output = output.value;
  endRun(turn, {
    status: step.source.outcome ?? "completed",
    reasonCode: "terminator",
    reason: step.source.reason,
    terminatorId: step.id,
    stepId: step.id,
    output: output.value,
  });
}
