/**
 * Schedules (section c.9): when the next slot is due, and which slots run when one is looked at. A slot that was
 * missed is skipped; with catch-up `one` the newest of them runs once, never a burst.
 */
import { nextFiring } from "../../schedules/cron/next";
import { parseCron } from "../../schedules/cron/parse";
import { isTimeZone } from "../../schedules/cron/zone";
import type { ScheduleTrigger } from "../model";
import { DEFAULTS } from "../spec";
import { sha256Hex } from "../text/hash";
import type { ScheduleState, TriggerState } from "./model";
import { findPlaybook, isEnabled, isRunnable } from "./playbooks";

/** Slots that are gone through one by one; after a longer absence only the latest are looked for. */
const MAX_SLOTS = 1000;
const HOUR_MS = 3_600_000;
const LOOK_BACK_MS = [HOUR_MS, 24 * HOUR_MS, 31 * 24 * HOUR_MS, 366 * 24 * HOUR_MS];

/** When the slot is due: its instant, later by a part of the jitter that the slot's name decides. */
function dueMsOf(trigger: ScheduleTrigger, triggerKey: string, slotMs: number): number {
  const seconds = trigger.jitterSeconds ?? 0;
  if (seconds <= 0) return slotMs;
  const draw = Number.parseInt(sha256Hex(`jitter\0${triggerKey}\0${slotMs}`).slice(0, 12), 16);
  return slotMs + (draw % (seconds * 1000 + 1));
}

/** The first slot strictly after an instant; null when there never is one. */
export function nextSlot(
  trigger: ScheduleTrigger,
  triggerKey: string,
  afterMs: number,
): ScheduleState["next"] {
  const read = parseCron(trigger.cron);
  const zone = trigger.timezone ?? DEFAULTS.timezone;
  if (!read.ok || !isTimeZone(zone)) return null;
  const slotMs = nextFiring(read.cron, zone, afterMs);
  return slotMs === null ? null : { slotMs, dueMs: dueMsOf(trigger, triggerKey, slotMs) };
}

/** The schedules of a playbook's newest version, counted from now; those of the version before are dropped. */
export function planSchedules(state: TriggerState, playbookId: string, nowMs: number): TriggerState {
  const schedules = Object.fromEntries(
    Object.entries(state.schedules).filter(([, schedule]) => schedule.playbookId !== playbookId),
  );
  const known = findPlaybook(state, playbookId);
  if (known && isRunnable(known.document)) {
    for (const [triggerIndex, trigger] of known.document.playbook.triggers.entries()) {
      if (trigger.kind !== "schedule" || !isEnabled(trigger)) continue;
      const key = `${playbookId}#${trigger.id ?? triggerIndex}`;
      const bufferedSlotMs = state.schedules[key]?.bufferedSlotMs ?? null;
      schedules[key] = { playbookId, triggerIndex, next: nextSlot(trigger, key, nowMs), bufferedSlotMs };
    }
  }
  return { ...state, schedules };
}

/** The trigger that a schedule stands for; null when its playbook is gone or changed. */
export function scheduleTriggerOf(state: TriggerState, schedule: ScheduleState): ScheduleTrigger | null {
  const known = findPlaybook(state, schedule.playbookId);
  const trigger = known?.document.playbook.triggers[schedule.triggerIndex];
  return trigger?.kind === "schedule" ? trigger : null;
}

export interface DueSlots {
  /** The slot that runs now, if any. */
  runMs: number | null;
  /** Slots that are passed over, oldest first. */
  skippedMs: number[];
  next: ScheduleState["next"];
}

/** What to do about the slots up to now. At most one runs: the one on time, or the newest missed one. */
export function dueSlots(
  trigger: ScheduleTrigger,
  triggerKey: string,
  first: ScheduleState["next"],
  nowMs: number,
  graceMs: number,
): DueSlots {
  const { slots, next } = slotsUpTo(trigger, triggerKey, first, nowMs);
  const skippedMs = slots.map(({ slotMs }) => slotMs);
  const latest = slots.at(-1);
  if (!latest) return { runMs: null, skippedMs, next };
  const isOnTime = nowMs - latest.dueMs <= graceMs;
  const runMs = isOnTime || (trigger.catchUp ?? DEFAULTS.catchUp) === "one" ? latest.slotMs : null;
  return { runMs, skippedMs: runMs === null ? skippedMs : skippedMs.slice(0, -1), next };
}

type Slot = NonNullable<ScheduleState["next"]>;

/** The slots that are due by now, oldest first, and the one after them. */
function slotsUpTo(
  trigger: ScheduleTrigger,
  triggerKey: string,
  first: ScheduleState["next"],
  nowMs: number,
): { slots: Slot[]; next: ScheduleState["next"] } {
  const walk = (from: ScheduleState["next"]): { slots: Slot[]; next: ScheduleState["next"] } => {
    const slots: Slot[] = [];
    let next = from;
    while (next && next.dueMs <= nowMs && slots.length <= MAX_SLOTS) {
      slots.push(next);
      next = nextSlot(trigger, triggerKey, next.slotMs);
    }
    return { slots, next };
  };
  let walked = walk(first);
  if (walked.slots.length <= MAX_SLOTS) return walked;
  const jitterMs = (trigger.jitterSeconds ?? 0) * 1000;
  for (const lookBackMs of LOOK_BACK_MS) {
    walked = walk(nextSlot(trigger, triggerKey, nowMs - lookBackMs - jitterMs));
    if (walked.slots.length > 0) break;
  }
  return walked;
}
