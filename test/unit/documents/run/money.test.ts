import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentStep, asItem, Driver, documentOf, done, mapStep, type Settings } from "./driver";

const CENT = 1_000_000;
const two = (cents: number, settings: Settings = {}, more = {}): Driver =>
  new Driver(
    documentOf([agentStep("one", { next: "two", ...more }), agentStep("two"), done], {
      guardrails: { maxLlmCostCents: cents },
    }),
    settings,
  ).start();
const tripped = (driver: Driver) => driver.records.find(({ type }) => type === "guardrail.tripped");

describe("the cost cap", () => {
  it("of zero lets free calls pass", () => {
    const driver = two(0);
    driver.agent("one", { output: 1 });
    driver.agent("two", { output: 2 });
    expect(driver.outcome?.status).toBe("completed");
  });

  it("of zero refuses a call that is thought to cost a micro-cent, before it is made", () => {
    const driver = two(0, { estimate: 1 });
    expect(driver.all("callAgent")).toEqual([]);
    expect(driver.outcome).toMatchObject({
      status: "failed",
      reasonCode: "guardrail_llm_cost",
      stepId: "one",
    });
    expect(driver.state.spent.microCents).toBe(0);
    expect(tripped(driver)).toMatchObject({
      subject: "guardrail_llm_cost",
      data: { spentMicroCents: 0, estimateMicroCents: 1, capMicroCents: 0 },
    });
  });

  it("may be reached exactly", () => {
    const driver = two(10);
    driver.agent("one", { output: 1, costMicroCents: 4 * CENT });
    driver.agent("two", { output: 2, costMicroCents: 6 * CENT });
    expect(driver.outcome?.status).toBe("completed");
    expect(driver.state.spent.microCents).toBe(10 * CENT);
  });

  it("that an answer crosses ends the run once the cost is booked", () => {
    const driver = two(10, { estimate: 3 * CENT });
    driver.agent("one", { output: 1, costMicroCents: 11 * CENT });
    expect(driver.state.spent.microCents).toBe(11 * CENT);
    expect(driver.outcome).toMatchObject({ status: "failed", reasonCode: "guardrail_llm_cost" });
    expect(driver.trace.slice(-3)).toEqual([
      "llm.usage:one",
      "guardrail.tripped:guardrail_llm_cost",
      "run.failed",
    ]);
  });

  it("is not held up by what a step does with failures", () => {
    const driver = two(0, { estimate: 1 }, { failureMode: "continue" });
    expect(driver.outcome?.reasonCode).toBe("guardrail_llm_cost");
  });

  it("counts what a failed call has cost", () => {
    const driver = two(10, { estimate: 5 * CENT }, { failureMode: "continue" });
    driver.agent("one", { error: { code: "refused" }, costMicroCents: 6 * CENT });
    expect(driver.outcome?.reasonCode).toBe("guardrail_llm_cost");
    expect(driver.trace).toContain("step.entered:two");
  });

  it("keeps what an aborted call may still cost", () => {
    const driver = two(10, { estimate: 6 * CENT }, { timeout: "10s", failureMode: "continue" });
    driver.advance(10_000);
    expect(driver.outcome?.reasonCode).toBe("guardrail_llm_cost");
  });

  it("takes what is no amount as more than any cap", () => {
    for (const estimate of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const driver = two(1_000_000, { estimate: null });
      driver.quote(driver.last("quoteAgent").callId, estimate);
      expect(driver.outcome?.reasonCode).toBe("guardrail_llm_cost");
    }
  });

  it("cannot be filled up by negative costs", () => {
    const driver = two(1, { estimate: -5 * CENT });
    driver.agent("one", { output: 1, costMicroCents: -5 * CENT });
    expect(driver.state.spent.microCents).toBe(0);
  });
});

describe("a step's own cap", () => {
  it("ends the run before the call that would exceed it", () => {
    const driver = two(100, { estimate: 3 * CENT }, { maxCostCents: 2 });
    expect(driver.all("callAgent")).toEqual([]);
    expect(tripped(driver)?.data).toMatchObject({ stepCapMicroCents: 2 * CENT });
  });

  it("counts all questions of the step", () => {
    const driver = two(100, { estimate: CENT }, { maxCostCents: 2, outputSchema: { type: "integer" } });
    driver.agent("one", { output: "x", costMicroCents: 1.5 * CENT });
    expect(driver.all("callAgent")).toHaveLength(1);
    expect(driver.outcome?.reasonCode).toBe("guardrail_llm_cost");
  });
});

describe("the host's own units", () => {
  const credits = (estimateCredits: number, costCredits: number): Driver => {
    const driver = two(10, { estimate: null, start: { creditCap: 5 } });
    const { callId } = driver.last("quoteAgent");
    driver.send({ type: "agent.quoted", callId, estimateMicroCents: 0, estimateCredits });
    if (!driver.outcome) driver.agent("one", { output: 1, costMicroCents: CENT, costCredits });
    return driver;
  };

  it("are checked as well, before a call and after it, and both figures are on record", () => {
    expect(tripped(credits(6, 0))?.data).toMatchObject({
      estimateCredits: 6,
      creditCap: 5,
      capMicroCents: 10 * CENT,
    });
    expect(tripped(credits(1, 6))?.data).toMatchObject({ spentCredits: 6, spentMicroCents: CENT });
  });

  it("may be used up exactly", () => {
    expect(credits(5, 5).outcome).toBeNull();
  });
});

describe("parallel elements", () => {
  const map = (count: number, cents: number, estimate: number): Driver => {
    const steps = [
      mapStep("each", { itemStep: asItem(agentStep("write")), concurrency: 32, maxItems: 100 }),
      done,
    ];
    return new Driver(documentOf(steps, { guardrails: { maxLlmCostCents: cents } }), {
      estimate,
      start: { payload: { items: Array.from({ length: count }, (_, index) => index) } },
    }).start();
  };

  it("reserve before they are asked: what does not fit ends the run and aborts the others", () => {
    const driver = map(3, 10, 4 * CENT);
    expect(driver.all("callAgent")).toHaveLength(2);
    expect(driver.all("abortCall")).toHaveLength(2);
    expect(driver.outcome?.reasonCode).toBe("guardrail_llm_cost");
    driver.agent("write[0]", { output: 1, costMicroCents: 4 * CENT });
    expect(driver.trace.at(-1)).toBe("late_result:write[0]");
    expect(driver.state.spent.microCents).toBe(4 * CENT);
  });

  it("start one after the other: none before the money of the one before it is reserved", () => {
    const driver = map(4, 10, 4 * CENT);
    const started = driver.trace.filter((line) => line.startsWith("map.item_started"));
    expect(started).toEqual([0, 1, 2].map((index) => `map.item_started:write[${index}]`));
  });

  it("never have more in flight than the pot holds, whatever they cost", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 0, max: 4 }),
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 12, maxLength: 12 }),
        (count, cents, estimate, costs) => {
          const driver = map(count, cents, estimate * CENT);
          for (let index = 0; index < count && !driver.outcome; index++) {
            const reserved = Object.values(driver.state.reserved);
            const total = reserved.reduce((sum, { microCents }) => sum + microCents, 0);
            expect(driver.state.spent.microCents + total).toBeLessThanOrEqual(cents * CENT);
            // No model costs more than was thought: then nothing may be overspent at all.
            const cost = Math.min(costs[index] ?? 0, estimate) * CENT;
            driver.agent(`write[${index}]`, { output: index, costMicroCents: cost });
          }
          expect(driver.state.spent.microCents).toBeLessThanOrEqual(cents * CENT);
        },
      ),
      { numRuns: 100, seed: 5 },
    );
  });
});
