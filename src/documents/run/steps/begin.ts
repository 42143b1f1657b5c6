/** Begins an attempt of a step, whatever its kind. */
import { countStep } from "../guardrails";
import type { Cell } from "../state";
import type { Turn } from "../turn";
import { beginAgent } from "./agent";
import { beginApproval } from "./approval";
import { beginChild } from "./child";
import { decideBranch } from "./decision";
import { beginMap } from "./map";
import { terminate } from "./terminator";
import { beginTool } from "./tool";
import { beginWait } from "./wait";

export function begin(turn: Turn, cell: Cell): void {
  if (cell.phase !== "pending") return;
  cell.phase = "running";
  if (cell.attempt === 1) {
    if (!countStep(turn, cell)) return;
    turn.recordStep("step.entered", cell);
  }
  const step = turn.stepOf(cell);
  switch (step.kind) {
    case "agent":
      beginAgent(turn, cell, step);
      return;
    case "tool":
      beginTool(turn, cell, step);
      return;
    case "decision":
      decideBranch(turn, cell, step);
      return;
    case "wait":
      beginWait(turn, cell, step);
      return;
    case "map":
      if (cell.map) beginChild(turn, cell, step);
      else beginMap(turn, cell, step);
      return;
    case "approval":
      beginApproval(turn, cell, step);
      return;
    case "terminator":
      terminate(turn, cell, step);
      return;
  }
}
