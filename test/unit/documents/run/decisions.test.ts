import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/documents/model";
import { Driver, documentOf, payload } from "./driver";

const end = (id: string) => ({ id, kind: "terminator" as const, reason: id });
const deciding = (whens: string[], data: JsonObject): Driver =>
  new Driver(
    documentOf([
      {
        id: "check",
        kind: "decision",
        branches: whens.map((when, index) => ({ when, next: `b${index}`, label: `l${index}` })),
        default: "otherwise",
      },
      ...whens.map((_, index) => end(`b${index}`)),
      end("otherwise"),
    ]),
    payload(data),
  ).start();
const evaluated = (driver: Driver) => driver.records.find(({ type }) => type === "decision.evaluated")?.data;

describe("a decision", () => {
  it("takes the first branch that is true and looks at no other", () => {
    const driver = deciding(["trigger.a > 100", "true", "trigger.nope"], { a: 5 });
    expect(driver.outcome?.terminatorId).toBe("b1");
    expect(evaluated(driver)).toEqual({
      branches: [
        { index: 0, label: "l0", value: false },
        { index: 1, label: "l1", value: true },
      ],
      next: "b1",
    });
    expect(driver.trace.slice(2, 6)).toEqual([
      "step.entered:check",
      "decision.evaluated:check",
      "step.succeeded:check",
      "edge.taken:check>b1",
    ]);
  });

  it("takes default when none is true", () => {
    const driver = deciding(["trigger.a > 100", "has(trigger.nope) && trigger.nope > 1"], { a: 5 });
    expect(driver.outcome?.terminatorId).toBe("otherwise");
  });

  it("that cannot be evaluated fails and takes neither default nor a later branch", () => {
    for (const data of [{}, { a: "150" }, { a: null }, { a: [] }]) {
      const driver = deciding(["trigger.a > 100", "true"], data);
      expect(driver.outcome).toMatchObject({
        status: "failed",
        reasonCode: "expression_error",
        stepId: "check",
      });
      expect(driver.trace.some((line) => line.startsWith("edge.taken"))).toBe(false);
    }
  });

  it("wants true or false and nothing like it", () => {
    for (const a of [1, "true", null, {}])
      expect(deciding(["trigger.a"], { a }).outcome?.reasonCode).toBe("expression_error");
    expect(deciding(["trigger.a"], { a: true }).outcome?.terminatorId).toBe("b0");
  });

  it("does not mind how a number is written", () => {
    for (const a of [150, 150.5])
      expect(deciding(["trigger.a > 100"], { a }).outcome?.terminatorId).toBe("b0");
  });
});
