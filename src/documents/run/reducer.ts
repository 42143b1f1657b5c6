/**
 * The reducer of a document's run (section c of the specification): a state, an event and an instant give the next
 * state, what the host must do, and what goes on record. No clock, no chance, nothing but its arguments.
 */
import { settleStatus } from "./meter";
import type { Applied, Reducer, RunEvent } from "./model";
import { outstanding } from "./outstanding";
import type { Program } from "./program";
import { receive } from "./receive";
import { copyOf, INITIAL, type RunState } from "./state";
import { workOff } from "./tasks";
import { Turn } from "./turn";
import { viewOf } from "./view";

export type { RunState } from "./state";

/** The reducer for all runs of one document. */
export function reducerOf(program: Program): Reducer<RunState> {
  return {
    initial: INITIAL,
    apply: (state, event, nowMs) => take(new Turn(program, copyOf(state), nowMs), event),
    fold: (events) => {
      const state = copyOf(INITIAL);
      for (const { atMs, event } of events) take(new Turn(program, state, atMs), event);
      return state;
    },
    outstanding: (state) => outstanding(program, state),
    view: (state, nowMs) => viewOf(state, nowMs),
  };
}

function take(turn: Turn, event: RunEvent): Applied<RunState> {
  receive(turn, event);
  workOff(turn);
  settleStatus(turn);
  const { state, effects, records, reply } = turn;
  return { state, effects, records, ...(reply === undefined ? {} : { reply }) };
}
