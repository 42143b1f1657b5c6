import { describe, expect, it } from "vitest";
import type { MapStep } from "../../../../src/documents/model";
import type { RunEvent } from "../../../../src/documents/run/model";
import { agentStep, DAY_MS, Driver, documentOf, done, mapStep, type Settings, START } from "./driver";

const CENT = 1_000_000;
const CHILD = "plb_829B94127Y0TRRXKVC2FQ9RR25";
const parent = (items: unknown[], more: Partial<MapStep> = {}, start: Settings["start"] = {}): Driver =>
  new Driver(documentOf([mapStep("each", { itemPlaybook: CHILD, concurrency: 2, ...more }), done]), {
    start: { ...start, payload: { items: items as never } },
  }).start();
const ended = (
  childKey: string,
  more: Partial<Extract<RunEvent, { type: "child.ended" }>> = {},
): RunEvent => ({
  type: "child.ended",
  childKey,
  status: "completed",
  reasonCode: "terminator",
  output: null,
  ...more,
});

describe("a sub-playbook", () => {
  it("is started with its element and one deeper, and its output is the element's", () => {
    const driver = parent([{ a: 1 }, { a: 2 }, { a: 3 }]);
    expect(driver.all("startChildRun")).toEqual([
      { type: "startChildRun", childKey: "each[0]", playbook: CHILD, input: { a: 1 }, depth: 1 },
      { type: "startChildRun", childKey: "each[1]", playbook: CHILD, input: { a: 2 }, depth: 1 },
    ]);
    driver.send(ended("each[1]", { output: "two" }));
    driver.send(ended("each[1]", { output: "again" }));
    driver.send(ended("each[0]", { output: "one" }));
    driver.send(ended("each[2]", { output: "three" }));
    expect(driver.state.cells.each?.output).toEqual(["one", "two", "three"]);
    expect(driver.outcome?.status).toBe("completed");
  });

  it("that fails fails its element", () => {
    const driver = parent([1]);
    driver.send(ended("each[0]", { status: "failed", reasonCode: "guardrail_run_duration" }));
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "step_failed" });
    expect(driver.state.cells.each?.error?.code).toBe("guardrail_run_duration");
  });

  it("may not be nested deeper than three", () => {
    expect(parent([1], {}, { depth: 2 }).last("startChildRun").depth).toBe(3);
    const driver = parent([1], {}, { depth: 3 });
    expect(driver.all("startChildRun")).toEqual([]);
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "step_failed" });
  });

  it("is cancelled with its parent, and again after a crash until it has ended", () => {
    const driver = parent([1, 2]);
    driver.send({ type: "cancel" });
    const cancels = [
      { type: "cancelChildRun", childKey: "each[0]" },
      { type: "cancelChildRun", childKey: "each[1]" },
    ];
    expect(driver.all("cancelChildRun")).toEqual(cancels);
    driver.send(ended("each[0]", { status: "cancelled", reasonCode: "parent_cancelled" }));
    expect(driver.reducer.outstanding(driver.state)).toEqual([
      cancels[1],
      { type: "runEnded", outcome: driver.outcome },
    ]);
  });

  it("that is tried again is another run", () => {
    const driver = parent([1], { failureMode: "escalate" });
    driver.send(ended("each[0]", { status: "failed" }));
    driver.decide("gate:each", "retry");
    expect(driver.last("startChildRun").childKey).toBe("each[0]#2");
    driver.send(ended("each[0]#2", { output: "ok" }));
    expect(driver.state.cells.each?.output).toEqual(["ok"]);
  });

  it("that is parked parks its parent: its own meter counts", () => {
    const driver = parent([1, 2]);
    driver.sleep(1000);
    driver.send({ type: "child.status", childKey: "each[0]", status: "awaiting_approval" });
    expect(driver.state.status).toBe("running");
    driver.send({ type: "child.status", childKey: "each[1]", status: "waiting" });
    expect(driver.state.status).toBe("awaiting_approval");
    driver.advance(7 * DAY_MS);
    driver.send({ type: "child.status", childKey: "each[1]", status: "running" });
    expect(driver.state.status).toBe("running");
    expect(driver.reducer.view(driver.state, driver.nowMs).activeMs).toBe(1000);
    driver.advance(300_000);
    expect(driver.outcome).toMatchObject({ reasonCode: "guardrail_run_duration" });
    expect(driver.all("cancelChildRun")).toHaveLength(2);
  });
});

describe("the parent's pot", () => {
  const quoted = (childKey: string, callId: string, cents: number): RunEvent => ({
    type: "child.quoted",
    childKey,
    callId,
    estimateMicroCents: cents * CENT,
  });
  const spent = (childKey: string, callId: string, cents: number): RunEvent => ({
    type: "child.spent",
    childKey,
    callId,
    costMicroCents: cents * CENT,
  });

  it("grants what it has room for and books what was spent, once", () => {
    const driver = parent([1, 2]);
    driver.send(quoted("each[0]", "c1", 4));
    expect(driver.all("grantChild")).toEqual([{ type: "grantChild", childKey: "each[0]", callId: "c1" }]);
    expect(driver.reducer.outstanding(driver.state)).toContainEqual(driver.last("grantChild"));
    driver.send(spent("each[0]", "c1", 3));
    driver.send(spent("each[0]", "c1", 3));
    driver.send(quoted("each[0]", "c1", 4));
    expect(driver.state.spent.microCents).toBe(3 * CENT);
    expect(driver.state.reserved).toEqual({});
    expect(driver.trace.filter((line) => line === "llm.usage:each[0]")).toHaveLength(1);
  });

  it("that is too small ends the parent and so its children", () => {
    const driver = parent([1, 2]);
    driver.send(quoted("each[0]", "c1", 6));
    driver.send(quoted("each[1]", "c2", 6));
    expect(driver.all("grantChild")).toHaveLength(1);
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "guardrail_llm_cost" });
    expect(driver.all("cancelChildRun")).toHaveLength(2);
    driver.send(spent("each[0]", "c1", 6));
    expect(driver.state.spent.microCents).toBe(6 * CENT);
  });

  it("that is overspent by a child ends the parent", () => {
    const driver = parent([1]);
    driver.send(spent("each[0]", "c1", 11));
    expect(driver.outcome?.reasonCode).toBe("guardrail_llm_cost");
  });

  it("gets back what a child had asked for when the child ends", () => {
    const driver = parent([1, 2]);
    driver.send(quoted("each[0]", "c1", 6));
    driver.send(ended("each[0]", { status: "completed" }));
    driver.send(quoted("each[1]", "c2", 6));
    expect(driver.outcome).toBeNull();
  });
});

describe("a run with a parent", () => {
  const child = (): Driver =>
    new Driver(documentOf([agentStep("draft"), done]), {
      estimate: 2 * CENT,
      start: { parent: { runId: "run-0", childKey: "each[0]" }, depth: 1 },
    }).start();

  it("asks it before it calls, and calls when it has been granted", () => {
    const driver = child();
    expect(driver.all("callAgent")).toEqual([]);
    const ask = driver.last("askParent");
    expect(ask).toMatchObject({ estimateMicroCents: 2 * CENT });
    expect(driver.reducer.outstanding(driver.state)).toContainEqual(ask);
    driver.send({ type: "parent.granted", callId: "another" });
    expect(driver.all("callAgent")).toEqual([]);
    driver.send({ type: "parent.granted", callId: ask.callId });
    driver.send({ type: "parent.granted", callId: ask.callId });
    expect(driver.all("callAgent")).toHaveLength(1);
  });

  it("reports what it has spent, and again after a crash", () => {
    const driver = child();
    driver.send({ type: "parent.granted", callId: driver.last("askParent").callId });
    driver.agent("draft", { output: 1, costMicroCents: CENT });
    const report = driver.last("reportSpent");
    expect(report).toMatchObject({ costMicroCents: CENT });
    expect(driver.reducer.outstanding(driver.state)).toContainEqual(report);
  });

  it("reports its status until it ends", () => {
    const driver = child();
    expect(driver.all("reportStatus")).toEqual([{ type: "reportStatus", status: "running" }]);
    driver.send({ type: "pause" });
    expect(driver.last("reportStatus").status).toBe("paused");
    driver.send({ type: "cancel", reasonCode: "parent_cancelled" });
    expect(driver.outcome).toMatchObject({ status: "cancelled", reasonCode: "parent_cancelled" });
    expect(driver.all("reportStatus")).toHaveLength(2);
    // What it had asked for will not be spent.
    expect(driver.last("reportSpent")).toMatchObject({ costMicroCents: 0 });
  });

  it("passes on what its own children want", () => {
    const middle = parent([1], {}, { parent: { runId: "run-0", childKey: "outer[0]" }, depth: 1 });
    middle.send({ type: "child.quoted", childKey: "each[0]", callId: "c1", estimateMicroCents: CENT });
    expect(middle.last("askParent")).toMatchObject({ callId: "c1", estimateMicroCents: CENT });
    expect(middle.all("grantChild")).toEqual([]);
    expect(middle.reducer.outstanding(middle.state)).toContainEqual(middle.last("askParent"));
    middle.send({ type: "parent.granted", callId: "c1" });
    expect(middle.all("grantChild")).toEqual([{ type: "grantChild", childKey: "each[0]", callId: "c1" }]);
    middle.send({ type: "child.spent", childKey: "each[0]", callId: "c1", costMicroCents: CENT });
    expect(middle.last("reportSpent")).toMatchObject({ callId: "c1", costMicroCents: CENT });
  });

  it("keeps its identities apart from those of other runs", () => {
    const callId = (runId: string): string => {
      const driver = new Driver(documentOf([agentStep("draft"), done]), {
        start: { ...START, runId },
      }).start();
      return driver.last("callAgent").callId;
    };
    expect(callId("run-1")).toBe(callId("run-1"));
    expect(callId("run-1")).not.toBe(callId("run-2"));
  });
});
