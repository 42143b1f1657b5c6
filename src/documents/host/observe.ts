/** What can be seen of a played script, in one shape for the straight run, the crash runs and the replay. */
import type { PlaybookDocument } from "../model";
import type { RunView, TraceRecord } from "../run/model";
import type { HostRecord, TriggerReply } from "../triggers/model";
import type { Play, ScriptFault } from "./play";
import type { Compile } from "./reducer";
import { replayRun } from "./replay";
import type { ToolAttempts, ToolCallSeen } from "./scripted-world";

export interface ObservedRun {
  runId: string;
  playbookId: string;
  /** Set for the run of a map's item. */
  parentRunId: string | null;
  document: PlaybookDocument;
  records: TraceRecord[];
  view: RunView;
}

export interface Observed {
  /** In order of creation. */
  runs: ObservedRun[];
  /** The run that the script speaks to. */
  targetRunId: string | null;
  hostRecords: HostRecord[];
  /** Null in a replay, which reaches no tool. */
  toolCalls: ToolCallSeen[] | null;
  attempts: Record<string, ToolAttempts>;
  scriptFaults: ScriptFault[];
  refusal: TriggerReply | null;
  /** Agents and tools that answered nothing because the harness has no list for them. */
  unscripted: string[];
}

export function observe(play: Play): Observed {
  const { durable, world, host } = play;
  const runs = durable.runs.map((log) => ({
    runId: log.runId,
    playbookId: log.playbookId,
    parentRunId: log.parent?.runId ?? null,
    document: host.documentOf(log.runId),
    records: log.records,
    view: host.view(log.runId),
  }));
  return {
    runs,
    targetRunId: play.targetRunId,
    hostRecords: durable.hostRecords,
    toolCalls: world.toolCalls,
    attempts: world.attempts,
    scriptFaults: play.faults,
    refusal: play.refusal,
    unscripted: [...world.unscripted].sort(),
  };
}

/** The same from the logs alone, and where a replay left them. */
export function observeReplay(play: Play, compile: Compile): { observed: Observed; diverged: string[] } {
  const straight = observe(play);
  const diverged: string[] = [];
  const runs = straight.runs.map((run, index) => {
    const log = play.durable.runs[index];
    if (!log) return run;
    const replayed = replayRun(log, run.document, compile, play.clock.nowMs);
    if (replayed.diverged) diverged.push(`run ${index + 1}: ${replayed.diverged}`);
    return { ...run, records: replayed.records, view: replayed.view };
  });
  return { observed: { ...straight, runs, toolCalls: null, attempts: {}, scriptFaults: [] }, diverged };
}

/** A record with the run that it belongs to. */
export interface TraceLine {
  runIndex: number;
  record: TraceRecord;
}

/** All runs' records in order of event time, then of the runs' creation (ruling 14). */
export function mergedTrace(runs: readonly ObservedRun[]): TraceLine[] {
  const lines = runs.flatMap(({ records }, runIndex) => records.map((record) => ({ runIndex, record })));
  // Sorting is stable: what one run recorded at one instant stays in its order.
  return lines.sort((left, right) => left.record.atMs - right.record.atMs || left.runIndex - right.runIndex);
}

/** `type` or `type:subject` (ruling 3). */
export const entryOf = ({ type, subject }: { type: string; subject?: string }): string =>
  subject === undefined ? type : `${type}:${subject}`;
