/** Works off the agenda. A task whose step has moved on meanwhile does nothing. */
import type { Task } from "./agenda";
import { overspent } from "./budget";
import { makeGranted, price } from "./calls";
import { grantToChild, priceForChild } from "./children";
import { follow } from "./gates/follow";
import { type Cell, entry } from "./state";
import { goOn, settleAgent } from "./steps/agent";
import { settleAgentTool } from "./steps/agent-tools";
import { timeOut } from "./steps/attempt";
import { begin } from "./steps/begin";
import { settleChild } from "./steps/child";
import { itemEnded, startItems } from "./steps/map";
import { settleTool } from "./steps/tool";
import { settleWait } from "./steps/wait";
import type { Turn } from "./turn";

/** Does everything that is due; during a pause, only what no pause holds up. */
export function workOff(turn: Turn): void {
  const { state } = turn;
  while (!turn.ended) {
    const index = state.paused ? state.agenda.findIndex((task) => "atOnce" in task) : 0;
    const [task] = index < 0 ? [] : state.agenda.splice(index, 1);
    if (!task) return;
    perform(turn, task);
  }
}

function perform(turn: Turn, task: Task): void {
  switch (task.do) {
    case "price":
      price(turn, task.callId, task.estimate);
      return;
    case "ask":
      makeGranted(turn, task.callId);
      grantToChild(turn, task.callId);
      return;
    case "child_price":
      priceForChild(turn, task.childKey, task.callId, task.estimate);
      return;
    case "child_ended":
      settleChild(turn, task.childKey, task.status, task.reasonCode, task.output);
      return;
    case "overspent":
      overspent(turn);
      return;
    case "decided": {
      const gate = entry(turn.state.gates, task.gateId);
      if (gate) follow(turn, gate);
      return;
    }
    default: {
      const cell = turn.cell(task.cell);
      if (cell) performAt(turn, cell, task);
    }
  }
}

function performAt(turn: Turn, cell: Cell, task: Extract<Task, { cell: string }>): void {
  const step = turn.stepOf(cell);
  switch (task.do) {
    case "begin":
      begin(turn, cell);
      return;
    case "agent_answer":
      if (isCurrent(cell, task.attempt) && step.kind === "agent") settleAgent(turn, cell, step, task.answer);
      return;
    case "tool_answer":
      if (!isCurrent(cell, task.attempt)) return;
      if (step.kind === "tool") settleTool(turn, cell, step, task.answer);
      else if (step.kind === "agent") {
        settleAgentTool(turn, cell, task.ordinal, task.answer);
        goOn(turn, cell, step);
      }
      return;
    case "time_out":
      if (isCurrent(cell, task.attempt)) timeOut(turn, cell);
      return;
    case "wait_over":
      if (cell.phase === "parked") settleWait(turn, cell, task.why, task.message ?? "");
      return;
    case "start_items":
      if (step.kind === "map" && cell.phase === "running") startItems(turn, cell, step);
      return;
    case "item_ended":
      itemEnded(turn, cell, task.failure);
      return;
  }
}

const isCurrent = (cell: Cell, attempt: number): boolean =>
  cell.phase === "running" && cell.attempt === attempt;
