/**
 * What follows from what happened. A turn notes facts at once and puts their consequences on the agenda, which is
 * worked off in order before the turn ends: at the end of a pause, if the run is paused.
 */
import type { Json, RunOutcome } from "../model";
import type { CallError, ToolRequest } from "./model";
import type { Amount, Failure } from "./state";

export interface AgentAnswer {
  output?: Json;
  artifacts: { type: string; body: Json }[];
  toolCalls: ToolRequest[];
  error?: CallError;
}
export interface ToolAnswer {
  output: Json;
  artifacts: { type: string; body: Json }[];
  error?: CallError;
}

export type Task =
  /** An attempt of a step. */
  | { do: "begin"; cell: string }
  | { do: "price"; callId: string; estimate: Amount }
  /** The parent's pot has room for the call. */
  | { do: "ask"; callId: string }
  | { do: "agent_answer"; cell: string; attempt: number; answer: AgentAnswer }
  | { do: "tool_answer"; cell: string; attempt: number; ordinal: number; answer: ToolAnswer }
  | { do: "time_out"; cell: string; attempt: number }
  /** A wait is over: its time has passed, its condition holds, or its condition could not be evaluated. */
  | { do: "wait_over"; cell: string; why: "elapsed" | "met" | "timed_out" | "broken"; message?: string }
  | { do: "decided"; gateId: string }
  | { do: "start_items"; cell: string }
  /** `failure` when it counts against the map's tolerance; `atOnce` when not even a pause holds it up. */
  | { do: "item_ended"; cell: string; failure?: Failure; atOnce?: boolean }
  | { do: "child_ended"; childKey: string; status: RunOutcome; reasonCode: string; output: Json }
  | { do: "child_price"; childKey: string; callId: string; estimate: Amount }
  /** More was spent than the document allows. */
  | { do: "overspent" };
