/**
 * What survives when the host's process stops: the events of every run and of what starts runs, as JSON text, with
 * the records that were committed with them.
 */
import type { Effect, RunEvent, StoredEvent, TraceRecord } from "../run/model";
import type { HostRecord, TriggerEvent } from "../triggers/model";

/** The process stopped here. Everything it had only in memory is gone. */
export class HostCrash extends Error {}

/** The host or a reducer broke a rule that no vector can allow. */
export class HostFault extends Error {}

/** One run's log. */
export interface RunLog {
  runId: string;
  playbookId: string;
  contentHash: string;
  parent: { runId: string; childKey: string } | null;
  /** Each a `StoredEvent` as JSON. */
  events: string[];
  /** Of each event, what it asked of the host, as JSON: a replay must ask for the same. */
  effects: string[];
  records: TraceRecord[];
}

/** More than any sensible vector needs; a run that never comes to rest ends here. */
export const MAX_EVENTS = 20_000;

/** Which stored events the process dies after, counted from 1 over everything that is stored. */
export type CrashPlan = ReadonlySet<number> | "every" | null;

export class Durable {
  /** In order of creation. */
  readonly runs: RunLog[] = [];
  readonly triggerEvents: string[] = [];
  readonly hostRecords: HostRecord[] = [];
  /** How many events were stored so far, in all logs together. */
  stored = 0;

  constructor(
    private readonly crashes: CrashPlan,
    private readonly maxEvents: number,
  ) {}

  run(runId: string): RunLog | undefined {
    return this.runs.find((log) => log.runId === runId);
  }

  open(log: Omit<RunLog, "events" | "effects" | "records">): RunLog {
    const opened: RunLog = { ...log, events: [], effects: [], records: [] };
    this.runs.push(opened);
    return opened;
  }

  appendRun(log: RunLog, stored: StoredEvent, effects: Effect[], records: TraceRecord[]): void {
    log.events.push(JSON.stringify(stored));
    log.effects.push(JSON.stringify(effects));
    log.records.push(...records);
    this.count();
  }

  appendTrigger(atMs: number, event: TriggerEvent, records: HostRecord[]): void {
    this.triggerEvents.push(JSON.stringify({ atMs, event }));
    this.hostRecords.push(...records);
    this.count();
  }

  /** @throws HostCrash when the plan says that the process dies after the event that was stored last */
  crashPoint(): void {
    if (this.crashes === "every" || this.crashes?.has(this.stored)) {
      throw new HostCrash(`after event ${this.stored}`);
    }
  }

  private count(): void {
    this.stored += 1;
    if (this.stored > this.maxEvents) {
      throw new HostFault(`More than ${this.maxEvents} events were stored: the run does not come to rest.`);
    }
  }
}

/** A value as it comes back from storage. */
export const throughStorage = <Value extends RunEvent | TriggerEvent>(value: Value): Value =>
  JSON.parse(JSON.stringify(value));

export const readStored = (text: string): StoredEvent => JSON.parse(text);
