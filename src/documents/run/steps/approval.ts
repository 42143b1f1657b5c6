/** An approval step: its gate, and what the decision leads to (c.4, ruling 8). */
import { succeed } from "../cells";
import { failureOf, halt } from "../failure";
import { endAtGate } from "../gates/end-at";
import { openGate } from "../gates/open";
import { subjectOfStep } from "../gates/subject";
import type { ApprovalProgram } from "../program";
import type { Cell, Gate } from "../state";
import type { Turn } from "../turn";

export function beginApproval(turn: Turn, cell: Cell, step: ApprovalProgram): void {
  const made = subjectOfStep(turn, cell, step);
  if (!made.ok) {
    const message = `The subject of "${cell.key}" cannot be evaluated: ${made.message}`;
    halt(turn, cell, failureOf("expression_error", message, "expression_error"));
    return;
  }
  const { approver, onTimeout, requireComment, allowSelfApproval } = step.source;
  openGate(turn, cell, {
    name: cell.key,
    reason: "approval",
    subject: made.subject,
    timeoutMs: step.timeoutMs,
    onTimeout: onTimeout === "fail" ? "fail" : "cancel",
    approver,
    requireComment: requireComment ?? false,
    allowSelfApproval: allowSelfApproval ?? false,
    purpose: step.purpose,
  });
}

/** A person has decided. */
export function settleApproval(turn: Turn, cell: Cell, step: ApprovalProgram, gate: Gate): void {
  const vote = gate.votes.at(-1);
  const output = {
    decision: gate.decision,
    by: vote?.by ?? null,
    comment: vote?.comment ?? null,
  };
  // What was seen here need not be shown again. In a map each element is seen for itself.
  if (!cell.map) turn.state.sinceGate = [];
  if (gate.decision === "approve") succeed(turn, cell, output);
  else if (step.onReject !== null) succeed(turn, cell, output, step.onReject);
  else {
    cell.output = output;
    reject(turn, cell);
  }
}

/** A rejection that nothing follows ends the run. */
export const reject = (turn: Turn, cell: Cell): void =>
  endAtGate(turn, cell, "approval_rejected", `"${cell.key}" was rejected.`, "cancelled");
