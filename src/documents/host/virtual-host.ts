/**
 * One life of the host's process on the virtual clock. It stores every event before it performs what follows, and
 * what it holds in memory can be rebuilt from what was stored: `recover` does so after a crash.
 */
import type { PlaybookDocument } from "../model";
import type {
  Effect,
  PublicOutcome,
  Reducer,
  Reply,
  RunEvent,
  RunStart,
  RunView,
  StoredEvent,
} from "../run/model";
import type {
  PlannedStart,
  TriggerContext,
  TriggerEvent,
  TriggerReply,
  TriggerState,
} from "../triggers/model";
import { applyTrigger, foldTriggers, NO_TRIGGERS } from "../triggers/reducer";
import { Agenda } from "./agenda";
import { planChild } from "./child-runs";
import type { Clock } from "./clock";
import { type Due, firstDue, RANK } from "./due";
import { type Durable, HostFault, type RunLog, readStored, throughStorage } from "./durable";
import { type EffectHost, performEffect } from "./effects";
import type { Compile } from "./reducer";
import type { ScriptedWorld } from "./scripted-world";

interface LiveRun {
  runId: string;
  /** Order of creation. */
  index: number;
  log: RunLog;
  start: RunStart;
  document: PlaybookDocument;
  reducer: Reducer<unknown>;
  state: unknown;
}

export interface HostParts {
  durable: Durable;
  world: ScriptedWorld;
  clock: Clock;
  compile: Compile;
  context: TriggerContext;
  /** Also check that the reducer is pure and its state JSON, and keep nothing of it but the JSON; costs time. */
  strict: boolean;
}

const sameJson = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

export class VirtualHost implements EffectHost {
  readonly agenda = new Agenda();
  readonly world: ScriptedWorld;
  readonly clock: Clock;
  triggers: TriggerState = NO_TRIGGERS;
  private readonly runs = new Map<string, LiveRun>();
  /** Created and perhaps not started, in order of creation. */
  private readonly queued = new Set<LiveRun>();

  constructor(private readonly parts: HostParts) {
    this.world = parts.world;
    this.clock = parts.clock;
  }

  // ── what comes in ──

  /** Something that may start runs. `onReply` is called before anything can go wrong. */
  trigger(event: TriggerEvent, onReply?: (reply: TriggerReply) => void): void {
    const { durable, clock, context } = this.parts;
    const stored = throughStorage(event);
    const applied = applyTrigger(this.triggers, stored, clock.nowMs, context);
    this.triggers = applied.state;
    durable.appendTrigger(clock.nowMs, stored, applied.records);
    if (applied.reply) onReply?.(applied.reply);
    durable.crashPoint();
    for (const planned of applied.starts) this.create(planned);
  }

  /** An event of a run. One that changes nothing and leaves no record is not stored. */
  send(runId: string, event: RunEvent, onReply?: (reply: Reply) => void): void {
    const { durable, clock, strict } = this.parts;
    const run = this.live(runId);
    const stored: StoredEvent = { atMs: clock.nowMs, event: throughStorage(event) };
    const before = strict ? JSON.stringify(run.state) : "";
    const applied = run.reducer.apply(run.state, stored.event, stored.atMs);
    if (strict && JSON.stringify(run.state) !== before) {
      throw new HostFault(`The reducer changed the state that it was given with ${event.type}.`);
    }
    if (applied.reply) onReply?.(applied.reply);
    const isIdle = applied.records.length === 0 && sameJson(run.state, applied.state);
    run.state = strict ? JSON.parse(JSON.stringify(applied.state)) : applied.state;
    if (!isIdle) {
      durable.appendRun(run.log, stored, applied.effects, applied.records);
      durable.crashPoint();
    }
    this.perform(run, applied.effects);
  }

  view(runId: string): RunView {
    const run = this.live(runId);
    return run.reducer.view(run.state, this.parts.clock.nowMs);
  }

  documentOf(runId: string): PlaybookDocument {
    return this.live(runId).document;
  }

  // ── what is due ──

  /** The next thing due by an instant. While `holding`, what is due at that very instant waits. */
  nextDue(untilMs: number, holding: boolean): Due | null {
    const isDue = (item: Due): boolean =>
      item.dueAtMs < untilMs || (item.dueAtMs === untilMs && (!holding || item.immediate));
    return firstDue([...this.agenda.items(), ...this.answers(), ...this.slots()].filter(isDue));
  }

  private *answers(): Generator<Due> {
    for (const call of this.world.pending()) {
      const run = this.live(call.runId);
      const { dueAtMs, order, seq, immediate } = call;
      const deliver = (): void => {
        const countBefore = run.log.records.length;
        call.delivered = true;
        this.send(call.runId, call.answer);
        const isWanted = run.log.records.slice(countBefore).some(({ type }) => !type.startsWith("late_"));
        if (isWanted && !call.asked) {
          throw new HostFault(
            `After the crash the run still waited for ${call.name}, but did not ask again.`,
          );
        }
      };
      yield { dueAtMs, rank: RANK.answer, runIndex: run.index, order, seq, immediate, deliver };
    }
  }

  private *slots(): Generator<Due> {
    for (const [index, [triggerKey, { next }]] of Object.entries(this.triggers.schedules).entries()) {
      if (!next) continue;
      const deliver = (): void => this.trigger({ type: "schedule.due", triggerKey });
      const place = { runIndex: 0, order: [index, 0] as [number, number], seq: 0 };
      yield { dueAtMs: next.dueMs, rank: RANK.schedule, ...place, immediate: false, deliver };
    }
  }

  // ── runs ──

  private live(runId: string): LiveRun {
    const run = this.runs.get(runId);
    if (!run) throw new HostFault(`There is no run ${runId}.`);
    return run;
  }

  private take(log: RunLog, start: RunStart, events: readonly StoredEvent[]): LiveRun {
    const document = this.triggers.documents[log.contentHash];
    if (!document) throw new HostFault(`The version ${log.contentHash} is not known.`);
    const reducer = this.parts.compile(document, log.contentHash);
    const state = events.length === 0 ? reducer.initial : reducer.fold(events);
    const index = this.parts.durable.runs.indexOf(log);
    const run: LiveRun = { runId: log.runId, index, log, start, document, reducer, state };
    this.runs.set(log.runId, run);
    if (events.length <= 1) this.queued.add(run);
    return run;
  }

  /** Creates a run that was planned, and starts it when there is room; a second time changes nothing. */
  private create({ start }: PlannedStart): void {
    const { runId, playbookId, contentHash } = start;
    if (!this.runs.has(runId)) {
      const log = this.parts.durable.open({ runId, playbookId, contentHash, parent: start.parent ?? null });
      this.take(log, start, []);
      this.send(runId, { type: "run.create", start });
    }
    this.startQueued();
  }

  /**
   * Starts created runs in order of creation. With `maxConcurrentRuns` a run waits until one of its playbook's
   * stands still: parked and paused runs hold no place, and a run of a map's item is its parent's affair.
   */
  startQueued(): void {
    for (const run of this.queued) {
      const most = run.log.parent ? undefined : run.document.playbook.guardrails.maxConcurrentRuns;
      if (this.view(run.runId).status !== "queued") this.queued.delete(run);
      else if (most === undefined || this.countRunning(run.log.playbookId) < most) {
        this.queued.delete(run);
        this.send(run.runId, { type: "run.start" });
      }
    }
  }

  private countRunning(playbookId: string): number {
    const runs = [...this.runs.values()].filter(({ log }) => log.playbookId === playbookId);
    return runs.filter(({ runId }) => this.view(runId).status === "running").length;
  }

  private childOf(parentRunId: string, childKey: string): LiveRun | undefined {
    return [...this.runs.values()].find(
      ({ log }) => log.parent?.runId === parentRunId && log.parent.childKey === childKey,
    );
  }

  activeChildOf(parentRunId: string, childKey: string): string | undefined {
    const child = this.childOf(parentRunId, childKey);
    return child && !this.view(child.runId).outcome ? child.runId : undefined;
  }

  startChild(parentRunId: string, effect: Extract<Effect, { type: "startChildRun" }>): void {
    if (this.childOf(parentRunId, effect.childKey)) {
      this.startQueued();
      return;
    }
    const parent = this.live(parentRunId);
    const child = planChild(this.triggers, parent.start, effect, this.parts.context);
    if (child.ok) this.create(child.planned);
    else {
      const { childKey } = effect;
      const { reasonCode } = child;
      this.send(parentRunId, { type: "child.ended", childKey, status: "failed", reasonCode, output: null });
    }
  }

  noteEnd(runId: string, outcome: PublicOutcome): void {
    if (!this.isEndKnown(this.live(runId))) this.trigger({ type: "run.ended", runId, outcome });
  }

  private perform(run: LiveRun, effects: readonly Effect[]): void {
    for (const effect of effects) performEffect(this, run, effect);
  }

  // ── after a crash ──

  /**
   * Rebuilds the memory from what was stored, and does again what may not have been done.
   * @param before the process that died, to hold the rebuilt states against
   */
  recover(before: VirtualHost): void {
    const { durable, context, world } = this.parts;
    world.hostRestarted();
    this.triggers = foldTriggers(
      durable.triggerEvents.map((text) => JSON.parse(text)),
      context,
    );
    for (const log of durable.runs) this.rebuild(log, before);
    this.startQueued();
    for (const known of Object.values(this.triggers.runs)) this.create(known);
    for (const run of [...this.runs.values()]) {
      const again = run.reducer.outstanding(run.state).filter(({ type }) => type !== "runEnded");
      this.perform(run, again);
      const { outcome } = this.view(run.runId);
      if (outcome && !this.isEndKnown(run)) this.perform(run, [{ type: "runEnded", outcome }]);
    }
  }

  private rebuild(log: RunLog, before: VirtualHost): void {
    const events = log.events.map(readStored);
    const first = events[0]?.event;
    if (first?.type !== "run.create")
      throw new HostFault(`The log of ${log.runId} does not begin with the run.`);
    const run = this.take(log, first.start, events);
    if (!sameJson(run.state, before.runs.get(log.runId)?.state)) {
      throw new HostFault(`The first ${events.length} events of ${log.runId} do not rebuild its state.`);
    }
  }

  /** Whether whoever must hear of the run's end has heard. */
  private isEndKnown({ log }: LiveRun): boolean {
    const { parent, runId } = log;
    if (!parent) return this.triggers.runs[runId]?.outcome !== null;
    return this.live(parent.runId).log.events.some((text) => {
      const { event } = readStored(text);
      return event.type === "child.ended" && event.childKey === parent.childKey;
    });
  }
}
