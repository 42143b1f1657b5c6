/** Schedules: each slot at most once, overlap, catch-up, jitter, and changes of the clocks. */
import { describe, expect, it } from "vitest";
import type { ScheduleTrigger } from "../../../../src/documents/model";
import { instantText } from "../../../../src/documents/triggers/reducer";
import { idOf, playbook, Triggers } from "./support/triggers";

const MINUTE_MS = 60_000;
const QUARTERS: ScheduleTrigger = { kind: "schedule", cron: "*/15 * * * *" };
const started = (triggers: Triggers) => triggers.starts.map(({ start }) => start.payload);

/** Lets the host look at every slot when it is due, up to an instant; runs end at once. */
function runUntil(triggers: Triggers, untilMs: number, endsRuns = true): void {
  for (;;) {
    const due = Object.values(triggers.state.schedules).map(
      ({ next }) => next?.dueMs ?? Number.POSITIVE_INFINITY,
    );
    const nextMs = Math.min(...due);
    if (nextMs > untilMs) return;
    const countBefore = triggers.starts.length;
    triggers.at(nextMs);
    if (endsRuns) for (const { start } of triggers.starts.slice(countBefore)) triggers.end(start.runId);
  }
}

describe("a schedule", () => {
  it("fires strictly after it was published, and tells its run the slot", () => {
    const triggers = new Triggers().publish(playbook("A", [{ ...QUARTERS, input: { why: "clock" } }]));
    runUntil(triggers, triggers.nowMs + 31 * MINUTE_MS);
    expect(started(triggers)).toEqual([
      { why: "clock", scheduledAt: "2026-01-01T00:15:00Z" },
      { why: "clock", scheduledAt: "2026-01-01T00:30:00Z" },
    ]);
    expect(triggers.starts[0]?.start.trigger).toEqual({ kind: "schedule" });
  });

  it("fires a slot once, however often it is looked at", () => {
    const triggers = new Triggers().publish(playbook("A", [QUARTERS]));
    for (let count = 0; count < 3; count++) triggers.at(Date.UTC(2026, 0, 1, 0, 15));
    expect(triggers.starts).toHaveLength(1);
    triggers.at(Date.UTC(2026, 0, 1, 0, 29));
    expect(triggers.starts).toHaveLength(1);
  });

  it("does not fire for a draft, a disabled trigger, or a version that was replaced", () => {
    const triggers = new Triggers().publish(
      playbook("A", [QUARTERS], { status: "draft" }),
      playbook("B", [{ ...QUARTERS, enabled: false }]),
      playbook("C", [QUARTERS]),
      playbook("C", [{ kind: "manual" }], { version: "2.0.0" }),
    );
    runUntil(triggers, triggers.nowMs + 60 * MINUTE_MS);
    expect(triggers.starts).toEqual([]);
  });

  const missed = (trigger: Partial<ScheduleTrigger>, minutes: number) => {
    const triggers = new Triggers().publish(playbook("A", [{ ...QUARTERS, ...trigger }]));
    triggers.at(triggers.nowMs + minutes * MINUTE_MS);
    return triggers;
  };

  it("skips the slots that it missed", () => {
    const triggers = missed({}, 80);
    expect(started(triggers)).toEqual([]);
    expect(triggers.records).toEqual(Array.from({ length: 5 }, () => "schedule.skipped"));
  });

  it("catches up with the newest missed slot alone when it should, never with a burst", () => {
    const triggers = missed({ catchUp: "one" }, 80);
    expect(started(triggers)).toEqual([{ scheduledAt: "2026-01-01T01:15:00Z" }]);
    expect(triggers.records).toEqual(Array.from({ length: 4 }, () => "schedule.skipped"));
    triggers.end(triggers.starts[0]?.start.runId ?? "");
    runUntil(triggers, Date.UTC(2026, 0, 1, 1, 30));
    expect(triggers.starts).toHaveLength(2);
  });

  it("fires the slot on time when it wakes at that very instant, and catches up with no other", () => {
    expect(started(missed({}, 75))).toEqual([{ scheduledAt: "2026-01-01T01:15:00Z" }]);
    expect(started(missed({ catchUp: "one" }, 75))).toEqual([{ scheduledAt: "2026-01-01T01:15:00Z" }]);
  });

  it("comes to an end with years of missed minutes", () => {
    const triggers = new Triggers().publish(
      playbook("A", [{ kind: "schedule", cron: "* * * * *", catchUp: "one" }]),
    );
    triggers.at(Date.UTC(2029, 0, 1, 0, 0, 30));
    expect(started(triggers)).toEqual([{ scheduledAt: "2029-01-01T00:00:00Z" }]);
    expect(triggers.records).toHaveLength(59);
    expect(Object.values(triggers.state.schedules)[0]?.next?.slotMs).toBe(Date.UTC(2029, 0, 1, 0, 1));
  });

  it("skips, buffers or starts a slot while the run before it goes on, as its overlap says", () => {
    const overlapping = (overlap?: ScheduleTrigger["overlap"]) => {
      const triggers = new Triggers().publish(
        playbook("A", [{ ...QUARTERS, ...(overlap ? { overlap } : {}) }]),
      );
      runUntil(triggers, triggers.nowMs + 60 * MINUTE_MS, false);
      return triggers;
    };
    expect(overlapping().starts).toHaveLength(1);
    expect(overlapping().records).toEqual(["schedule.skipped", "schedule.skipped", "schedule.skipped"]);
    expect(overlapping("allow").starts).toHaveLength(4);
    const buffering = overlapping("buffer_one");
    expect(buffering.records).toEqual(["schedule.buffered", "schedule.skipped", "schedule.skipped"]);
    buffering.end(buffering.starts[0]?.start.runId ?? "");
    expect(started(buffering)).toEqual([
      { scheduledAt: "2026-01-01T00:15:00Z" },
      { scheduledAt: "2026-01-01T00:30:00Z" },
    ]);
    buffering.end(buffering.starts[1]?.start.runId ?? "");
    expect(buffering.starts).toHaveLength(2);
  });

  it("does not wait for a run that something else started", () => {
    const triggers = new Triggers().publish(playbook("A", [QUARTERS, { kind: "manual" }]));
    triggers.reply({ type: "manual", payload: {}, by: { id: "ada", roles: [] } });
    triggers.at(Date.UTC(2026, 0, 1, 0, 15));
    expect(triggers.starts).toHaveLength(2);
  });

  it("spreads its slots by a jitter that the slot decides, within its bounds", () => {
    const jittered = () => {
      const triggers = new Triggers().publish(playbook("A", [{ ...QUARTERS, jitterSeconds: 60 }]));
      const dueMs: number[] = [];
      for (let count = 0; count < 20; count++) {
        const { next } = triggers.state.schedules[`${idOf("A")}#0`] ?? { next: null };
        if (!next) throw new Error("There is no next slot.");
        dueMs.push(next.dueMs - next.slotMs);
        triggers.at(next.dueMs);
      }
      return dueMs;
    };
    const waitsMs = jittered();
    expect(jittered()).toEqual(waitsMs);
    expect(Math.min(...waitsMs)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...waitsMs)).toBeLessThanOrEqual(60_000);
    expect(new Set(waitsMs).size).toBeGreaterThan(10);
  });

  const slots = (cron: string, timezone: string, from: string, to: string): string[] => {
    const triggers = new Triggers();
    triggers.nowMs = Date.parse(from);
    triggers.publish(playbook("A", [{ kind: "schedule", cron, timezone }]));
    const fired: string[] = [];
    for (;;) {
      const { next } = triggers.state.schedules[`${idOf("A")}#0`] ?? { next: null };
      if (!next || next.slotMs > Date.parse(to)) return fired;
      fired.push(instantText(next.slotMs));
      triggers.at(next.dueMs);
    }
  };

  it("fires a fixed local time once a day, through both changes of the clocks (R64)", () => {
    expect(slots("30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", "2026-03-09T12:00:00Z")).toEqual([
      "2026-03-08T07:00:00Z",
      "2026-03-09T06:30:00Z",
    ]);
    expect(slots("30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", "2026-11-02T12:00:00Z")).toEqual([
      "2026-11-01T05:30:00Z",
      "2026-11-02T06:30:00Z",
    ]);
  });

  it("misses no quarter of an hour where the clocks change by half of one (R65)", () => {
    const quarters = slots(
      "*/15 * * * *",
      "Australia/Lord_Howe",
      "2026-04-04T12:00:00Z",
      "2026-04-04T18:00:00Z",
    );
    expect(quarters).toHaveLength(24);
    const daily = slots("15 2 * * *", "Australia/Lord_Howe", "2026-10-02T00:00:00Z", "2026-10-05T23:00:00Z");
    expect(daily).toHaveLength(4);
  });

  it("never fires by a pattern or a zone that it cannot read", () => {
    expect(slots("not cron", "UTC", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")).toEqual([]);
    expect(slots("* * * * *", "Mars/Base", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")).toEqual([]);
  });
});
