/**
 * A person's decision (c.4). The clock is read here and not left to the timer: a decision stamped at the deadline is
 * too late. The first valid decision counts; whatever is refused leaves the state as it was.
 */

import { closeTimers } from "../end";
import type { DecisionKind, Reply, RunEvent } from "../model";
import { entry, type Gate, type Vote } from "../state";
import type { Turn } from "../turn";
import { countOf, refusalOf } from "./approvers";
import { decisionsOf } from "./open";

type Decide = Extract<RunEvent, { type: "gate.decide" }>;
type Refusal = Reply & { late?: true };

export function decide(turn: Turn, event: Decide): void {
  const gate = entry(turn.state.gates, event.gateId);
  const checked = check(turn, gate, event);
  if (!("vote" in checked)) {
    const { late, ...reply } = checked;
    turn.reply = reply;
    if (late && gate) recordLate(turn, gate, event, reply);
    return;
  }
  turn.reply = { status: 200 };
  checked.gate.votes = [...checked.gate.votes, checked.vote];
  if (isFinal(checked.gate, event.decision)) close(turn, checked.gate, event.decision, checked.vote);
}

function check(turn: Turn, gate: Gate | undefined, event: Decide): Refusal | { gate: Gate; vote: Vote } {
  const { by, decision, key } = event;
  if (!by) return { status: 401, code: "not_signed_in" };
  if (!gate) return { status: 409, code: "gate_not_open" };
  const refusal = refusalOf(gate, turn.start.startedBy, by);
  if (refusal) return { status: 403, code: refusal };
  const before = gate.votes.filter((vote) => vote.by === by.id);
  if (before.some((vote) => vote.key === key && vote.decision === decision)) return { status: 200 };
  const closed = closedReply(turn, gate);
  if (closed) return { ...closed, late: true };
  if (before.some((vote) => vote.key === key || decision === "approve"))
    return { status: 409, code: "gate_already_decided" };
  if (!decisionsOf(gate.reason).includes(decision)) return { status: 422, code: "decision_not_possible" };
  if (event.subjectHash !== undefined && event.subjectHash !== gate.subjectHash)
    return { status: 409, code: "subject_changed" };
  const comment = event.comment ?? null;
  if (gate.requireComment && (comment ?? "").trim() === "") return { status: 422, code: "comment_required" };
  return { gate, vote: { by: by.id, decision, comment, key, atMs: turn.nowMs } };
}

function closedReply(turn: Turn, gate: Gate): Reply | null {
  if (gate.status === "decided") return { status: 409, code: "gate_already_decided" };
  if (gate.status === "cancelled") return { status: 409, code: "gate_not_open" };
  if (gate.status === "expired" || turn.nowMs >= gate.deadlineMs)
    return { status: 410, code: "gate_expired" };
  return null;
}

/** One rejection is enough; approvals are counted. */
const isFinal = (gate: Gate, decision: DecisionKind): boolean =>
  decision !== "approve" || gate.votes.length >= countOf(gate);

function close(turn: Turn, gate: Gate, decision: DecisionKind, vote: Vote): void {
  gate.status = "decided";
  gate.decision = decision;
  closeTimers(turn, gate);
  turn.record("gate.decided", {
    subject: gate.name,
    stepKey: gate.cellKey,
    actor: vote.by,
    data: {
      gateId: gate.gateId,
      decision,
      subjectHash: gate.subjectHash,
      votes: votesJson(gate),
    },
  });
  turn.emit({ type: "closeGate", gateId: gate.gateId, gate: gate.name, why: "decided" });
  turn.plan({ do: "decided", gateId: gate.gateId });
}

/** Who decided what, in order. */
export const votesJson = ({ votes }: Gate): { by: string; decision: string; comment: string | null }[] =>
  votes.map(({ by, decision, comment }) => ({ by, decision, comment }));

function recordLate(turn: Turn, gate: Gate, { by, decision }: Decide, { code }: Reply): void {
  turn.record("late_decision", {
    subject: gate.name,
    stepKey: gate.cellKey,
    ...(by ? { actor: by.id } : {}),
    data: { gateId: gate.gateId, decision, ...(code === undefined ? {} : { code }) },
  });
}
