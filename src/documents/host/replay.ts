/**
 * Replays stored runs from their logs alone: no agent and no tool is reached, every answer comes from the log, and
 * what the reducer asks for must be what it asked for when it was recorded.
 */
import type { PlaybookDocument } from "../model";
import type { Effect, RunEvent, RunView, TraceRecord } from "../run/model";
import { type RunLog, readStored } from "./durable";
import type { Compile } from "./reducer";

export interface Replayed {
  records: TraceRecord[];
  /** At the instant that the original was last looked at. */
  view: RunView;
  /** Where the replay left the record, in words; null when it did not. */
  diverged: string | null;
}

export function replayRun(
  log: RunLog,
  document: PlaybookDocument,
  compile: Compile,
  nowMs: number,
): Replayed {
  const reducer = compile(document, log.contentHash);
  const asked = new Asked();
  const records: TraceRecord[] = [];
  let state = reducer.initial;
  let diverged: string | null = null;
  for (const [index, text] of log.events.entries()) {
    const { atMs, event } = readStored(text);
    diverged ??= asked.fault(event, atMs, index);
    const applied = reducer.apply(state, event, atMs);
    state = applied.state;
    records.push(...applied.records);
    asked.note(applied.effects);
    if (JSON.stringify(applied.effects) !== log.effects[index]) {
      diverged ??= `event ${index + 1} (${event.type}) asked for something else than when it was recorded`;
    }
  }
  return { records, view: reducer.view(state, nowMs), diverged };
}

/** What the replayed run has asked for so far: an answer or a timer that it did not ask for is no replay. */
class Asked {
  private readonly calls = new Set<string>();
  private readonly timers = new Map<string, number>();

  note(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === "callAgent" || effect.type === "callTool" || effect.type === "quoteAgent") {
        this.calls.add(`${effect.type === "quoteAgent" ? "quote" : "call"} ${effect.callId}`);
      } else if (effect.type === "armTimer") this.timers.set(effect.key, effect.dueAtMs);
    }
  }

  fault(event: RunEvent, atMs: number, index: number): string | null {
    const isUnasked =
      (event.type === "agent.quoted" && !this.calls.has(`quote ${event.callId}`)) ||
      ((event.type === "agent.answered" || event.type === "tool.answered") &&
        !this.calls.has(`call ${event.callId}`)) ||
      (event.type === "timer" && (this.timers.get(event.key) ?? Number.POSITIVE_INFINITY) > atMs);
    return isUnasked ? `event ${index + 1} (${event.type}) was not asked for` : null;
  }
}
