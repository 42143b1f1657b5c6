/** Calls to models: priced, granted, made and answered. What an answer costs is booked whatever becomes of it. */
import type { Json } from "../model";
import { abortCalls } from "./abort";
import type { AgentAnswer, ToolAnswer } from "./agenda";
import { amountOf, book, isOverspent, reserve } from "./budget";
import { agentEffect, askEffect } from "./call-effects";
import type { RunEvent } from "./model";
import { type AgentCall, type Amount, type Call, entry } from "./state";
import { itemIsPaidFor } from "./steps/map";
import { disarm, timerKey } from "./timers";
import type { Turn } from "./turn";

type Event<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

/** The host says what a model call will cost. */
export function receiveQuote(turn: Turn, event: Event<"agent.quoted">): void {
  const estimate = amountOf(event.estimateMicroCents, event.estimateCredits);
  if (agentCall(turn, event.callId, "quoting")) turn.plan({ do: "price", callId: event.callId, estimate });
}

/** Reserves what a call will cost and makes it, when the parent has granted it if there is one. */
export function price(turn: Turn, callId: string, estimate: Amount): void {
  const call = agentCall(turn, callId, "quoting");
  const cell = call && turn.cell(call.cellKey);
  if (!call || !cell || !reserve(turn, callId, estimate, cell)) return;
  call.estimate = estimate;
  itemIsPaidFor(turn, cell);
  if (turn.start.parent) {
    call.stage = "asking";
    turn.emit(askEffect(call));
  } else makeCall(turn, call);
}

/** The parent's pot has room. */
export function makeGranted(turn: Turn, callId: string): void {
  const call = agentCall(turn, callId, "asking");
  if (call) makeCall(turn, call);
}

function makeCall(turn: Turn, call: AgentCall): void {
  call.stage = "called";
  turn.emit(agentEffect(turn, call));
}

function agentCall(turn: Turn, callId: string, stage: AgentCall["stage"]): AgentCall | undefined {
  const call = entry(turn.state.calls, callId);
  return call?.kind === "agent" && call.stage === stage ? call : undefined;
}

/** A model's answer, which may be the second of the same call, or too late. */
export function receiveAgentAnswer(turn: Turn, event: Event<"agent.answered">): void {
  const call = entry(turn.state.calls, event.callId);
  if (call?.kind !== "agent" || (call.stage !== "called" && call.stage !== "aborted")) return;
  const cell = turn.cell(call.cellKey);
  const cost = amountOf(event.costMicroCents, event.costCredits);
  const data = {
    step: call.cellKey,
    ordinal: call.ordinal,
    attempt: call.attempt,
    costMicroCents: cost.microCents,
    ...(event.costCredits === undefined ? {} : { costCredits: cost.credits }),
    ...(event.model === undefined ? {} : { model: event.model }),
  };
  delete turn.state.calls[call.callId];
  if (call.stage === "aborted") recordLate(turn, call, data);
  else turn.record("llm.usage", { subject: call.cellKey, stepKey: call.cellKey, data });
  book(turn, call.callId, cost, cell);
  if (turn.ended) return;
  if (isOverspent(turn, cell)) turn.plan({ do: "overspent" });
  const { output, artifacts = [], toolCalls = [], error } = event;
  const answer: AgentAnswer = {
    ...(output === undefined ? {} : { output }),
    artifacts,
    toolCalls,
    ...(error === undefined ? {} : { error }),
  };
  if (call.stage === "called")
    turn.plan({ do: "agent_answer", cell: call.cellKey, attempt: call.attempt, answer });
}

/** A tool's answer, which may be the second of the same call, or too late. */
export function receiveToolAnswer(turn: Turn, event: Event<"tool.answered">): void {
  const call = entry(turn.state.calls, event.callId);
  if (call?.kind !== "tool") return;
  const { output = null, artifacts = [], error } = event;
  delete turn.state.calls[call.callId];
  if (call.stage === "aborted") {
    recordLate(turn, call, {
      step: call.cellKey,
      ordinal: call.ordinal,
      attempt: call.attempt,
      tool: call.tool,
    });
    return;
  }
  disarm(turn, timerKey.call(call.callId));
  settleTool(turn, call, { output, artifacts, ...(error === undefined ? {} : { error }) });
}

type Tool = Extract<Call, { kind: "tool" }>;

function settleTool(turn: Turn, call: Tool, answer: ToolAnswer): void {
  turn.record("tool.returned", {
    subject: call.tool,
    stepKey: call.cellKey,
    data: {
      step: call.cellKey,
      ordinal: call.ordinal,
      attempt: call.attempt,
      ok: answer.error === undefined,
      ...(answer.error ? { code: answer.error.code } : {}),
    },
  });
  turn.plan({
    do: "tool_answer",
    cell: call.cellKey,
    attempt: call.attempt,
    ordinal: call.ordinal,
    answer,
  });
}

const recordLate = (turn: Turn, call: Call, data: { [key: string]: Json }): void =>
  turn.record("late_result", { subject: call.cellKey, stepKey: call.cellKey, data });

/** A call has taken longer than its tool may: the step goes on with that as the answer. */
export function callIsDue(turn: Turn, callId: string): void {
  const call = entry(turn.state.calls, callId);
  if (call?.kind !== "tool" || call.stage !== "called") return;
  abortCalls(turn, (other) => other === call);
  settleTool(turn, call, {
    output: null,
    artifacts: [],
    error: { code: "timeout", message: `${call.tool} took longer than it may.` },
  });
}
