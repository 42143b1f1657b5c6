/**
 * An agent step (c.3): the model is asked, may call tools and is asked again, until it gives an output. Each question
 * is quoted and its money reserved before it is asked.
 */
import { LIMITS } from "../../spec";
import type { AgentAnswer } from "../agenda";
import { quoteEffect } from "../call-effects";
import { fail, failureOf, reportedFailure } from "../failure";
import { callIdOf } from "../identity";
import type { AgentProgram } from "../program";
import type { AgentCall, AgentWork, Cell, Offer } from "../state";
import type { Turn } from "../turn";
import { checkOutput } from "./agent-output";
import { runNextTool } from "./agent-tools";
import { workOf } from "./agent-work";
import { artifactOf } from "./artifacts";
import { inputOf, startClock } from "./attempt";
import { offerResult } from "./finish";

export function beginAgent(turn: Turn, cell: Cell, step: AgentProgram): void {
  if (!inputOf(turn, cell, step, null)) return;
  cell.agent = {
    turn: 0,
    transcript: [],
    repaired: false,
    denials: 0,
    queue: [],
    answer: null,
    nextTool: 0,
  };
  startClock(turn, cell, step.timeoutMs);
  ask(turn, cell, cell.agent);
}

function ask(turn: Turn, cell: Cell, work: AgentWork): void {
  if (work.turn >= LIMITS.agentTurns) {
    const message = `The agent of "${cell.key}" has been asked ${LIMITS.agentTurns} times and gave no output.`;
    fail(turn, cell, failureOf("too_many_turns", message));
    return;
  }
  const call: AgentCall = {
    kind: "agent",
    stage: "quoting",
    callId: callIdOf(turn.start, "agent", cell.key, work.turn, cell.attempt),
    cellKey: cell.key,
    ordinal: work.turn,
    attempt: cell.attempt,
    seq: turn.nextSeq(),
    estimate: { microCents: 0, credits: 0 },
  };
  cell.agent = { ...work, turn: work.turn + 1 };
  turn.state.calls[call.callId] = call;
  turn.emit(quoteEffect(turn, call));
}

/** The model has answered. */
export function settleAgent(turn: Turn, cell: Cell, step: AgentProgram, answer: AgentAnswer): void {
  if (answer.error) {
    fail(turn, cell, reportedFailure(answer.error));
    return;
  }
  const asksForTools = answer.toolCalls.length > 0;
  const offer: Offer | null =
    answer.output === undefined && asksForTools
      ? null
      : { output: answer.output ?? null, artifacts: answer.artifacts.map(artifactOf) };
  cell.agent = { ...workOf(cell), queue: answer.toolCalls, answer: offer };
  goOn(turn, cell, step);
}

/** Runs what the model asked for; then its output counts, or it is asked again. */
export function goOn(turn: Turn, cell: Cell, step: AgentProgram): void {
  while (workOf(cell).queue.length > 0) if (runNextTool(turn, cell, step) === "waits") return;
  const work = workOf(cell);
  if (work.answer) conclude(turn, cell, step, work.answer);
  else ask(turn, cell, work);
}

function conclude(turn: Turn, cell: Cell, step: AgentProgram, answer: Offer): void {
  const checked = checkOutput(step.output, answer.output);
  if (checked.ok) {
    offerResult(turn, cell, { ...answer, output: checked.output });
    return;
  }
  const work = workOf(cell);
  if (work.repaired) {
    const message = `The agent of "${cell.key}" gave an invalid output twice: ${checked.faults[0]?.message ?? ""}`;
    fail(turn, cell, failureOf("output_schema_violation", message, "output_schema_violation"));
    return;
  }
  const told = {
    type: "output_invalid",
    faults: checked.faults.map(({ pointer, message }) => ({ pointer, message })),
  };
  cell.agent = {
    ...work,
    repaired: true,
    answer: null,
    transcript: [...work.transcript, { type: "output", output: answer.output }, told],
  };
  ask(turn, cell, cell.agent);
}
