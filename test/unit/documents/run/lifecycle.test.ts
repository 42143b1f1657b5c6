import { describe, expect, it } from "vitest";
import {
  agentStep,
  DAY_MS,
  Driver,
  documentOf,
  done,
  fill,
  gateStep,
  HOUR_MS,
  OPERATOR,
  START,
  STARTED_AT_MS,
  toolStep,
  waitStep,
} from "./driver";

const acting = (guardrails = {}): Driver =>
  new Driver(documentOf([toolStep("act"), done], { guardrails })).start();
const activeMs = (driver: Driver): number => driver.reducer.view(driver.state, driver.nowMs).activeMs;

describe("a run", () => {
  it("of one terminator has four events", () => {
    const driver = new Driver(documentOf([done])).start();
    expect(driver.trace).toEqual(["run.created", "run.started", "step.entered:done", "run.completed"]);
    expect(driver.outcome).toEqual({
      status: "completed",
      reasonCode: "terminator",
      reason: "It is done.",
      terminatorId: "done",
      stepId: "done",
      output: null,
    });
    expect(driver.all("runEnded")).toEqual([{ type: "runEnded", outcome: driver.outcome }]);
  });

  it("is queued until it starts, and is created and started once", () => {
    const driver = new Driver(documentOf([gateStep("gate"), done]));
    expect(driver.state.status).toBe("queued");
    driver.start().start();
    driver.send({ type: "run.create", start: { ...START, runId: "other" } });
    expect(driver.state.start?.runId).toBe("run-1");
    expect(driver.trace.filter((line) => line === "run.started")).toHaveLength(1);
  });

  it("that was never created takes no other event", () => {
    const { reducer } = new Driver(documentOf([done]));
    const applied = reducer.apply(reducer.initial, { type: "run.start" }, STARTED_AT_MS);
    expect(applied).toMatchObject({
      effects: [],
      records: [],
      reply: { status: 409, code: "run_not_created" },
    });
    expect(applied.state).toEqual(reducer.initial);
  });

  it("takes its status, reason and output from its terminator", () => {
    const steps = [
      {
        id: "over",
        kind: "terminator" as const,
        reason: "It went wrong.",
        outcome: "failed" as const,
        output: { amount: fill("trigger.amount") },
      },
    ];
    const driver = new Driver(documentOf(steps), { start: { payload: { amount: 150 } } }).start();
    expect(driver.outcome).toEqual({
      status: "failed",
      reasonCode: "terminator",
      reason: "It went wrong.",
      terminatorId: "over",
      stepId: "over",
      output: { amount: 150 },
    });
    expect(driver.trace.at(-1)).toBe("run.failed");
  });

  it("fails when its terminator's output cannot be evaluated", () => {
    const steps = [{ id: "over", kind: "terminator" as const, reason: "r", output: fill("trigger.nope") }];
    expect(new Driver(documentOf(steps)).start().outcome).toMatchObject({
      status: "failed",
      reasonCode: "expression_error",
    });
  });
});

describe("after its end a run", () => {
  it("records what still comes, answers 409 and changes nothing", () => {
    const driver = acting();
    driver.tool("act");
    const before = JSON.stringify(driver.state);
    for (const event of [
      { type: "signal", name: "x" },
      { type: "pause" },
      { type: "resume" },
      { type: "cancel", by: OPERATOR },
    ] as const) {
      const applied = driver.send(event);
      expect(applied.reply).toEqual({ status: 409, code: "run_terminal" });
      expect(applied.records).toMatchObject([{ type: "late_event", subject: event.type }]);
    }
    driver.send({ type: "run.start" });
    expect(JSON.stringify(driver.state)).toBe(before);
  });

  it("books what a late answer costs and keeps nothing else of it", () => {
    const driver = new Driver(documentOf([agentStep("draft"), done])).start();
    driver.send({ type: "cancel" });
    expect(driver.all("abortCall")).toHaveLength(1);
    const applied = driver.agent("draft", { output: "late", costMicroCents: 5 });
    expect(applied.records.map(({ type, subject }) => `${type}:${subject}`)).toEqual(["late_result:draft"]);
    expect(driver.state.spent.microCents).toBe(5);
    expect(driver.outcome?.status).toBe("cancelled");
    const again = driver.agent("draft", { output: "late", costMicroCents: 5 });
    expect(again.records).toEqual([]);
    expect(driver.state.spent.microCents).toBe(5);
  });

  it("ends once: a second answer of one call is nothing", () => {
    const driver = acting();
    driver.tool("act");
    expect(driver.tool("act")).toMatchObject({ records: [], effects: [] });
  });
});

describe("active time", () => {
  it("counts work and leaves out what stands at waits and gates", () => {
    const steps = [
      waitStep("pause", { duration: "2d", next: "act" }),
      toolStep("act", { next: "gate" }),
      gateStep("gate"),
      done,
    ];
    const driver = new Driver(documentOf(steps)).start();
    driver.advance(2 * DAY_MS).advance(100_000);
    expect(activeMs(driver)).toBe(100_000);
    driver.tool("act");
    driver.advance(DAY_MS).decide("gate", "approve");
    expect(driver.outcome?.status).toBe("completed");
    expect(activeMs(driver)).toBe(100_000);
  });

  it("ends the run at its cap, aborts what is in flight, and records what comes after as late", () => {
    const driver = acting().advance(301_000);
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "guardrail_run_duration" });
    expect(driver.records.find(({ type }) => type === "guardrail.tripped")).toMatchObject({
      subject: "guardrail_run_duration",
      atMs: STARTED_AT_MS + 300_000,
    });
    expect(driver.all("abortCall")).toHaveLength(1);
    expect(driver.tool("act").records).toMatchObject([{ type: "late_result", subject: "act" }]);
    expect(activeMs(driver)).toBe(300_000);
  });

  it("lets an answer at the very cap count", () => {
    const driver = acting().sleep(300_000);
    driver.tool("act");
    expect(driver.outcome?.status).toBe("completed");
  });

  it("counts an answer after the cap as late, even when the timer comes later", () => {
    const driver = acting().sleep(300_001);
    driver.tool("act");
    expect(driver.outcome).toMatchObject({ reasonCode: "guardrail_run_duration" });
    expect(driver.trace.at(-1)).toBe("late_result:act");
  });

  it("is armed with what is left after each stand", () => {
    const steps = [
      toolStep("one", { next: "gate" }),
      gateStep("gate", { next: "two" }),
      toolStep("two"),
      done,
    ];
    const driver = new Driver(documentOf(steps)).start().sleep(200_000);
    driver.tool("one");
    expect(driver.all("disarmTimer").map(({ key }) => key)).toEqual(["active"]);
    driver.advance(HOUR_MS).decide("gate", "approve");
    expect(driver.last("armTimer")).toMatchObject({ key: "active", dueAtMs: driver.nowMs + 100_000 });
    driver.advance(100_000);
    expect(driver.outcome).toMatchObject({ reasonCode: "guardrail_run_duration" });
  });

  it("comes after everything else that is due at the same instant", () => {
    const driver = acting();
    expect(driver.state.timers.active?.order[0]).toBe(2);
  });
});

describe("counts", () => {
  it("of entered steps end the run before the step that is one too many", () => {
    const steps = [toolStep("one", { next: "two" }), toolStep("two"), done];
    const driver = new Driver(documentOf(steps, { guardrails: { maxStepExecutions: 1 } })).start();
    driver.tool("one");
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "guardrail_steps" });
    expect(driver.trace).not.toContain("step.entered:two");
  });

  it("of tool calls end the run before the call that is one too many", () => {
    const steps = [toolStep("one", { next: "two" }), toolStep("two"), done];
    const driver = new Driver(documentOf(steps, { guardrails: { maxToolCalls: 1 } })).start();
    driver.tool("one");
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "guardrail_tool_calls" });
    expect(driver.all("callTool")).toHaveLength(1);
  });
});

describe("a paused run", () => {
  const paused = (driver: Driver): Driver => {
    expect(driver.send({ type: "pause" }).reply).toEqual({ status: 200 });
    return driver;
  };

  it("notes answers when they come and goes on when it is resumed", () => {
    const driver = paused(acting().sleep(1000)).sleep(5000);
    driver.tool("act");
    expect(driver.state.status).toBe("paused");
    expect(driver.trace.at(-1)).toBe("tool.returned:act");
    driver.sleep(5000).send({ type: "resume" });
    expect(driver.trace.slice(-5)).toEqual([
      "run.resumed",
      "step.succeeded:act",
      "edge.taken:act>done",
      "step.entered:done",
      "run.completed",
    ]);
    expect(activeMs(driver)).toBe(1000);
  });

  it("says 409 to a second pause, and to a resume of a run that is not paused", () => {
    const driver = acting();
    expect(driver.send({ type: "resume" }).reply).toEqual({ status: 409, code: "run_not_paused" });
    paused(driver);
    const before = JSON.stringify(driver.state);
    expect(driver.send({ type: "pause" })).toMatchObject({
      reply: { status: 409, code: "run_paused" },
      records: [],
    });
    expect(JSON.stringify(driver.state)).toBe(before);
  });

  it("lets a gate expire at once", () => {
    const driver = paused(new Driver(documentOf([gateStep("gate"), done])).start());
    driver.advance(7 * DAY_MS);
    expect(driver.outcome).toMatchObject({ reasonCode: "approval_expired" });
  });

  it("takes a decision and follows it when it is resumed", () => {
    const driver = paused(new Driver(documentOf([gateStep("gate"), done])).start());
    expect(driver.decide("gate", "approve")).toEqual({ status: 200 });
    expect(driver.trace.at(-1)).toBe("gate.decided:gate");
    driver.advance(8 * DAY_MS);
    expect(driver.state.status).toBe("paused");
    driver.send({ type: "resume" });
    expect(driver.outcome?.status).toBe("completed");
  });

  it("leaves a wait that is over when it is resumed, but ends at once where its timeout ends the run", () => {
    const over = paused(new Driver(documentOf([waitStep("wait", { duration: "1h" }), done])).start()).advance(
      2 * HOUR_MS,
    );
    expect(over.trace).not.toContain("wait.elapsed:wait");
    over.send({ type: "resume" });
    expect(over.records.find(({ type }) => type === "wait.elapsed")?.atMs).toBe(STARTED_AT_MS + 2 * HOUR_MS);
    expect(over.outcome?.status).toBe("completed");

    for (const [onTimeout, status] of [
      ["cancel", "cancelled"],
      ["fail", "failed"],
    ] as const) {
      const step = waitStep("wait", { condition: "has(signals.go)", timeout: "6h", onTimeout });
      const driver = paused(new Driver(documentOf([step, done])).start()).advance(6 * HOUR_MS);
      expect(driver.outcome).toMatchObject({ status, reasonCode: "wait_timeout" });
    }
    const step = waitStep("wait", { condition: "has(signals.go)", timeout: "6h", onTimeout: "continue" });
    const continued = paused(new Driver(documentOf([step, done])).start()).advance(7 * HOUR_MS);
    expect(continued.state.status).toBe("paused");
    continued.send({ type: "resume" });
    expect(continued.outcome?.status).toBe("completed");
  });

  it("starts nothing: a run paused before its start enters its first step when it is resumed", () => {
    const driver = paused(new Driver(documentOf([toolStep("act"), done])));
    driver.start();
    expect(driver.all("callTool")).toEqual([]);
    driver.send({ type: "resume" });
    expect(driver.all("callTool")).toHaveLength(1);
  });

  it("can be cancelled", () => {
    const driver = paused(acting());
    driver.send({ type: "cancel" });
    expect(driver.state.status).toBe("cancelled");
  });

  it("keeps deadlines: an attempt that timed out before its answer came has failed", () => {
    const steps = [toolStep("act", { timeout: "10s" }), done];
    const driver = paused(new Driver(documentOf(steps)).start()).advance(10_000);
    expect(driver.all("abortCall")).toHaveLength(1);
    expect(driver.tool("act").records).toMatchObject([{ type: "late_result" }]);
    driver.send({ type: "resume" });
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "step_failed" });
  });
});
