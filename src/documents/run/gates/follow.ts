/** What a decision leads to, by why the gate stood (c.4, c.5, rulings 8 and 16). */
import { beginAgain, handOver } from "../cells";
import { failureOf, halt } from "../failure";
import type { Cell, Gate } from "../state";
import { resumeAgentTool } from "../steps/agent-tools";
import { reject, settleApproval } from "../steps/approval";
import { acceptOffer } from "../steps/finish";
import { resumeTool } from "../steps/tool";
import type { Turn } from "../turn";

export function follow(turn: Turn, gate: Gate): void {
  const cell = turn.cell(gate.cellKey);
  if (cell?.phase !== "held") return;
  const step = turn.stepOf(cell);
  if (gate.reason === "escalation") followEscalation(turn, cell, gate);
  else if (step.kind === "approval") settleApproval(turn, cell, step, gate);
  else if (gate.decision !== "approve") reject(turn, cell);
  else if (gate.reason === "artifact" || gate.reason === "output") acceptOffer(turn, cell, gate.reason);
  else if (step.kind === "tool") resumeTool(turn, cell, step);
  else if (step.kind === "agent") resumeAgentTool(turn, cell);
}

function followEscalation(turn: Turn, cell: Cell, gate: Gate): void {
  switch (gate.decision) {
    case "retry":
      beginAgain(turn, cell);
      return;
    case "skip":
      cell.phase = "skipped";
      cell.output = null;
      turn.recordStep("step.skipped", cell);
      handOver(turn, cell);
      return;
    default: {
      const message = `A person stopped the run after "${cell.key}" had failed: ${cell.error?.message ?? ""}`;
      halt(turn, cell, failureOf(cell.error?.code ?? "stopped", message));
    }
  }
}
