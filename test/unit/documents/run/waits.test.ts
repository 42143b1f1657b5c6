import { describe, expect, it } from "vitest";
import {
  asItem,
  DAY_MS,
  Driver,
  documentOf,
  done,
  HOUR_MS,
  mapStep,
  payload,
  STARTED_AT_MS,
  waitStep,
} from "./driver";

const waiting = (more: Parameters<typeof waitStep>[1], settings = {}): Driver =>
  new Driver(documentOf([waitStep("wait", more), done]), settings).start();
const lookedAt = (driver: Driver): number | undefined =>
  driver.reducer.view(driver.state, driver.nowMs).conditionEvaluations.wait;

describe("a wait for a time", () => {
  it("parks, and leaves exactly when its duration is over", () => {
    const driver = waiting({ duration: "90m" });
    expect(driver.state.status).toBe("waiting");
    driver.advance(90 * 60_000 - 1);
    expect(driver.trace.at(-1)).toBe("wait.parked:wait");
    driver.advance(1);
    expect(driver.trace.slice(-5)).toEqual([
      "wait.elapsed:wait",
      "step.succeeded:wait",
      "edge.taken:wait>done",
      "step.entered:done",
      "run.completed",
    ]);
  });

  it("of 300 days is one timer", () => {
    const driver = waiting({ duration: "300d" });
    expect(driver.all("armTimer")).toMatchObject([
      { key: "wait:wait", dueAtMs: STARTED_AT_MS + 300 * DAY_MS },
    ]);
    driver.advance(300 * DAY_MS);
    expect(driver.outcome?.status).toBe("completed");
  });

  it("until an instant that has passed parks and leaves at once, both on record", () => {
    const driver = waiting({ until: "2020-01-01T00:00:00Z" });
    expect(driver.trace).toEqual(expect.arrayContaining(["wait.parked:wait", "wait.elapsed:wait"]));
    expect(driver.outcome?.status).toBe("completed");
    expect(driver.all("armTimer")).toEqual([]);
  });

  it("until an instant that an expression yields", () => {
    const driver = waiting({ until: "trigger.when" }, payload({ when: "2026-01-02T00:00:00Z" }));
    driver.advance(DAY_MS - 1);
    expect(driver.state.status).toBe("waiting");
    driver.advance(1);
    expect(driver.outcome?.status).toBe("completed");
  });

  it("until something that is no instant is an expression error", () => {
    for (const when of ["tomorrow", 5, null])
      expect(waiting({ until: "trigger.when" }, payload({ when })).outcome).toMatchObject({
        status: "failed",
        reasonCode: "expression_error",
      });
  });
});

describe("a wait for a condition", () => {
  const condition = { condition: "has(signals.go) && signals.go > 2", timeout: "6h" };

  it("that holds on entry is met without parking", () => {
    const driver = waiting({ condition: "trigger.ok", timeout: "6h" }, payload({ ok: true }));
    expect(driver.trace).toContain("wait.condition_met:wait");
    expect(driver.trace).not.toContain("wait.parked:wait");
    expect(driver.outcome?.status).toBe("completed");
  });

  it("is looked at on entry and once for each signal, whatever its name, and never as time passes", () => {
    const driver = waiting(condition);
    driver.advance(HOUR_MS);
    expect(lookedAt(driver)).toBe(1);
    driver.send({ type: "signal", name: "other" });
    driver.send({ type: "signal", name: "go", payload: 1 });
    expect(lookedAt(driver)).toBe(3);
    expect(driver.state.status).toBe("waiting");
    driver.send({ type: "signal", name: "go", payload: 3 });
    expect(lookedAt(driver)).toBe(4);
    expect(driver.trace).toContain("wait.condition_met:wait");
    expect(driver.outcome?.status).toBe("completed");
  });

  it("that never holds fails, cancels or goes on at its timeout, and fails unless it says otherwise", () => {
    for (const [onTimeout, expected] of [
      [undefined, { status: "failed", reasonCode: "wait_timeout" }],
      ["fail", { status: "failed", reasonCode: "wait_timeout" }],
      ["cancel", { status: "cancelled", reasonCode: "wait_timeout" }],
      ["continue", { status: "completed", reasonCode: "terminator" }],
    ] as const) {
      const driver = waiting({ ...condition, ...(onTimeout ? { onTimeout } : {}) }).advance(6 * HOUR_MS - 1);
      expect(driver.outcome).toBeNull();
      expect(driver.advance(1).outcome).toMatchObject(expected);
    }
  });

  it("that comes true at the deadline has not come true in time", () => {
    const driver = waiting(condition).sleep(6 * HOUR_MS);
    driver.send({ type: "signal", name: "go", payload: 9 });
    expect(lookedAt(driver)).toBe(1);
    expect(driver.advance(0).outcome).toMatchObject({ reasonCode: "wait_timeout" });
  });

  it("that cannot be evaluated fails the run, on entry and later", () => {
    expect(waiting({ condition: "trigger.nope", timeout: "6h" }).outcome).toMatchObject({
      reasonCode: "expression_error",
    });
    const later = waiting(condition);
    later.send({ type: "signal", name: "go", payload: "many" });
    expect(later.outcome).toMatchObject({ status: "failed", reasonCode: "expression_error" });
  });

  it("that comes true while the run is paused is left when it is resumed, though its time is over", () => {
    const driver = waiting({ ...condition, onTimeout: "fail" });
    driver.send({ type: "pause" });
    driver.send({ type: "signal", name: "go", payload: 3 });
    driver.send({ type: "signal", name: "go", payload: 0 });
    expect(lookedAt(driver)).toBe(2);
    driver.advance(7 * HOUR_MS);
    expect(driver.state.status).toBe("paused");
    driver.send({ type: "resume" });
    expect(driver.outcome?.status).toBe("completed");
  });

  it("sees signals that came before it was entered, under any name", () => {
    const steps = [
      waitStep("first", { duration: "1h", next: "wait" }),
      waitStep("wait", { condition: 'has(signals.go) && "__proto__" in signals', timeout: "6h" }),
      done,
    ];
    const driver = new Driver(documentOf(steps)).start();
    driver.send({ type: "signal", name: "__proto__", payload: { polluted: true } });
    driver.send({ type: "signal", name: "go" });
    expect(Object.keys(driver.state.signals)).toEqual(["__proto__", "go"]);
    expect(Object.getPrototypeOf(driver.state.signals)).toBe(Object.prototype);
    expect(driver.advance(HOUR_MS).outcome?.status).toBe("completed");
  });
});

describe("waits in a map", () => {
  const map = (more: Parameters<typeof waitStep>[1], rest = {}) =>
    documentOf([
      mapStep("each", { itemStep: asItem(waitStep("wait", more)), concurrency: 2, ...rest }),
      done,
    ]);

  it("are parked each for itself and hold their places", () => {
    const driver = new Driver(map({ duration: "1h" }), payload({ items: [1, 2, 3] })).start();
    expect(Object.keys(driver.state.timers)).toEqual(["wait:wait[0]", "wait:wait[1]"]);
    expect(driver.state.status).toBe("waiting");
    driver.advance(HOUR_MS);
    expect(Object.keys(driver.state.timers)).toEqual(["wait:wait[2]"]);
    driver.advance(HOUR_MS);
    expect(driver.state.cells.each?.output).toEqual([null, null, null]);
    expect(driver.outcome?.status).toBe("completed");
  });

  it("that time out fail their elements, and a map that tolerates it goes on", () => {
    const wait = { condition: "has(signals.go)", timeout: "1h", onTimeout: "cancel" as const };
    const strict = new Driver(map(wait), payload({ items: [1] })).start().advance(HOUR_MS);
    expect(strict.outcome).toMatchObject({ status: "cancelled", reasonCode: "wait_timeout" });
    const tolerant = new Driver(map(wait, { maxFailures: 1 }), payload({ items: [1] })).start();
    expect(tolerant.advance(HOUR_MS).outcome?.status).toBe("completed");
    expect(tolerant.state.cells.each?.errors).toMatchObject([{ index: 0, error: { code: "wait_timeout" } }]);
  });

  it("that time out during a pause end the run at once when they are the last", () => {
    const wait = { condition: "has(signals.go)", timeout: "1h" };
    const driver = new Driver(map(wait), payload({ items: [1] })).start();
    driver.send({ type: "pause" });
    expect(driver.advance(HOUR_MS).outcome).toMatchObject({ status: "failed", reasonCode: "wait_timeout" });
  });
});
