/** A world that answers a run by given choices: what models and tools say, what people decide, what comes too late. */
import type { Reducer, RunEvent, StoredEvent, TraceRecord } from "../../../../src/documents/run/model";
import type { Call, Gate, RunState, Timer } from "../../../../src/documents/run/state";
import { OPERATOR, START, STARTED_AT_MS } from "./driver";

export interface Played {
  events: StoredEvent[];
  records: TraceRecord[];
  state: RunState;
}

/** Plays a run to its end, or until it has taken `maxEvents`. */
export function playOut(reducer: Reducer<RunState>, choices: readonly number[], maxEvents = 3000): Played {
  const played: Played = { events: [], records: [], state: reducer.initial };
  let nowMs = STARTED_AT_MS;
  let drawn = 0;
  const draw = (below: number): number => {
    drawn += 1;
    return ((choices[drawn % choices.length] ?? 0) + drawn * 7) % below;
  };
  const send = (event: RunEvent): void => {
    played.events.push({ atMs: nowMs, event });
    const applied = reducer.apply(played.state, event, nowMs);
    played.state = applied.state;
    played.records.push(...applied.records);
  };
  send({
    type: "run.create",
    start: { ...START, payload: { n: draw(4), kind: `k${draw(3)}`, list: [1, 2] } },
  });
  send({ type: "run.start" });
  while (!played.state.outcome && played.events.length < maxEvents) {
    const { state } = played;
    const calls = Object.values(state.calls).filter(({ stage }) => stage !== "aborted");
    const gates = Object.values(state.gates).filter(({ status }) => status === "open");
    const timer = firstTimer(state);
    const odd = draw(40);
    if (state.paused) send({ type: "resume" });
    else if (odd === 0) send({ type: "pause" });
    else if (odd === 1) send({ type: "signal", name: draw(2) === 0 ? "go" : "other" });
    else if (odd === 2 && draw(4) === 0) send({ type: "cancel", by: OPERATOR });
    else if (calls.length > 0 && !(timer && odd === 3)) send(answerTo(calls[draw(calls.length)], draw));
    else if (gates.length > 0 && draw(8) > 0) send(decisionAt(gates[draw(gates.length)], draw));
    else if (timer) {
      nowMs = Math.max(nowMs, timer.dueAtMs);
      send({ type: "timer", key: timer.key });
    } else throw new Error(`the run stands still: ${JSON.stringify(state).slice(0, 2000)}`);
  }
  return played;
}

function firstTimer({ timers }: RunState): Timer | undefined {
  const byTime = (a: Timer, b: Timer): number =>
    a.dueAtMs - b.dueAtMs || a.order[0] - b.order[0] || a.order[1] - b.order[1] || a.seq - b.seq;
  return Object.values(timers).sort(byTime)[0];
}

function answerTo(call: Call | undefined, draw: (below: number) => number): RunEvent {
  if (!call) throw new Error("no call");
  const { callId } = call;
  const error = { code: ["timeout", "http_503", "refused"][draw(3)] ?? "" };
  if (call.kind === "tool")
    return draw(6) === 0
      ? { type: "tool.answered", callId, error }
      : { type: "tool.answered", callId, output: draw(9) };
  if (call.stage === "quoting")
    return { type: "agent.quoted", callId, estimateMicroCents: draw(3) * 12_000_000 };
  const common = { type: "agent.answered" as const, callId, costMicroCents: draw(4) * 9_000_000 };
  const toolCalls = [{ tool: ["lookup", "send", "nope"][draw(3)] ?? "", input: { n: draw(3) } }];
  const artifacts = [{ type: "note", body: draw(5) }];
  switch (draw(5)) {
    case 0:
      return { ...common, error };
    case 1:
      return { ...common, toolCalls };
    case 2:
      return { ...common, output: draw(9), artifacts, toolCalls };
    default:
      return { ...common, output: draw(9), artifacts };
  }
}

function decisionAt(gate: Gate | undefined, draw: (below: number) => number): RunEvent {
  if (!gate) throw new Error("no gate");
  const kinds =
    gate.reason === "escalation"
      ? (["retry", "skip", "stop"] as const)
      : (["approve", "approve", "reject"] as const);
  const decision = kinds[draw(3)] ?? "reject";
  return { type: "gate.decide", gateId: gate.gateId, decision, by: OPERATOR, key: `k${draw(1000)}` };
}
