/** Notes what an event says; what follows from it goes on the agenda. */
import { receiveAgentAnswer, receiveQuote, receiveToolAnswer } from "./calls";
import { receiveChildEnd, receiveChildQuote, receiveChildSpending, receiveChildStatus } from "./children";
import { catchUp, receiveTimer } from "./due";
import { decide } from "./gates/decide";
import * as lifecycle from "./lifecycle";
import type { RunEvent } from "./model";
import type { Turn } from "./turn";

export function receive(turn: Turn, event: RunEvent): void {
  if (event.type === "run.create") {
    lifecycle.create(turn, event.start);
    return;
  }
  if (!turn.state.start) {
    turn.reply = { status: 409, code: "run_not_created" };
    return;
  }
  switch (event.type) {
    case "run.start":
      lifecycle.begin(turn);
      return;
    case "timer":
      receiveTimer(turn, event.key);
      return;
    case "gate.decide":
      decide(turn, event);
      return;
    case "signal":
      lifecycle.signal(turn, event);
      return;
    case "cancel":
      lifecycle.cancel(turn, event);
      return;
    case "pause":
      lifecycle.pause(turn, event);
      return;
    case "resume":
      lifecycle.resume(turn, event);
      return;
    default:
      catchUp(turn);
      receiveResult(turn, event);
      return;
  }
}

type Result = Exclude<
  RunEvent,
  { type: "run.create" | "run.start" | "timer" | "gate.decide" | "signal" | "cancel" | "pause" | "resume" }
>;

function receiveResult(turn: Turn, event: Result): void {
  switch (event.type) {
    case "agent.quoted":
      receiveQuote(turn, event);
      return;
    case "agent.answered":
      receiveAgentAnswer(turn, event);
      return;
    case "tool.answered":
      receiveToolAnswer(turn, event);
      return;
    case "artifact.changed":
      lifecycle.changeArtifact(turn, event.stepKey, event.index, event.body);
      return;
    case "child.status":
      receiveChildStatus(turn, event);
      return;
    case "child.ended":
      receiveChildEnd(turn, event);
      return;
    case "child.quoted":
      receiveChildQuote(turn, event);
      return;
    case "child.spent":
      receiveChildSpending(turn, event);
      return;
    case "parent.granted":
      if (!turn.ended) turn.plan({ do: "ask", callId: event.callId });
  }
}
