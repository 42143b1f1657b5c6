import { describe, expect, it } from "vitest";
import type { Step } from "../../../../src/documents/model";
import { compileProgram, UnrunnableDocument } from "../../../../src/documents/run";
import { agentStep, asItem, documentOf, done, fill, gateStep, mapStep, toolStep, waitStep } from "./driver";

const faultOf = (steps: Step[], playbook = {}): string => {
  try {
    compileProgram(documentOf(steps, playbook));
  } catch (error) {
    if (error instanceof UnrunnableDocument) return error.path;
    throw error;
  }
  return "none";
};
const item = asItem(toolStep("work"));

describe("a document that cannot run", () => {
  it("is refused with the place of the fault, whatever let it through", () => {
    expect(faultOf([done])).toBe("none");
    expect(faultOf([])).toBe("/playbook/steps");
    expect(faultOf([done, done])).toBe("/playbook/steps/1/id");
    expect(faultOf([mapStep("each", { itemStep: { ...item, id: "done" } }), done])).toBe(
      "/playbook/steps/1/id",
    );
    expect(faultOf([toolStep("act", { next: "nowhere" }), done])).toBe("/playbook/steps/0");
    expect(faultOf([toolStep("act", { input: [{ a: `\${{ x` }] }), done])).toBe(
      "/playbook/steps/0/input/0/a",
    );
    expect(faultOf([agentStep("draft", { input: { a: { $secret: "KEY" } } }), done])).toBe(
      "/playbook/steps/0/input/a",
    );
    expect(faultOf([toolStep("act", { input: { a: fill("item") } }), done])).toBe(
      "/playbook/steps/0/input/a",
    );
    expect(faultOf([gateStep("gate", { timeout: "soon" }), done])).toBe("/playbook/steps/0/timeout");
    expect(faultOf([gateStep("gate", { onReject: "nowhere" }), done])).toBe("/playbook/steps/0");
    expect(faultOf([waitStep("wait", { condition: "1 + 1", timeout: "1h" }), done])).toBe(
      "/playbook/steps/0/condition",
    );
    expect(faultOf([waitStep("wait", { condition: "true" }), done])).toBe("/playbook/steps/0");
    expect(faultOf([waitStep("wait"), done])).toBe("/playbook/steps/0");
    expect(faultOf([mapStep("each"), done])).toBe("/playbook/steps/0");
    expect(faultOf([mapStep("each", { itemStep: item, itemPlaybook: "plb_x" }), done])).toBe(
      "/playbook/steps/0",
    );
    expect(faultOf([mapStep("each", { itemStep: item, items: "'text'" }), done])).toBe(
      "/playbook/steps/0/items",
    );
    const branches = [{ when: "trigger.a >", next: "done" }];
    expect(faultOf([{ id: "check", kind: "decision", branches, default: "done" }, done])).toBe(
      "/playbook/steps/0/branches/0/when",
    );
    expect(faultOf([done], { tools: [{ name: "act", timeout: "7" }] })).toBe("/playbook/tools/act/timeout");
  });

  it("is refused when an edge leads into a map", () => {
    const steps = [mapStep("each", { itemStep: item }), toolStep("act", { next: "work" }), done];
    expect(faultOf(steps)).toBe("/playbook/steps/1");
    expect(
      faultOf([mapStep("each", { itemStep: "act" }), toolStep("act"), toolStep("b", { next: "act" }), done]),
    ).toBe("/playbook/steps/2");
  });
});

describe("a compiled document", () => {
  it("knows its steps by id, item steps too, with their places", () => {
    const program = compileProgram(documentOf([mapStep("each", { itemStep: item, as: "row" }), done]));
    expect(program.entry).toBe("each");
    expect(
      [...program.steps.values()].map(({ id, position, mapId, next }) => [id, position, mapId, next]),
    ).toEqual([
      ["each", 0, null, "done"],
      ["work", 0, "each", null],
      ["done", 1, null, null],
    ]);
    expect(program.lastPosition).toBe(2);
  });

  it("keeps to what the platform allows, whatever the document says", () => {
    const more = { itemStep: item, concurrency: 500, maxItems: 50_000 };
    const each = compileProgram(documentOf([mapStep("each", more), done])).steps.get("each");
    expect(each).toMatchObject({ concurrency: 32, maxItems: 1000, maxFailures: 0, failureMode: "halt_run" });
  });

  it("reads durations and money once", () => {
    const steps = [
      toolStep("act", {
        timeout: "1m",
        retry: { maxAttempts: 2, delay: "5s", maxDelay: "1m" },
        next: "draft",
      }),
      agentStep("draft", { maxCostCents: 3 }),
      done,
    ];
    const program = compileProgram(documentOf(steps));
    expect(program).toMatchObject({ capMicroCents: 10_000_000, maxActiveMs: 300_000 });
    expect(program.steps.get("act")).toMatchObject({
      timeoutMs: 60_000,
      retry: { maxAttempts: 2, delayMs: 5000, backoff: "constant", maxDelayMs: 60_000 },
    });
    expect(program.steps.get("draft")).toMatchObject({
      capMicroCents: 3_000_000,
      timeoutMs: null,
      retry: null,
    });
  });
});
