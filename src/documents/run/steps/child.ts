/** An element of a map that is run by a sub-playbook: a run of its own that draws on this run's pot (c.3, c.6). */
import type { Json, RunOutcome } from "../../model";
import { LIMITS } from "../../spec";
import { succeed } from "../cells";
import { failureOf, haltAt } from "../failure";
import type { MapProgram } from "../program";
import { type Cell, type Child, entry, type Failure } from "../state";
import type { Turn } from "../turn";

export function beginChild(turn: Turn, cell: Cell, step: MapProgram): void {
  if (step.target.kind !== "playbook" || !cell.map) throw new Error(`"${cell.key}" is no sub-playbook`);
  const depth = turn.start.depth + 1;
  if (depth > LIMITS.subPlaybookDepth) {
    const message = `Sub-playbooks may be nested ${LIMITS.subPlaybookDepth} deep, "${cell.key}" would be deeper.`;
    failItem(turn, cell, failureOf("sub_playbook_depth", message));
    return;
  }
  const childKey = cell.attempt === 1 ? cell.key : `${cell.key}#${cell.attempt}`;
  const child: Child = {
    childKey,
    cellKey: cell.key,
    playbook: step.target.playbook,
    input: turn.cell(cell.map.id)?.mapWork?.items[cell.map.index] ?? null,
    status: "queued",
    cancelled: false,
    asks: {},
    spent: [],
    seq: turn.nextSeq(),
  };
  turn.state.children[childKey] = child;
  turn.emit({ type: "startChildRun", childKey, playbook: child.playbook, input: child.input, depth });
}

/** The sub-playbook's run has ended. */
export function settleChild(
  turn: Turn,
  childKey: string,
  status: RunOutcome,
  reasonCode: string,
  output: Json,
): void {
  const child = entry(turn.state.children, childKey);
  const cell = child && turn.cell(child.cellKey);
  if (cell?.phase !== "running") return;
  if (status === "completed") succeed(turn, cell, output);
  else failItem(turn, cell, failureOf(reasonCode, `The sub-playbook of "${cell.key}" ended ${status}.`));
}

function failItem(turn: Turn, cell: Cell, failure: Failure): void {
  cell.phase = "failed";
  cell.error = { code: failure.code, message: failure.message };
  turn.recordStep("step.failed", cell, { code: failure.code, message: failure.message });
  haltAt(turn, cell, failure);
}
