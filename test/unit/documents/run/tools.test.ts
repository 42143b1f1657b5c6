import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../../src/documents/model";
import { effectIdOf } from "../../../../src/documents/run/identity";
import { sha256Base64Url } from "../../../../src/documents/text/hash";
import { Driver, documentOf, done, fill, payload, START, STARTED_AT_MS, toolStep } from "./driver";

const TOOLS: ToolDefinition[] = [
  {
    name: "act",
    inputSchema: { type: "object", properties: { amount: { type: "number" }, key: { type: "string" } } },
    outputSchema: { type: ["object", "null"] },
    timeout: "10s",
  },
  { name: "send", permissions: ["email.send"] },
];
const acting = (more: Parameters<typeof toolStep>[1] = {}, settings = {}, rest = {}): Driver =>
  new Driver(documentOf([toolStep("act", more), done], { tools: TOOLS, ...rest }), settings).start();

describe("a tool step", () => {
  it("sends its input with its types and its output goes on", () => {
    const driver = acting(
      { input: { amount: fill("trigger.amount"), text: `Hi ${fill("trigger.amount")}` } },
      payload({ amount: 150 }),
    );
    expect(driver.last("callTool")).toMatchObject({ tool: "act", input: { amount: 150, text: "Hi 150" } });
    driver.tool("act", { output: { ok: true }, artifacts: [{ type: "receipt", body: 1 }] });
    expect(driver.state.cells.act).toMatchObject({ output: { ok: true }, artifacts: [{ type: "receipt" }] });
    expect(driver.trace).toEqual([
      "run.created",
      "run.started",
      "step.entered:act",
      "tool.requested:act",
      "tool.returned:act",
      "artifact.created:receipt",
      "step.succeeded:act",
      "edge.taken:act>done",
      "step.entered:done",
      "run.completed",
    ]);
  });

  it("has the effect identity of the specification, in every attempt", () => {
    const driver = acting({ retry: { maxAttempts: 3 } });
    driver.tool("act", { error: { code: "timeout" } });
    driver.advance(0);
    const [first, second] = driver.all("callTool");
    expect(first?.effectId).toBe(sha256Base64Url("opb:effect:v1\0org-1\0run-1\0act\x000\0act"));
    expect(effectIdOf(START, "act", 0, "act")).toBe(first?.effectId);
    expect(second?.effectId).toBe(first?.effectId);
    expect(second?.callId).not.toBe(first?.callId);
  });

  it("with an input that the schema refuses fails without a call and without a retry", () => {
    const driver = acting({ input: { amount: "150" }, retry: { maxAttempts: 3 } });
    expect(driver.all("callTool")).toEqual([]);
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "step_failed" });
    expect(driver.state.cells.act?.error?.code).toBe("input_schema_violation");
  });

  it("names secrets by place; in a schema they may be any text", () => {
    const input = { amount: 1, key: { $secret: "KEY" }, copy: fill("trigger.fake") };
    const driver = acting(
      { input },
      { start: { secrets: ["KEY", "OTHER"], payload: { fake: { $secret: "OTHER" } } } },
    );
    expect(driver.last("callTool")).toMatchObject({
      input: { amount: 1, key: { $secret: "KEY" }, copy: { $secret: "OTHER" } },
      secretLeaves: [{ pointer: "/key", name: "KEY" }],
    });
    const wrong = acting({ input: { amount: { $secret: "KEY" } } }, { start: { secrets: ["KEY"] } });
    expect(wrong.state.cells.act?.error?.code).toBe("input_schema_violation");
  });

  it("with a secret that is not bound fails without a call", () => {
    const driver = acting({ input: { key: { $secret: "KEY" } } });
    expect(driver.all("callTool")).toEqual([]);
    expect(driver.state.cells.act?.error?.code).toBe("secret_missing");
  });

  it("whose permission the document was not granted fails without a call", () => {
    const driver = acting({ tool: "send" });
    expect(driver.trace).toContain("tool.denied:send");
    expect(driver.outcome).toMatchObject({ reasonCode: "permission_denied" });
    expect(acting({ tool: "send" }, {}, { permissions: ["email.send"] }).all("callTool")).toHaveLength(1);
  });

  it("with an answer that the schema refuses fails without a retry", () => {
    const driver = acting({ retry: { maxAttempts: 3 } });
    driver.tool("act", { output: "text" });
    expect(driver.outcome).toMatchObject({ reasonCode: "output_schema_violation" });
  });

  it("that says saveAs keeps its output as an artifact", () => {
    const driver = acting({ saveAs: "report" });
    driver.tool("act", { output: { a: 1 } });
    expect(driver.state.cells.act?.artifacts).toMatchObject([{ type: "report", body: { a: 1 } }]);
  });

  it("takes the tool's timeout when it has none of its own", () => {
    expect(acting().state.timers["timeout:act"]?.dueAtMs).toBe(STARTED_AT_MS + 10_000);
    expect(acting({ timeout: "1m" }).state.timers["timeout:act"]?.dueAtMs).toBe(STARTED_AT_MS + 60_000);
  });
});

describe("a retry", () => {
  const failing = (retry: object, error: object = { code: "http_5xx" }, more = {}): Driver => {
    const driver = acting({ retry: { maxAttempts: 4, ...retry }, ...more });
    for (
      let attempt = 0;
      attempt < 4 && !driver.outcome && driver.all("callTool").length > attempt;
      attempt++
    ) {
      driver.tool("act", { error: { code: "http_5xx", ...error } });
      driver.advance(60_000);
    }
    return driver;
  };
  const delays = (driver: Driver): unknown[] =>
    driver.records.filter(({ type }) => type === "step.retry_scheduled").map(({ data }) => data?.delayMs);

  it("waits as its backoff says", () => {
    expect(delays(failing({ delay: "10s" }))).toEqual([10_000, 10_000, 10_000]);
    expect(delays(failing({ delay: "10s", backoff: "linear" }))).toEqual([10_000, 20_000, 30_000]);
    expect(delays(failing({ delay: "10s", backoff: "exponential" }))).toEqual([10_000, 20_000, 40_000]);
    expect(delays(failing({ delay: "10s", backoff: "exponential", maxDelay: "15s" }))).toEqual([
      10_000, 15_000, 15_000,
    ]);
    expect(delays(failing({}))).toEqual([0, 0, 0]);
  });

  it("runs at 0, 10 and 30 s and succeeds", () => {
    const driver = acting({ retry: { maxAttempts: 3, delay: "10s", backoff: "exponential" } });
    driver.tool("act", { error: { code: "http_429" } });
    driver.advance(10_000).tool("act", { error: { code: "timeout" } });
    driver.advance(20_000).tool("act", { output: null });
    const requested = driver.records.filter(({ type }) => type === "tool.requested");
    expect(requested.map(({ atMs }) => atMs - STARTED_AT_MS)).toEqual([0, 10_000, 30_000]);
    expect(driver.outcome?.status).toBe("completed");
    expect(driver.state.toolCalls).toBe(1);
  });

  it("is made only for errors that it may help against", () => {
    expect(delays(failing({}, { code: "http_404" }))).toEqual([]);
    expect(delays(failing({}, { code: "http_404", retryable: true }))).toHaveLength(3);
    expect(delays(failing({}, { code: "http_5xx", retryable: false }))).toEqual([]);
  });

  it("ends with its last attempt", () => {
    const driver = failing({ maxAttempts: 2 });
    expect(driver.all("callTool")).toHaveLength(2);
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "step_failed", stepId: "act" });
    expect(driver.trace.slice(-2)).toEqual(["step.failed:act", "run.failed"]);
  });

  it("follows a timeout, and the late answer of the attempt before is kept out", () => {
    const driver = acting({ timeout: "5s", retry: { maxAttempts: 2, delay: "1s" } }).advance(6000);
    const [first, second] = driver.all("callTool");
    expect(second?.attempt).toBe(2);
    const late = driver.send({ type: "tool.answered", callId: first?.callId ?? "", output: { late: true } });
    expect(late.records).toMatchObject([{ type: "late_result", subject: "act" }]);
    driver.tool("act", { output: { ok: true } });
    expect(driver.state.cells.act?.output).toEqual({ ok: true });
  });
});

describe("a step that fails for good", () => {
  const failed = (failureMode: "halt_run" | "continue" | "escalate"): Driver => {
    const steps = [
      toolStep("act", { failureMode, next: "look" }),
      toolStep("look", { input: { error: fill("steps.act.error"), output: fill("steps.act.output") } }),
      done,
    ];
    const driver = new Driver(documentOf(steps, { tools: [] })).start();
    driver.tool("act", { error: { code: "refused", message: "No." } });
    return driver;
  };

  it("halts the run", () => {
    const driver = failed("halt_run");
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "step_failed", reason: "No." });
    expect(driver.trace).not.toContain("step.entered:look");
  });

  it("goes on with nothing and its error in view", () => {
    const driver = failed("continue");
    expect(driver.trace).toContain("edge.taken:act>look");
    expect(driver.last("callTool").input).toEqual({
      error: { code: "refused", message: "No." },
      output: null,
    });
  });

  it("asks a person: retry makes one more attempt of the same effect", () => {
    const driver = failed("escalate");
    expect(driver.trace.at(-1)).toBe("gate.opened:gate:act");
    expect(driver.last("openGate")).toMatchObject({
      decisions: ["retry", "skip", "stop"],
      approver: "operator",
      subject: { step: "act", attempt: 1, error: { code: "refused", message: "No." } },
    });
    for (const decision of ["approve", "reject"] as const)
      expect(driver.decide("gate:act", decision)).toEqual({ status: 422, code: "decision_not_possible" });
    expect(driver.decide("gate:act", "retry")).toEqual({ status: 200 });
    const [first, second] = driver.all("callTool");
    expect(second).toMatchObject({ effectId: first?.effectId, attempt: 2 });
    driver.tool("act", { error: { code: "refused" } });
    expect(driver.all("openGate")).toHaveLength(2);
    expect(new Set(driver.all("openGate").map(({ gateId }) => gateId)).size).toBe(2);
  });

  it("asks a person: skip goes on as continue does, stop ends the run", () => {
    const skipped = failed("escalate");
    skipped.decide("gate:act", "skip");
    expect(skipped.trace).toEqual(expect.arrayContaining(["step.skipped:act", "edge.taken:act>look"]));
    expect(skipped.last("callTool").input).toMatchObject({ output: null, error: { code: "refused" } });
    const stopped = failed("escalate");
    stopped.decide("gate:act", "stop");
    expect(stopped.outcome).toMatchObject({ status: "failed", reasonCode: "step_failed" });
    expect(stopped.trace.slice(-2)).toEqual(["step.failed:act", "run.failed"]);
  });

  it("asks a person who does not answer: the run is cancelled", () => {
    const driver = failed("escalate").advance(7 * 86_400_000);
    expect(driver.outcome).toMatchObject({ status: "cancelled", reasonCode: "approval_expired" });
  });
});
