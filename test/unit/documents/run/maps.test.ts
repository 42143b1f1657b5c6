import { describe, expect, it } from "vitest";
import type { MapStep } from "../../../../src/documents/model";
import {
  agentStep,
  asItem,
  DAY_MS,
  Driver,
  documentOf,
  done,
  fill,
  gateStep,
  mapStep,
  payload,
  toolStep,
} from "./driver";

const over = (items: unknown, more: Partial<MapStep> = {}, rest = {}): Driver => {
  const step = mapStep("each", { itemStep: asItem(toolStep("work")), ...more });
  return new Driver(documentOf([step, done], rest), payload({ items } as never)).start();
};
const items = (driver: Driver): string[] => driver.trace.filter((line) => line.startsWith("map."));

describe("what a map runs over", () => {
  it("of an empty list is complete at once, with nothing started", () => {
    const driver = over([]);
    expect(items(driver)).toEqual(["map.started:each", "map.completed:each"]);
    expect(driver.state.cells.each?.output).toEqual([]);
    expect(driver.outcome?.status).toBe("completed");
  });

  it("of one element stays a list", () => {
    const driver = over(["a"]);
    driver.tool("work[0]", { output: 1 });
    expect(driver.state.cells.each?.output).toEqual([1]);
  });

  it("must be a list", () => {
    for (const value of [null, { a: 1 }, "abc", 5])
      expect(over(value).outcome).toMatchObject({ status: "failed", reasonCode: "map_items_not_list" });
    expect(over([1], { items: "trigger.nope" }).outcome).toMatchObject({ reasonCode: "expression_error" });
  });

  it("may not be longer than its cap, the document's or the default: then nothing starts", () => {
    const long = Array.from({ length: 101 }, () => 0);
    for (const driver of [
      over(long),
      over([1, 2, 3], { maxItems: 2 }),
      over([1, 2, 3], {}, { guardrails: { maxMapItems: 2 } }),
    ]) {
      expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "map_items_exceeded" });
      expect(items(driver)).toEqual([]);
    }
    expect(over(long, { maxItems: 101 }).outcome).toBeNull();
  });
});

describe("the elements of a map", () => {
  it("start in order, as many at a time as it says, and one when it says nothing", () => {
    const serial = over([1, 2, 3]);
    expect(serial.all("callTool")).toHaveLength(1);
    const driver = over([1, 2, 3, 4, 5, 6, 7], { concurrency: 3 });
    expect(driver.all("callTool").map(({ stepKey }) => stepKey)).toEqual(["work[0]", "work[1]", "work[2]"]);
    driver.tool("work[1]");
    expect(driver.last("callTool")).toMatchObject({ stepKey: "work[3]", order: [0, 3] });
    for (const index of [0, 2, 3]) driver.tool(`work[${index}]`);
    expect(driver.state.cells.each?.mapWork?.inFlight).toBe(3);
    for (const index of [4, 5, 6]) driver.tool(`work[${index}]`);
    expect(driver.outcome?.status).toBe("completed");
  });

  it("give their outputs in the order of the list, whatever their own order was", () => {
    const driver = over(["a", "b", "c"], { concurrency: 3 });
    for (const index of [2, 0, 1]) driver.tool(`work[${index}]`, { output: index * 10 });
    expect(driver.state.cells.each?.output).toEqual([0, 10, 20]);
  });

  it("see themselves under the map's name for them, and their index", () => {
    const itemStep = asItem(toolStep("work", { input: { name: fill("row.name"), at: fill("index") } }));
    const driver = over([{ name: "x" }, { name: "y" }], { itemStep, as: "row" });
    driver.tool("work[0]");
    expect(driver.all("callTool").map(({ input }) => input)).toEqual([
      { name: "x", at: 0 },
      { name: "y", at: 1 },
    ]);
  });

  it("may be a step that stands elsewhere in the document", () => {
    const steps = [
      mapStep("each", { itemStep: "work" }),
      done,
      { ...asItem(toolStep("work")), next: undefined },
    ];
    const document = documentOf(steps as never);
    const driver = new Driver(document, payload({ items: [1] })).start();
    expect(driver.last("callTool")).toMatchObject({ stepKey: "work[0]", order: [2, 0] });
    driver.tool("work[0]");
    expect(driver.outcome?.status).toBe("completed");
  });

  it("count as entered steps, each of them", () => {
    const driver = over([1, 2, 3], {}, { guardrails: { maxStepExecutions: 3 } });
    driver.tool("work[0]");
    driver.tool("work[1]");
    expect(driver.outcome).toMatchObject({ reasonCode: "guardrail_steps" });
    expect(driver.all("callTool")).toHaveLength(2);
  });
});

describe("an element that fails", () => {
  const refused = { error: { code: "refused", message: "No." } };

  it("stops a serial map: the rest never starts", () => {
    const driver = over([1, 2, 3, 4, 5]);
    driver.tool("work[0]", { output: "one" });
    driver.tool("work[1]", refused);
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "step_failed", stepId: "each" });
    expect(driver.all("callTool")).toHaveLength(2);
    expect(
      driver.records.find(({ type, subject }) => type === "step.failed" && subject === "each")?.data,
    ).toEqual({
      code: "refused",
      message: '"each" failed: No.',
      items: [
        { index: 0, status: "succeeded", output: "one" },
        { index: 1, status: "failed", error: { code: "refused", message: "No." } },
        { index: 2, status: "skipped" },
        { index: 3, status: "skipped" },
        { index: 4, status: "skipped" },
      ],
    });
  });

  it("lets those in flight end first", () => {
    const driver = over([1, 2, 3], { concurrency: 2 });
    driver.tool("work[0]", refused);
    expect(driver.outcome).toBeNull();
    driver.tool("work[1]");
    expect(driver.outcome?.status).toBe("failed");
    expect(driver.all("callTool")).toHaveLength(2);
  });

  it("is tolerated as often as the map says, with null in its place", () => {
    const driver = over([1, 2, 3], { maxFailures: 1 });
    driver.tool("work[0]", { output: "a" });
    driver.tool("work[1]", refused);
    driver.tool("work[2]", { output: "c" });
    expect(driver.outcome?.status).toBe("completed");
    expect(driver.state.cells.each).toMatchObject({
      output: ["a", null, "c"],
      errors: [{ index: 1, error: { code: "refused", message: "No." } }],
    });
    const twice = over([1, 2, 3], { maxFailures: 1 });
    twice.tool("work[0]", refused);
    twice.tool("work[1]", refused);
    expect(twice.outcome?.status).toBe("failed");
  });

  it("shows later steps what went wrong", () => {
    const steps = [
      mapStep("each", { itemStep: asItem(toolStep("work")), maxFailures: 1, next: "look" }),
      toolStep("look", { input: { errors: fill("steps.each.errors") } }),
      done,
    ];
    const driver = new Driver(documentOf(steps), payload({ items: [1] })).start();
    driver.tool("work[0]", refused);
    expect(driver.last("callTool").input).toEqual({
      errors: [{ index: 0, error: { code: "refused", message: "No." } }],
    });
  });

  it("whose step goes on in spite of failures counts as a success", () => {
    const itemStep = asItem(toolStep("work", { failureMode: "continue" }));
    const driver = over([1, 2], { itemStep });
    driver.tool("work[0]", refused);
    driver.tool("work[1]", { output: 2 });
    expect(driver.outcome?.status).toBe("completed");
    expect(driver.state.cells.each).toMatchObject({ output: [null, 2], errors: [] });
    expect(items(driver)).toContain("map.item_succeeded:work[0]");
  });

  it("can be judged by a person, alone", () => {
    const itemStep = asItem(toolStep("work", { failureMode: "escalate" }));
    const driver = over([1, 2], { itemStep });
    driver.tool("work[0]", refused);
    expect(driver.last("openGate").gate).toBe("gate:work[0]");
    driver.decide("gate:work[0]", "skip");
    driver.tool("work[1]", refused);
    driver.decide("gate:work[1]", "stop");
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "step_failed", stepId: "each" });
  });

  it("gives the run the reason of its own failure", () => {
    const itemStep = asItem(agentStep("work", { outputSchema: { type: "integer" } }));
    const driver = over([1], { itemStep });
    driver.agent("work[0]", { output: "x" });
    driver.agent("work[0]", { output: "y" });
    expect(driver.outcome).toMatchObject({ reasonCode: "output_schema_violation" });
  });
});

describe("a map that fails", () => {
  const refused = { error: { code: "refused" } };

  it("goes on with nothing where it says so", () => {
    const driver = over([1], { failureMode: "continue" });
    driver.tool("work[0]", refused);
    expect(driver.outcome?.status).toBe("completed");
    expect(driver.state.cells.each).toMatchObject({ output: null, error: { code: "refused" } });
  });

  it("can be retried by a person: what succeeded stays, what failed is tried again, the rest starts", () => {
    const driver = over([1, 2, 3], { failureMode: "escalate" });
    driver.tool("work[0]", { output: "a" });
    driver.tool("work[1]", refused);
    driver.decide("gate:each", "retry");
    const [, first, again] = driver.all("callTool");
    expect(again).toMatchObject({ stepKey: "work[1]", attempt: 2, effectId: first?.effectId });
    driver.tool("work[1]", { output: "b" });
    driver.tool("work[2]", { output: "c" });
    expect(driver.outcome?.status).toBe("completed");
    expect(driver.state.cells.each?.output).toEqual(["a", "b", "c"]);
    expect(driver.all("callTool")).toHaveLength(4);
  });
});

describe("gates in a map", () => {
  const reviews = (more: Partial<MapStep> = {}): Driver =>
    over([1, 2, 3], { itemStep: asItem(gateStep("review")), concurrency: 3, ...more });

  it("hold each for itself", () => {
    const driver = reviews();
    expect(driver.all("openGate").map(({ gate }) => gate)).toEqual(["review[0]", "review[1]", "review[2]"]);
    driver.decide("review[1]", "approve", { comment: "Fine." });
    expect(driver.state.status).toBe("awaiting_approval");
    driver.decide("review[0]", "approve");
    driver.decide("review[2]", "approve");
    expect(driver.state.cells.each?.output).toMatchObject([
      { decision: "approve" },
      { decision: "approve", by: "op-1", comment: "Fine." },
      { decision: "approve" },
    ]);
  });

  it("that expire end the run, however many failures the map tolerates, and what was decided is on record", () => {
    for (const maxFailures of [0, 3]) {
      const driver = reviews({ maxFailures, failureMode: "continue" });
      driver.decide("review[0]", "approve");
      driver.decide("review[2]", "approve");
      driver.advance(7 * DAY_MS);
      expect(driver.outcome).toMatchObject({ status: "cancelled", reasonCode: "approval_expired" });
      expect(driver.trace.slice(-4)).toEqual([
        "gate.expired:review[1]",
        "map.item_failed:review[1]",
        "step.failed:each",
        "run.cancelled",
      ]);
      expect(driver.state.cells.each?.error?.items).toMatchObject([
        { index: 0, status: "succeeded" },
        { index: 1, status: "failed", error: { code: "approval_expired" } },
        { index: 2, status: "succeeded" },
      ]);
    }
  });

  it("that are rejected end the run at once, and the other gates with it", () => {
    const driver = reviews({ maxFailures: 3, failureMode: "continue" });
    driver.decide("review[1]", "reject");
    expect(driver.outcome).toMatchObject({ status: "cancelled", reasonCode: "approval_rejected" });
    expect(driver.trace.slice(-6)).toEqual([
      "gate.decided:review[1]",
      "map.item_failed:review[1]",
      "step.failed:each",
      "gate.cancelled:review[0]",
      "gate.cancelled:review[2]",
      "run.cancelled",
    ]);
    expect(driver.decide("review[0]", "approve")).toEqual({ status: 409, code: "gate_not_open" });
  });

  it("leave the run running while another element works", () => {
    const itemStep = asItem(agentStep("write", { approvalPolicy: { mode: "required" } }));
    const driver = over([1, 2], { itemStep, concurrency: 2 });
    driver.agent("write[0]", { output: 1 });
    expect(driver.state.status).toBe("running");
    driver.agent("write[1]", { output: 2 });
    expect(driver.state.status).toBe("awaiting_approval");
  });
});
