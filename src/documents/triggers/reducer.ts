/**
 * What starts runs, as a pure reducer: `applyTrigger(state, event, now)` plans starts, and `foldTriggers` rebuilds the
 * state from stored events. No clock, no I/O; ids of runs are derived from what started them.
 */

import { DEFAULTS } from "../spec";
import { formatInstant } from "../text/instant";
import { completionOf, receiveCompletion } from "./dependencies";
import { receiveFinding } from "./findings";
import { startManually } from "./manual";
import type {
  HostRecord,
  TriggerApplied,
  TriggerContext,
  TriggerEvent,
  TriggerReply,
  TriggerState,
} from "./model";
import { planStart, systemPrincipal } from "./plan";
import { findPlaybook, publish } from "./playbooks";
import { dueSlots, planSchedules, scheduleTriggerOf } from "./schedules";
import { contentHashOf, withInput } from "./starting";
import { receiveWebhook } from "./webhooks";

export const NO_TRIGGERS: TriggerState = {
  sequence: 0,
  documents: {},
  newest: [],
  schedules: {},
  runs: {},
  deliveries: {},
  chained: {},
  findings: {},
  findingTimes: {},
};

export function applyTrigger(
  before: TriggerState,
  event: TriggerEvent,
  nowMs: number,
  context: TriggerContext,
): TriggerApplied {
  const state = isOccasion(event) ? { ...before, sequence: before.sequence + 1 } : before;
  switch (event.type) {
    case "publish": {
      const published = publish(state, event.document);
      const { playbookId } = event.document.playbook;
      return { state: planSchedules(published, playbookId, nowMs), starts: [], records: [] };
    }
    case "webhook":
      return receiveWebhook(state, event, nowMs, context);
    case "manual":
      return startManually(state, event, context);
    case "agent_finding":
      return receiveFinding(state, event, nowMs, context);
    case "dependency":
      return receiveCompletion(state, event, nowMs, context);
    case "schedule.due":
      return lookAtSchedule(state, event.triggerKey, nowMs, context);
    case "start":
      return startDirectly(state, event, context);
    case "run.ended":
      return noteEnd(state, event, nowMs, context);
  }
}

/** Something that happened outside and may have no name of its own. */
const isOccasion = ({ type }: TriggerEvent): boolean =>
  type === "webhook" ||
  type === "manual" ||
  type === "agent_finding" ||
  type === "dependency" ||
  type === "start";

export function foldTriggers(
  events: readonly { atMs: number; event: TriggerEvent }[],
  context: TriggerContext,
): TriggerState {
  let state = NO_TRIGGERS;
  for (const { atMs, event } of events) state = applyTrigger(state, event, atMs, context).state;
  return state;
}

/** Instants as documents write them: no milliseconds where there are none. */
export const instantText = (atMs: number): string =>
  (formatInstant(atMs) ?? String(atMs)).replace(".000Z", "Z");

const nothing = (state: TriggerState, records: HostRecord[] = []): TriggerApplied => ({
  state,
  starts: [],
  records,
});

function lookAtSchedule(
  state: TriggerState,
  triggerKey: string,
  nowMs: number,
  context: TriggerContext,
): TriggerApplied {
  const schedule = state.schedules[triggerKey];
  const trigger = schedule ? scheduleTriggerOf(state, schedule) : null;
  if (!schedule || !trigger || (schedule.next?.dueMs ?? Number.POSITIVE_INFINITY) > nowMs)
    return nothing(state);
  const { runMs, skippedMs, next } = dueSlots(trigger, triggerKey, schedule.next, nowMs, context.graceMs);
  const records = skippedMs.map((slotMs) => skipped("missed", triggerKey, slotMs, nowMs));
  let moved: TriggerState = {
    ...state,
    schedules: { ...state.schedules, [triggerKey]: { ...schedule, next } },
  };
  if (runMs === null) return nothing(moved, records);

  const overlap = trigger.overlap ?? DEFAULTS.overlap;
  const isBusy = Object.values(state.runs).some((run) => run.triggerKey === triggerKey && !run.outcome);
  if (!isBusy || overlap === "allow") return runSlot(moved, triggerKey, runMs, nowMs, context, records);
  if (overlap === "buffer_one" && schedule.bufferedSlotMs === null) {
    moved = setBuffer(moved, triggerKey, runMs);
    const data = { triggerKey, scheduledAt: instantText(runMs) };
    return nothing(moved, [...records, { type: "schedule.buffered", atMs: nowMs, data }]);
  }
  return nothing(moved, [...records, skipped("overlap", triggerKey, runMs, nowMs)]);
}

const skipped = (why: string, triggerKey: string, slotMs: number, atMs: number): HostRecord => ({
  type: "schedule.skipped",
  atMs,
  data: { triggerKey, scheduledAt: instantText(slotMs), why },
});

function setBuffer(state: TriggerState, triggerKey: string, slotMs: number | null): TriggerState {
  const schedule = state.schedules[triggerKey];
  if (!schedule) return state;
  return {
    ...state,
    schedules: { ...state.schedules, [triggerKey]: { ...schedule, bufferedSlotMs: slotMs } },
  };
}

/** The run's id is made of trigger and slot, so that a slot runs at most once. */
function runSlot(
  state: TriggerState,
  triggerKey: string,
  slotMs: number,
  nowMs: number,
  context: TriggerContext,
  records: HostRecord[],
): TriggerApplied {
  const schedule = state.schedules[triggerKey];
  const known = schedule ? findPlaybook(state, schedule.playbookId) : null;
  const trigger = schedule ? scheduleTriggerOf(state, schedule) : null;
  if (!known || !trigger) return nothing(state, records);
  const plan = planStart(
    state,
    known,
    {
      identity: ["schedule", triggerKey, slotMs],
      trigger: { kind: "schedule" },
      payload: withInput(trigger.input, { scheduledAt: instantText(slotMs) }),
      by: systemPrincipal("schedule"),
      triggerKey,
    },
    context,
  );
  if (plan.ok) return { state: plan.state, starts: [plan.planned], records };
  const { playbookId } = known.document.playbook;
  const ignored = { type: "trigger.ignored", subject: plan.why, atMs: nowMs, data: { playbookId } };
  return nothing(state, [...records, ignored]);
}

function startDirectly(
  state: TriggerState,
  event: Extract<TriggerEvent, { type: "start" }>,
  context: TriggerContext,
): TriggerApplied {
  const { document, trigger, payload, config, by } = event;
  const contentHash = contentHashOf(document);
  const known = { document, contentHash };
  const plan = planStart(
    { ...state, documents: { ...state.documents, [contentHash]: document } },
    known,
    { identity: ["start", state.sequence], trigger, payload, config, by },
    context,
  );
  if (!plan.ok) {
    const status = plan.why === "secret_missing" ? 409 : 422;
    const reply: TriggerReply = { status, code: plan.why, runs: [], ignored: [], faults: plan.faults };
    return { state, starts: [], records: [], reply };
  }
  const reply: TriggerReply = { status: 201, runs: [plan.planned.start.runId], ignored: [] };
  return { state: plan.state, starts: [plan.planned], records: [], reply };
}

/** The end of a run frees its schedule's buffered slot and tells the playbooks that depend on it. */
function noteEnd(
  state: TriggerState,
  { runId, outcome }: Extract<TriggerEvent, { type: "run.ended" }>,
  nowMs: number,
  context: TriggerContext,
): TriggerApplied {
  const run = state.runs[runId];
  if (!run || run.outcome) return nothing(state);
  const ended = { ...run, outcome };
  const noted = { ...state, runs: { ...state.runs, [runId]: ended } };
  const completion = completionOf(noted, ended);
  const chained = completion ? receiveCompletion(noted, completion, nowMs, context) : nothing(noted);
  const bufferedMs = run.triggerKey === undefined ? null : noted.schedules[run.triggerKey]?.bufferedSlotMs;
  if (run.triggerKey === undefined || bufferedMs === null || bufferedMs === undefined) {
    return { state: chained.state, starts: chained.starts, records: chained.records };
  }
  const freed = setBuffer(chained.state, run.triggerKey, null);
  const slot = runSlot(freed, run.triggerKey, bufferedMs, nowMs, context, chained.records);
  return { ...slot, starts: [...chained.starts, ...slot.starts] };
}
