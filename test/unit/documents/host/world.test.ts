/** The scripted world: which answer belongs to which call, and what tools have seen. */
import { describe, expect, it } from "vitest";
import { leaf } from "../support/documents";
import { DONE, faults, run, statuses, timed, tool, withSteps } from "./support/simulations";

const MAP = {
  id: "each",
  kind: "map",
  items: "trigger.items",
  concurrency: 3,
  itemStep: { id: "one", kind: "tool", tool: "fetch", input: { n: leaf("item") } },
  next: "done",
};
const items = (...list: number[]) => ({ trigger: { kind: "manual", payload: { items: list } } });

describe("the scripted world", () => {
  it("gives the n-th answer to the n-th call, and the last one to all that follow", () => {
    const harness = { tools: { fetch: [{ output: "a" }, { output: "b" }] } };
    const result = run(withSteps("A", [MAP, DONE]), { harness, start: items(1, 2, 3) });
    expect(result.runs[0]?.view.steps.each?.output).toEqual(["a", "b", "b"]);
  });

  it("answers items of an agent from the item's own list, or from the step's", () => {
    const agent = {
      id: "one",
      kind: "agent",
      role: "r",
      purpose: "p",
      allowedTools: [],
      approvalPolicy: { mode: "auto" },
      failureMode: "halt_run",
    };
    const harness = { agents: { one: [{ output: "x" }, { output: "y" }], "one[1]": [{ output: "own" }] } };
    const result = run(withSteps("A", [{ ...MAP, itemStep: agent }, DONE]), {
      harness,
      start: items(1, 2, 3),
    });
    expect(result.runs[0]?.view.steps.each?.output).toEqual(["x", "own", "y"]);
  });

  it("brings answers by their own time, whatever the order of asking", () => {
    const answers = [3000, 1000, 2000].map((elapsedMs, index) => ({ output: index, elapsedMs }));
    const result = run(withSteps("A", [MAP, DONE]), {
      harness: { tools: { fetch: answers } },
      start: items(1, 2, 3),
      script: [{ advanceTo: "+3s" }],
    });
    const ends = timed(result).filter((line) => line.startsWith("map.item_succeeded"));
    expect(ends).toEqual([
      "map.item_succeeded:one[1]@1000",
      "map.item_succeeded:one[2]@2000",
      "map.item_succeeded:one[0]@3000",
    ]);
    expect(result.runs[0]?.view.steps.each?.output).toEqual([0, 1, 2]);
  });

  it("sees an effect once, however often a crash or a retry repeats it, and counts the calls", () => {
    const document = withSteps("A", [
      tool("call", "done", { retry: { maxAttempts: 2 }, input: { id: 7 } }),
      DONE,
    ]);
    const answers = [
      { error: { code: "timeout" }, crashAfterEffect: true },
      { output: "ok", elapsedMs: 1000, crashAfterEffect: true },
    ];
    const result = run(document, { harness: { tools: { fetch: answers } }, script: [{ advanceTo: "+1s" }] });
    expect(statuses(result)).toEqual(["completed"]);
    expect(result.toolCalls).toEqual([{ tool: "fetch", input: { id: 7 } }]);
    expect(result.attempts).toEqual({ fetch: { distinct: 2, all: 4 } });
    expect(timed(result)).toContain("run.completed@1000");
  });

  it("gives a tool the value of a secret and shows it to nobody else", () => {
    const document = withSteps(
      "A",
      [
        tool("call", "next", { input: { key: { $secret: "KEY" }, url: "https://x" } }),
        tool("next", "done", { tool: "send", input: { seen: leaf("steps.call.output") } }),
        DONE,
      ],
      {},
      { secrets: ["KEY"] },
    );
    const harness = {
      secrets: { KEY: "s3cr3t-value" },
      tools: {
        fetch: [{ echoInput: true, artifacts: [{ type: "log", body: "with s3cr3t-value" }] }],
        send: [{ output: 1 }],
      },
    };
    const result = run(document, { harness });
    expect(result.toolCalls).toEqual([
      { tool: "fetch", input: { key: "***", url: "https://x" } },
      { tool: "send", input: { seen: { key: "***", url: "https://x" } } },
    ]);
    expect(result.runs[0]?.view.steps.call).toMatchObject({ artifacts: [{ type: "log", body: "with ***" }] });
    expect(JSON.stringify(result)).not.toContain("s3cr3t-value");
  });

  it("takes secrets out of errors as well", () => {
    const document = withSteps(
      "A",
      [tool("call", "done", { input: { key: { $secret: "KEY" } } }), DONE],
      {},
      { secrets: ["KEY"] },
    );
    const error = { code: "denied", message: "not with s3cr3t-value" };
    const result = run(document, {
      harness: { secrets: { KEY: "s3cr3t-value" }, tools: { fetch: [{ error }] } },
    });
    expect(statuses(result)).toEqual(["failed"]);
    expect(JSON.stringify(result)).not.toContain("s3cr3t-value");
  });

  it("answers nothing where the harness has no list, and says so", () => {
    const result = run(withSteps("A", [tool("call", "done"), DONE]));
    expect(result.unscripted).toEqual(["tools/fetch"]);
    expect(result.runs[0]?.view.steps.call?.output).toBeNull();
    expect(faults(result)).toEqual([]);
  });

  it("lets a late answer come to a run that has ended", () => {
    const result = run(withSteps("A", [tool("call", "done"), DONE]), {
      harness: { tools: { fetch: [{ output: 1, elapsedMs: 5000 }] } },
      script: [{ at: "+1s", cancel: {} }, { advanceTo: "+5s" }],
    });
    expect(timed(result).slice(-2)).toEqual(["run.cancelled@1000", "late_result:call@5000"]);
  });
});
