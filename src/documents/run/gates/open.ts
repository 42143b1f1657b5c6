/** Opens gates: those of approval steps, and those that the runtime puts in (c.4, c.5, rulings 16 and 32). */
import type { Json, JsonObject } from "../../model";
import { DEFAULTS } from "../../spec";
import { parseDuration } from "../../text/duration";
import { formatInstant } from "../../text/instant";
import { gateIdOf, hashOf } from "../identity";
import type { DecisionKind, Effect } from "../model";
import { errorJson } from "../scope";
import type { Artifact, Cell, Failure, Gate, GateReason } from "../state";
import { arm, disarm, orderOf, timerKey } from "../timers";
import type { Turn } from "../turn";
import { type Subject, subjectOfCall, subjectOfOffer } from "./subject";

type Terms = Pick<
  Gate,
  "name" | "reason" | "onTimeout" | "approver" | "requireComment" | "allowSelfApproval" | "purpose"
> & { timeoutMs: number; subject: Subject };

/** The run holds until a person decides, or the gate's time is over. */
export function openGate(turn: Turn, cell: Cell, terms: Terms): void {
  const { timeoutMs, subject, ...kept } = terms;
  const { state, nowMs, start } = turn;
  const gate: Gate = {
    ...kept,
    gateId: gateIdOf(start, kept.name, Object.keys(state.gates).length),
    cellKey: cell.key,
    status: "open",
    openedAtMs: nowMs,
    deadlineMs: nowMs + timeoutMs,
    subject: subject.value,
    subjectHash: hashOf(subject.value),
    covers: subject.covers,
    votes: [],
    decision: null,
    seq: turn.nextSeq(),
  };
  state.gates[gate.gateId] = gate;
  for (const seen of Object.values(state.cells)) seen.frozen = true;
  hold(turn, cell);
  const order = orderOf(turn, cell);
  arm(turn, timerKey.reminder(gate.gateId, 50), nowMs + Math.floor(timeoutMs * 0.5), order);
  arm(turn, timerKey.reminder(gate.gateId, 90), nowMs + Math.floor(timeoutMs * 0.9), order);
  arm(turn, timerKey.gate(gate.gateId), gate.deadlineMs, order);
  turn.record("gate.opened", { subject: gate.name, stepKey: cell.key, data: openedData(gate) });
  turn.emit(gateEffect(gate));
}

/** What the host is told of a gate that is open. */
export const gateEffect = (gate: Gate): Effect => ({
  type: "openGate",
  gateId: gate.gateId,
  gate: gate.name,
  subject: gate.subject,
  subjectHash: gate.subjectHash,
  openedAtMs: gate.openedAtMs,
  deadlineMs: gate.deadlineMs,
  approver: approverJson(gate.approver),
  purpose: gate.purpose,
  decisions: decisionsOf(gate.reason),
});

/** What can be decided at a gate. */
export const decisionsOf = (reason: GateReason): DecisionKind[] =>
  reason === "escalation" ? ["retry", "skip", "stop"] : ["approve", "reject"];

const openedData = (gate: Gate): JsonObject => ({
  gateId: gate.gateId,
  reason: gate.reason,
  deadline: formatInstant(gate.deadlineMs),
  subjectHash: gate.subjectHash,
  approver: approverJson(gate.approver),
});

const approverJson = (approver: Gate["approver"]): Json =>
  typeof approver === "string" ? approver : { ...approver };

/** The attempt's clock stands while a person looks at it. */
function hold(turn: Turn, cell: Cell): void {
  const key = timerKey.attempt(cell.key);
  const timer = turn.state.timers[key];
  if (timer) {
    cell.timeoutLeftMs = Math.max(0, timer.dueAtMs - turn.nowMs);
    disarm(turn, key);
  }
  cell.phase = "held";
}

/** The step goes on where it stood. */
export function release(turn: Turn, cell: Cell): void {
  cell.phase = "running";
  if (cell.timeoutLeftMs === null) return;
  arm(turn, timerKey.attempt(cell.key), turn.nowMs + cell.timeoutLeftMs, orderOf(turn, cell));
  cell.timeoutLeftMs = null;
}

/** Before a tool call that needs approval and that no gate covers. */
export const openForCall = (turn: Turn, cell: Cell, tool: string, input: Json): void =>
  openImplicit(turn, cell, "effect", subjectOfCall(cell.key, tool, input), `Approve the call of ${tool}.`);

/** After a step, before what it has made goes on. */
export const openForOffer = (
  turn: Turn,
  cell: Cell,
  reason: "artifact" | "output",
  offer: { output: Json; artifacts: Artifact[] },
): void =>
  openImplicit(
    turn,
    cell,
    reason,
    subjectOfOffer(cell, offer.output, offer.artifacts),
    `Approve what "${cell.key}" has made.`,
  );

/** A step has failed and a person says how to go on. */
export const openEscalation = (turn: Turn, cell: Cell, failure: Failure): void =>
  openImplicit(
    turn,
    cell,
    "escalation",
    {
      value: {
        step: cell.key,
        attempt: cell.attempt,
        error: errorJson({
          code: failure.code,
          message: failure.message,
          ...(failure.items === undefined ? {} : { items: failure.items }),
        }),
      },
      covers: [],
    },
    `"${cell.key}" has failed: retry it, skip it, or stop the run.`,
  );

const openImplicit = (turn: Turn, cell: Cell, reason: GateReason, subject: Subject, purpose: string): void =>
  openGate(turn, cell, {
    name: `gate:${cell.key}`,
    reason,
    subject,
    purpose,
    timeoutMs: GATE_TIMEOUT_MS,
    onTimeout: DEFAULTS.gateOnTimeout,
    approver: DEFAULTS.gateApprover,
    requireComment: false,
    allowSelfApproval: false,
  });

const gateTimeout = parseDuration(DEFAULTS.gateTimeout);
const GATE_TIMEOUT_MS = gateTimeout.ok ? gateTimeout.ms : 0;
