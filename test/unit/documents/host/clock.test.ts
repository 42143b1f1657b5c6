/** The virtual clock: only the script moves it, and what is due comes in a fixed order. */
import { describe, expect, it } from "vitest";
import { compareDue, type Due, firstDue, RANK } from "../../../../src/documents/host/due";
import { DONE, faults, run, timed, tool, withSteps } from "./support/simulations";

const WAIT = { id: "wait", kind: "wait", duration: "10s", next: "done" };
const GATE = {
  id: "gate",
  kind: "approval",
  approver: "operator",
  timeout: "1m",
  onTimeout: "fail",
  next: "done",
};
const has = (trace: string[], entry: string) => trace.some((line) => line === entry);

describe("the clock", () => {
  it("stands still without a script", () => {
    const result = run(withSteps("A", [WAIT, DONE]));
    expect(result.endedAtMs).toBe(Date.parse("2026-01-01T00:00:00Z"));
    expect(result.runs[0]?.view.status).toBe("waiting");
  });

  it("delivers on the way what is due, at its own instant", () => {
    const result = run(withSteps("A", [WAIT, DONE]), { script: [{ advanceTo: "+1h" }] });
    expect(timed(result)).toContain("wait.elapsed:wait@10000");
    expect(timed(result)).toContain("run.completed@10000");
  });

  it("delivers what is due at the very instant that it comes to, and nothing later", () => {
    const at = (advanceTo: string) => timed(run(withSteps("A", [WAIT, DONE]), { script: [{ advanceTo }] }));
    expect(has(at("+9s999ms"), "wait.elapsed:wait@10000")).toBe(false);
    expect(has(at("+10s"), "wait.elapsed:wait@10000")).toBe(true);
    expect(has(at("2026-01-01T01:00:10+01:00"), "wait.elapsed:wait@10000")).toBe(true);
  });

  it("takes a step before what is due at its instant when told so, and after it otherwise", () => {
    const decide = { gate: "gate", decision: "approve" };
    const at = (step: object) =>
      run(withSteps("A", [GATE, DONE]), { script: [{ at: "+1m", decide, ...step }] });
    const early = at({
      before_timers: true,
      decide: { ...decide, expect: { status: 410, code: "gate_expired" } },
    });
    expect(faults(early)).toEqual([]);
    expect(timed(early)).toContain("gate.expired:gate@60000");
    const late = at({ decide: { ...decide, expect: { status: 200 } } });
    expect(faults(late)).toEqual(["expected 200, got 410 gate_expired."]);
  });

  it("does not keep back the answers that such a step calls for", () => {
    const document = withSteps("A", [
      {
        id: "first",
        kind: "wait",
        condition: "has(signals.go)",
        timeout: "2m",
        onTimeout: "fail",
        next: "call",
      },
      tool("call", "second"),
      {
        id: "second",
        kind: "wait",
        condition: "has(signals.on)",
        timeout: "1h",
        onTimeout: "fail",
        next: "done",
      },
      DONE,
    ]);
    const script = [
      { at: "+1m", before_timers: true, signal: { name: "go" } },
      { before_timers: true, expectState: { step: "second", status: "waiting" } },
      { before_timers: true, signal: { name: "on" } },
    ];
    const result = run(document, { script, harness: { tools: { fetch: [{ output: 1 }] } } });
    expect(faults(result)).toEqual([]);
    expect(result.runs[0]?.view.status).toBe("completed");
  });

  it("refuses to go back", () => {
    const script = [{ advanceTo: "+2s" }, { advanceTo: "+1s" }, { at: "+1s", cancel: {} }];
    expect(faults(run(withSteps("A", [WAIT, DONE]), { script }))).toEqual([
      '"+1s" is in the past.',
      '"+1s" is in the past.',
    ]);
  });

  it("lets an answer at the very instant of a deadline count", () => {
    const document = withSteps("A", [tool("call", "done", { timeout: "10s" }), DONE]);
    const harness = (elapsedMs: number) => ({ tools: { fetch: [{ output: 1, elapsedMs }] } });
    const script = [{ advanceTo: "+1h" }];
    expect(run(document, { script, harness: harness(10_000) }).runs[0]?.view.status).toBe("completed");
    expect(run(document, { script, harness: harness(10_001) }).runs[0]?.view.status).toBe("failed");
  });
});

describe("what is due", () => {
  const item = (changes: Partial<Due>): Due => ({
    dueAtMs: 5,
    rank: RANK.timer,
    runIndex: 0,
    order: [1, 1],
    seq: 1,
    immediate: false,
    deliver: () => undefined,
    ...changes,
  });

  it("comes by instant, then kind, run, place in the document, index and sequence", () => {
    const ordered = [
      item({ dueAtMs: 4, rank: RANK.schedule, runIndex: 9 }),
      item({ rank: RANK.message, runIndex: 9 }),
      item({ rank: RANK.answer, runIndex: 9 }),
      item({ order: [0, 9] }),
      item({ order: [1, 0], seq: 9 }),
      item({ seq: 0 }),
      item({}),
      item({ runIndex: 1, order: [0, 0] }),
      item({ rank: RANK.schedule }),
    ];
    const shuffled = [...ordered].reverse();
    expect(shuffled.sort(compareDue)).toEqual(ordered);
    expect(firstDue([...ordered].reverse())).toEqual(ordered[0]);
    expect(firstDue([])).toBeNull();
  });
});
