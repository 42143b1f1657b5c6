/** `npm run playbook -- simulate`: a document and a script, and what people and programs are shown of the run. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMAND_MS, changed, ROOT, usePlaybookCommand } from "./support/playbook-command";

const VECTORS = join(ROOT, "test/conformance/runtime");
const { playbook, file } = usePlaybookCommand();

describe("npm run playbook -- simulate", { timeout: COMMAND_MS }, () => {
  const SCRIPT = {
    start: { at: "2026-01-01T00:00:00Z", trigger: { kind: "manual", payload: {} } },
    harness: { agents: { write: [{ output: "Sorry.", elapsedMs: 1200, costMicroCents: 2_500_000 }] } },
    script: [{ at: "+1h", decide: { gate: "gate:write", decision: "approve" } }],
  };
  const simulate = (script: unknown, ...options: string[]) =>
    playbook([
      "simulate",
      "good.playbook.json",
      "--script",
      file("script.json", JSON.stringify(script)),
      ...options,
    ]);

  it("shows what happened when, each gate, the cost and the outcome", () => {
    const { status, stdout, stderr } = simulate(SCRIPT);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^start {4}2026-01-01T00:00:00\.000Z\n\nrun run_\w+ of say-sorry 1\.0\.0\n/);
    const entries = [...stdout.matchAll(/^ +(\+\S+) {2}(\S+)/gm)].map(
      ([, when, entry]) => `${when} ${entry}`,
    );
    expect(entries).toEqual([
      "+0s run.created",
      "+0s run.started",
      "+0s step.entered:write",
      "+1s200ms llm.usage:write",
      "+1s200ms gate.opened:gate:write",
      "+1h gate.decided:gate:write",
      "+1h step.succeeded:write",
      "+1h edge.taken:write>done",
      "+1h step.entered:done",
      "+1h run.completed",
    ]);
    expect(stdout.split("\n").slice(-6, -1)).toEqual([
      "gates",
      "  gate:write: approve at +1h, deadline +7d1s200ms",
      "cost     2.5 of 10 cents",
      "active   1.2 of 300 s",
      "outcome  completed, terminator: The apology was approved.",
    ]);
    expect(status).toBe(0);
  });

  it("shows where a run stands that has not ended", () => {
    const { status, stdout } = simulate({ ...SCRIPT, script: [{ advanceTo: "+6d" }] });
    expect(stdout).toContain("  gate:write: open, deadline +7d1s200ms\n");
    expect(stdout).toContain("status   awaiting_approval, at write\n");
    expect(status).toBe(0);
  });

  it("takes a whole vector as its script", () => {
    const example = join(ROOT, "src/documents/conformance/approval-expiry.json");
    const { status, stdout } = playbook([
      ...["simulate", example, "--script", join(VECTORS, "approval-expiry.vector.json")],
    ]);
    expect(stdout).toContain("outcome  cancelled, approval_expired: ");
    expect(status).toBe(0);
  });

  it("answers programs as JSON", () => {
    const { status, stdout } = simulate(SCRIPT, "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      startedAt: "2026-01-01T00:00:00.000Z",
      endedAt: "2026-01-01T01:00:00.000Z",
      runs: [
        { status: "completed", spentMicroCents: 2_500_000, activeMs: 1200, gates: [{ gate: "gate:write" }] },
      ],
      ...{ toolCalls: [], scriptFaults: [], refusal: null },
    });
    expect(status).toBe(0);
  });

  it("ends with 1 when what the script expects does not come true, and says which", () => {
    const { status, stdout } = simulate({
      ...SCRIPT,
      script: [{ at: "+1h", expectState: { status: "waiting" } }],
    });
    expect(stdout).toMatch(/^\/script\/0 expectState: .*waiting/m);
    expect(status).toBe(1);
  });

  it("names what the harness was asked for and does not hold", () => {
    expect(simulate({ ...SCRIPT, harness: {} }).stdout).toContain(
      "The harness answers nothing for agents/write.",
    );
  });

  it("refuses a script with an unknown key, naming its place, and runs nothing", () => {
    const { status, stdout, stderr } = simulate({ ...SCRIPT, harness: { agent: {} } });
    expect(stderr).toBe('script.json is no script:\n  /harness: Unrecognized key: "agent"\n');
    expect([status, stdout]).toEqual([2, ""]);
  });

  it("runs no document with faults", () => {
    const faulty = file("faulty.playbook.json", changed('"next": "done"', '"next": "dnoe"'));
    const script = file("script.json", JSON.stringify(SCRIPT));
    const { status, stdout, stderr } = playbook(["simulate", faulty, "--script", script]);
    expect(stderr).toContain(" G502 error ");
    expect([status, stdout]).toEqual([1, ""]);
  });
});
