/** The host around runs: what they start, what they wait for, and what it does when it was down. */
import { describe, expect, it } from "vitest";
import { leaf } from "../support/documents";
import { idOf, playbook } from "../triggers/support/triggers";
import { DONE, faults, play, run, statuses, timed, tool, webhook, withSteps } from "./support/simulations";

const GATE = {
  id: "gate",
  kind: "approval",
  approver: "operator",
  timeout: "1h",
  onTimeout: "cancel",
  next: "done",
};

describe("the host", () => {
  it("starts no more runs at once than the document allows, in order of their creation", () => {
    const guardrails = {
      maxRunDurationSeconds: 3600,
      maxLlmCostCents: 0,
      requiresApprovalFor: [],
      maxConcurrentRuns: 2,
    };
    const document = withSteps("A", [tool("call", "done"), DONE], { guardrails });
    const result = play(document, {
      harness: {
        tools: {
          fetch: [
            { output: 1, elapsedMs: 1000 },
            { output: 1, elapsedMs: 3000 },
          ],
        },
      },
      script: [{ trigger: webhook({ times: 4 }) }, { advanceTo: "+10s" }],
    });
    const started = result.runs.map((_, index) =>
      timed(result, index).find((line) => line.startsWith("run.started")),
    );
    expect(started).toEqual(["run.started@0", "run.started@0", "run.started@1000", "run.started@3000"]);
  });

  it("gives the place of a run that is parked to the next", () => {
    const guardrails = {
      maxRunDurationSeconds: 60,
      maxLlmCostCents: 0,
      requiresApprovalFor: [],
      maxConcurrentRuns: 1,
    };
    const document = withSteps("A", [GATE, DONE], { guardrails });
    const result = play(document, { script: [{ trigger: webhook({ times: 3 }) }] });
    expect(statuses(result)).toEqual(["awaiting_approval", "awaiting_approval", "awaiting_approval"]);
  });

  it("runs a sub-playbook for each item, and stops it with its parent", () => {
    const child = withSteps("B", [
      tool("call", "end", { input: leaf("trigger") }),
      { ...DONE, id: "end", output: leaf("steps.call.output") },
    ]);
    const parent = withSteps("A", [
      { id: "each", kind: "map", items: "[1, 2]", concurrency: 2, itemPlaybook: idOf("B"), next: "done" },
      DONE,
    ]);
    const harness = {
      tools: {
        fetch: [
          { output: "a", elapsedMs: 1000 },
          { output: "b", elapsedMs: 1000 },
        ],
      },
    };
    const done = run([parent, child], { harness, script: [{ advanceTo: "+1s" }] });
    expect(statuses(done)).toEqual(["completed", "completed", "completed"]);
    expect(done.runs[0]?.view.steps.each?.output).toEqual(["a", "b"]);
    expect(done.runs.map(({ parentRunId }) => parentRunId)).toEqual([
      null,
      done.runs[0]?.runId,
      done.runs[0]?.runId,
    ]);
    const stopped = run([parent, child], { harness, script: [{ cancel: {} }] });
    expect(stopped.runs.map(({ view }) => view.outcome?.reasonCode)).toEqual([
      "operator_cancelled",
      "parent_cancelled",
      "parent_cancelled",
    ]);
  });

  it("fails an item whose sub-playbook is unknown, a draft, or lacks a secret, with the reason", () => {
    const item = (child: ReturnType<typeof withSteps>[]) => {
      const parent = withSteps("A", [
        { id: "each", kind: "map", items: "[1]", itemPlaybook: idOf("B"), next: "done" },
        DONE,
      ]);
      return JSON.stringify(
        run([parent, ...child]).runs[0]?.records.find(({ type }) => type === "map.item_failed"),
      );
    };
    expect(item([])).toContain("playbook_unknown");
    expect(item([withSteps("B", [DONE], { status: "draft" })])).toContain("not_published");
    expect(item([withSteps("B", [DONE], {}, { secrets: ["KEY"] })])).toContain("secret_missing");
  });

  it("refuses a start without its secrets or with a configuration that does not fit", () => {
    const needing = withSteps("A", [DONE], {}, { secrets: ["KEY"] });
    expect(run(needing)).toMatchObject({ runs: [], refusal: { status: 409, code: "secret_missing" } });
    const configured = withSteps("A", [DONE], {
      configSchema: { type: "object", properties: { n: { type: "integer" } } },
      config: { n: 1, m: 2 },
    });
    const wrong = run(configured, { start: { config: { n: "x" } } });
    expect(wrong).toMatchObject({
      runs: [],
      refusal: { status: 422, code: "config_invalid", faults: [{ pointer: "/n" }] },
    });
    expect(statuses(run(configured, { start: { config: { n: 3 } } }))).toEqual(["completed"]);
  });

  it("lets deadlines pass while it is down, and acts on them when it is back", () => {
    const result = run(withSteps("A", [GATE, DONE]), {
      script: [
        { at: "+1m", hostDown: { until: "+2h" } },
        { decide: { gate: "gate", decision: "approve", expect: { status: 410 } } },
      ],
    });
    expect(faults(result)).toEqual([]);
    expect(timed(result)).toContain("gate.expired:gate@7200000");
  });

  it("fires a schedule by the clock alone, and skips what it missed", () => {
    const document = playbook("A", [{ kind: "schedule", cron: "*/15 * * * *" }], { steps: [DONE] });
    const result = play(document, {
      script: [{ advanceTo: "+30m" }, { at: "+31m", hostDown: { until: "+100m" } }, { advanceTo: "+2h" }],
    });
    expect(result.runs.map((_, index) => timed(result, index)[0])).toEqual([
      "run.created@900000",
      "run.created@1800000",
      "run.created@6300000",
      "run.created@7200000",
    ]);
    expect(result.hostRecords.map(({ type }) => type)).toEqual(
      Array.from({ length: 4 }, () => "schedule.skipped"),
    );
  });

  it("speaks to the newest run, and to a gate where it stands open", () => {
    const document = withSteps("A", [GATE, DONE]);
    const result = play(document, {
      script: [
        { trigger: webhook({ times: 2 }) },
        { decide: { gate: "gate", decision: "approve", expect: { status: 200 } } },
        { expectState: { status: "completed" } },
        { decide: { gate: "gate", decision: "reject", expect: { status: 200 } } },
        { decide: { gate: "other", decision: "approve", expect: { status: 409, code: "gate_not_open" } } },
      ],
    });
    expect(faults(result)).toEqual([]);
    expect(statuses(result)).toEqual(["cancelled", "completed"]);
  });

  it("sends the hash that the gate froze, or that of the gate before it", () => {
    const second = { ...GATE, id: "second" };
    const document = withSteps("A", [{ ...GATE, next: "second" }, second, DONE]);
    const decide = (gate: string, subjectHash: string, expect: object) => ({
      decide: { gate, decision: "approve", subjectHash, expect },
    });
    const refused = { status: 409, code: "subject_changed" };
    const result = run(document, {
      script: [
        decide("gate", "stale", refused),
        decide("gate", "current", { status: 200 }),
        decide("second", "current", { status: 200 }),
      ],
    });
    expect(faults(result)).toEqual([]);
    expect(statuses(result)).toEqual(["completed"]);
  });

  it("publishes what the validator accepts, under the words of the validator otherwise", () => {
    const document = withSteps("A", [DONE]);
    const other = { ...document, playbook: { ...document.playbook, instructions: "Other." } };
    const script = [
      { publish: { document, expect: { status: 201 } } },
      { trigger: webhook({ expect: { status: 202, runs: 1 } }) },
      { publish: { document: other, expect: { status: 409, codes: ["D211"] } } },
      { publish: { document: { ...document, opbVersion: "2.0" }, expect: { status: 422, codes: ["E102"] } } },
    ];
    const result = play([], { script });
    expect(faults(result)).toEqual([]);
  });

  it("says what it was told to expect of a delivery and did not get", () => {
    const document = withSteps("A", [DONE]);
    const ignoring = withSteps("B", [DONE], { status: "draft" });
    const script = [
      { trigger: webhook({ signature: "invalid", expect: { status: 202 } }) },
      { trigger: webhook({ expect: { runs: 2 } }) },
      { trigger: webhook({ expect: { ignored: [] } }) },
      { trigger: webhook({ expect: { ignored: ["not_published"], runs: 1, status: 202 } }) },
      { trigger: webhook({ times: 3, deliveryId: "d", expect: { runs: 1, status: 202 } }) },
      { trigger: { kind: "manual", playbookId: idOf("A"), expect: { status: 201 } } },
    ];
    expect(faults(play([document, ignoring], { script }))).toEqual([
      "expected 202, got 401 signature_invalid.",
      "expected 2 runs, got 1.",
      "expected ignored [], got [not_published].",
      "expected 201, got 404 no_manual_trigger.",
    ]);
  });
});
