/** Webhooks, starts by hand, findings and completions: who runs, once, and why the others do not. */
import { describe, expect, it } from "vitest";
import type { ManualTrigger, WebhookTrigger } from "../../../../src/documents/model";
import { LIMITS } from "../../../../src/documents/spec";
import { idOf, playbook, Triggers } from "./support/triggers";

const HOOK: WebhookTrigger = { kind: "webhook", source: "payments", event: "charge.failed" };
const DAY_MS = 86_400_000;

describe("a webhook", () => {
  it("starts one run of every playbook that listens, pinned and with its payload", () => {
    const triggers = new Triggers().publish(
      playbook("A", [HOOK, HOOK]),
      playbook("B", [{ ...HOOK, event: "charge.refunded" }]),
      playbook("C", [{ ...HOOK, input: { urgent: true, amount: 0 } }]),
    );
    const reply = triggers.webhook({ amount: 5 }, { deliveryId: "d1" });
    expect(reply).toMatchObject({ status: 202, ignored: [] });
    expect(reply.runs).toEqual(triggers.starts.map(({ start }) => start.runId));
    expect(triggers.starts.map(({ start }) => [start.playbookId, start.payload])).toEqual([
      [idOf("A"), { amount: 5 }],
      [idOf("C"), { urgent: true, amount: 5 }],
    ]);
    expect(triggers.starts[0]?.start).toMatchObject({
      trigger: { kind: "webhook", source: "payments", event: "charge.failed", deliveryId: "d1" },
      startedBy: { id: "trigger:webhook:payments", roles: [] },
      depth: 0,
      chain: [],
    });
  });

  it("is refused before anything else when its sender is not proven", () => {
    const triggers = new Triggers().publish(playbook("A", [HOOK]));
    expect(triggers.webhook({}, { deliveryId: "d", signature: "invalid" })).toMatchObject({
      status: 401,
      runs: [],
    });
    expect(triggers.webhook({}, { deliveryId: "d", signature: "missing" })).toMatchObject({
      status: 401,
      runs: [],
    });
    // A forged delivery does not take the id of the true one.
    expect(triggers.webhook({}, { deliveryId: "d" }).runs).toHaveLength(1);
  });

  it("is answered as the first time when its delivery id comes again, and starts nothing", () => {
    const triggers = new Triggers().publish(playbook("A", [HOOK]));
    const first = triggers.webhook({ n: 1 }, { deliveryId: "d1" });
    triggers.nowMs += DAY_MS;
    triggers.publish(playbook("B", [HOOK]));
    expect(triggers.webhook({ n: 2 }, { deliveryId: "d1" })).toEqual(first);
    expect(triggers.starts).toHaveLength(1);
    expect(triggers.webhook({ n: 1 }, { deliveryId: "d2" }).runs).toHaveLength(2);
  });

  it("is an event of its own each time without an id, with the same body or none", () => {
    const triggers = new Triggers().publish(playbook("A", [HOOK]));
    const runs = [1, 2, 3].flatMap(() => triggers.webhook(null).runs);
    expect(new Set(runs).size).toBe(3);
  });

  it("cannot take the id of another source's delivery, nor of a schedule's slot", () => {
    const triggers = new Triggers().publish(playbook("A", [HOOK, { ...HOOK, source: "other" }]));
    const delivery = { type: "webhook", event: "charge.failed", payload: {}, signature: "valid" } as const;
    triggers.reply({ ...delivery, source: "payments", deliveryId: "d" });
    triggers.reply({ ...delivery, source: "other", deliveryId: "d" });
    expect(triggers.starts).toHaveLength(2);
  });

  it("says why a playbook that listens does not run", () => {
    const hundred = { path: "/amount", type: "number", op: "gt", value: 100 } as const;
    const triggers = new Triggers().publish(
      playbook("A", [{ ...HOOK, filters: [hundred] }]),
      playbook("B", [HOOK], { status: "draft" }),
      playbook("C", [HOOK], { status: "archived" }),
      playbook("D", [{ ...HOOK, enabled: false }]),
      playbook("E", [HOOK], {}, { secrets: ["API_KEY"] }),
      playbook("F", [HOOK], { configSchema: { type: "object", required: ["region"] } }),
      playbook("G", [HOOK], { status: "deprecated" }),
    );
    const reply = triggers.webhook({ amount: "150" });
    expect(reply.runs).toHaveLength(1);
    expect(reply.ignored).toEqual([
      { playbook: idOf("A"), why: "filter_mismatch" },
      { playbook: idOf("B"), why: "not_published" },
      { playbook: idOf("C"), why: "not_published" },
      { playbook: idOf("D"), why: "disabled" },
      { playbook: idOf("E"), why: "secret_missing" },
      { playbook: idOf("F"), why: "config_invalid" },
    ]);
    expect(triggers.records).toContain("trigger.ignored:not_published");
  });

  it("starts the version that was published last, and no older one", () => {
    const triggers = new Triggers().publish(
      playbook("A", [HOOK]),
      playbook("A", [HOOK], { version: "1.1.0" }),
    );
    expect(triggers.webhook({}).runs).toHaveLength(1);
    expect(triggers.starts[0]?.start.version).toBe("1.1.0");
  });

  it("starts with an optional secret unbound, and with a required one bound", () => {
    const document = playbook("A", [HOOK], {}, { secrets: ["KEY", { name: "EXTRA", optional: true }] });
    expect(new Triggers(["KEY"]).publish(document).webhook({}).runs).toHaveLength(1);
  });
});

describe("a start by hand", () => {
  const MANUAL: ManualTrigger = { kind: "manual" };
  const by = { id: "ada", roles: ["operator"] };
  const start = (triggers: Triggers, more: object = {}) =>
    triggers.reply({ type: "manual", payload: {}, by, ...more });

  it("runs the one playbook that can be started so, or the one that is named by id or slug", () => {
    const triggers = new Triggers().publish(playbook("A", [HOOK]), playbook("B", [MANUAL]));
    expect(start(triggers)).toMatchObject({ status: 201 });
    triggers.publish(playbook("C", [MANUAL]));
    expect(start(triggers)).toMatchObject({ status: 400, code: "playbook_ambiguous", runs: [] });
    expect(start(triggers, { playbookId: idOf("C") })).toMatchObject({ status: 201 });
    expect(start(triggers, { playbookId: "playbook-b" })).toMatchObject({ status: 201 });
    expect(start(triggers, { playbookId: "playbook-a" })).toMatchObject({
      status: 404,
      code: "no_manual_trigger",
    });
    expect(start(triggers, { playbookId: "nobody" })).toMatchObject({
      status: 404,
      code: "playbook_unknown",
    });
  });

  it("is refused to nobody, and to whoever has none of the trigger's roles", () => {
    const triggers = new Triggers().publish(playbook("A", [{ ...MANUAL, roles: ["lead"] }]));
    expect(start(triggers, { by: null })).toMatchObject({ status: 401 });
    expect(start(triggers)).toMatchObject({ status: 403, code: "forbidden" });
    expect(start(triggers, { by: { id: "bo", roles: ["lead"] } })).toMatchObject({ status: 201 });
    expect(triggers.starts.map((planned) => planned.start.startedBy.id)).toEqual(["bo"]);
  });

  it("names what is wrong with its input by pointer", () => {
    const inputSchema = { type: "object", required: ["id"], properties: { id: { type: "integer" } } };
    const triggers = new Triggers().publish(playbook("A", [{ ...MANUAL, inputSchema }]));
    const reply = start(triggers, { payload: { id: "7" } });
    expect(reply).toMatchObject({ status: 422, code: "input_invalid", runs: [] });
    expect(reply.faults?.map(({ pointer }) => pointer)).toEqual(["/id"]);
    expect(start(triggers, { payload: { id: 7 } }).status).toBe(201);
  });

  it("is refused without a required secret", () => {
    const triggers = new Triggers().publish(playbook("A", [MANUAL], {}, { secrets: ["KEY"] }));
    expect(start(triggers)).toMatchObject({ status: 409, code: "secret_missing", runs: [] });
  });

  it("tests a draft, whose run starts no other", () => {
    const draft = playbook("A", [MANUAL], { status: "draft" });
    const triggers = new Triggers().publish(
      draft,
      playbook("B", [{ kind: "dependency", playbookId: idOf("A") }]),
    );
    const [runId = ""] = start(triggers).runs;
    triggers.end(runId);
    expect(triggers.starts).toHaveLength(1);
  });
});

describe("a finding", () => {
  const FINDING = { kind: "agent_finding", minSeverity: "medium" } as const;
  const report = (triggers: Triggers, finding: object, more: object = {}) =>
    triggers.reply({
      type: "agent_finding",
      agent: "scout",
      payload: JSON.parse(JSON.stringify({ type: "churn", severity: "high", ...finding })),
      ...more,
    });

  it("starts a run when its severity is high enough, with the finding as it came", () => {
    const triggers = new Triggers().publish(playbook("A", [FINDING]));
    expect(report(triggers, { severity: "low" })).toMatchObject({ status: 202, runs: [] });
    expect(report(triggers, { severity: "medium" }).runs).toHaveLength(1);
    expect(report(triggers, { severity: "critical", extra: 1 }).runs).toHaveLength(1);
    expect(triggers.starts[1]?.start.payload).toEqual({ type: "churn", severity: "critical", extra: 1 });
    expect(triggers.starts[1]?.start.startedBy).toEqual({ id: "scout", roles: [] });
  });

  it("is selected by agent, role and type together", () => {
    const trigger = { kind: "agent_finding", agent: "scout", role: "watch", findingType: "churn" } as const;
    const triggers = new Triggers().publish(playbook("A", [trigger]));
    expect(report(triggers, {}, { role: "watch" }).runs).toHaveLength(1);
    expect(report(triggers, {}).runs).toEqual([]);
    expect(report(triggers, {}, { role: "watch", agent: "other" }).runs).toEqual([]);
    expect(report(triggers, { type: "spam" }, { role: "watch" }).runs).toEqual([]);
  });

  it("runs once for a dedupe key of one agent, however often it comes", () => {
    const triggers = new Triggers().publish(playbook("A", [FINDING]));
    const replies = Array.from({ length: 100 }, () => report(triggers, { dedupeKey: "k" }));
    expect(replies[0]).toMatchObject({ status: 202 });
    expect(new Set(replies.slice(1).map(({ status }) => status))).toEqual(new Set([200]));
    expect(triggers.starts).toHaveLength(1);
    expect(report(triggers, { dedupeKey: "k" }, { agent: "other" }).runs).toHaveLength(1);
    triggers.nowMs += LIMITS.dedupeSeconds * 1000;
    expect(report(triggers, { dedupeKey: "k" }).runs).toHaveLength(1);
  });

  it("is slowed down when one agent reports too much, which no other agent feels", () => {
    const triggers = new Triggers().publish(playbook("A", [FINDING]));
    for (let count = 0; count < LIMITS.findingsPerMinute; count++)
      expect(report(triggers, {}).status).toBe(202);
    expect(report(triggers, {})).toMatchObject({ status: 429, code: "rate_limited", runs: [] });
    expect(report(triggers, {}, { agent: "other" }).status).toBe(202);
    triggers.nowMs += 60_000;
    expect(report(triggers, {}).status).toBe(202);
  });

  it("starts no run that its agent could approve", () => {
    const triggers = new Triggers().publish(playbook("A", [FINDING]));
    const reply = report(triggers, {}, { role: "operator" });
    expect(reply).toMatchObject({ runs: [], ignored: [{ playbook: idOf("A"), why: "self_approval" }] });
    expect(report(triggers, {}, { role: "watch" }).runs).toHaveLength(1);
  });

  it("does not come back to a playbook that led to it", () => {
    const triggers = new Triggers().publish(playbook("A", [FINDING]));
    expect(report(triggers, {}, { chain: [idOf("B"), idOf("A")] })).toMatchObject({ runs: [] });
    expect(triggers.records).toEqual(["trigger.chain_guard"]);
    expect(report(triggers, {}, { chain: [idOf("B")] }).runs).toHaveLength(1);
    expect(triggers.starts[0]?.start.chain).toEqual([idOf("B")]);
  });

  it("is refused, by pointer, when it is none", () => {
    const triggers = new Triggers().publish(playbook("A", [FINDING]));
    const reply = report(triggers, { severity: "huge", evidence: "none" });
    expect(reply).toMatchObject({ status: 422, code: "finding_invalid" });
    expect(reply.faults?.map(({ pointer }) => pointer)).toEqual(["/severity", "/evidence"]);
    expect(triggers.reply({ type: "agent_finding", agent: "scout", payload: "text" }).status).toBe(422);
  });
});

describe("a completion", () => {
  const following = (letter: string, more: object = {}) =>
    [{ kind: "dependency", playbookId: idOf(letter), ...more }] as const;

  it("starts the playbooks that depend on it, once, with what it was", () => {
    const triggers = new Triggers().publish(playbook("A", [HOOK]), playbook("B", [...following("A")]));
    const [runId = ""] = triggers.webhook({}).runs;
    triggers.end(runId, { output: { n: 1 } });
    triggers.end(runId, { output: { n: 1 } });
    expect(
      triggers.starts.slice(1).map(({ start }) => [start.playbookId, start.payload, start.chain]),
    ).toEqual([
      [
        idOf("B"),
        {
          run: { id: runId, status: "completed", reasonCode: "terminator", output: { n: 1 } },
          chainDepth: 1,
          chain: [idOf("A")],
        },
        [idOf("A")],
      ],
    ]);
  });

  it("counts by status, terminator, version range and filters", () => {
    const run = (trigger: object, outcome: object = {}): number => {
      const triggers = new Triggers().publish(
        playbook("A", [HOOK]),
        playbook("B", [...following("A", trigger)]),
      );
      const [runId = ""] = triggers.webhook({}).runs;
      triggers.end(runId, outcome);
      return triggers.starts.length - 1;
    };
    const failed = { status: "failed", reasonCode: "step_failed" };
    expect(run({})).toBe(1);
    expect(run({}, failed)).toBe(0);
    expect(run({ on: ["failed", "cancelled"] }, failed)).toBe(1);
    expect(run({ on: [] })).toBe(0);
    expect(run({ terminator: "done" })).toBe(0);
    expect(run({ terminator: "done" }, { terminatorId: "done" })).toBe(1);
    expect(run({ versionRange: "^1.0.0" })).toBe(1);
    expect(run({ versionRange: "^2.0.0" })).toBe(0);
    expect(run({ versionRange: "what" })).toBe(0);
    expect(run({ enabled: false })).toBe(0);
    const filters = [{ path: "/run/output/n", type: "number", op: "gt", value: 1 }];
    expect(run({ filters }, { output: { n: 2 } })).toBe(1);
    expect(run({ filters }, { output: { n: "2" } })).toBe(0);
  });

  it("is delivered by hand as if it had happened, once for each upstream run", () => {
    const triggers = new Triggers().publish(playbook("B", [...following("A")]));
    const deliver = (payload: object) =>
      triggers.reply({
        type: "dependency",
        playbookId: idOf("A"),
        payload: JSON.parse(JSON.stringify(payload)),
      });
    expect(deliver({ run: { id: "r1" } }).runs).toHaveLength(1);
    expect(deliver({ run: { id: "r1" } }).runs).toEqual([]);
    expect(deliver({ run: { id: "r2", status: "failed" } }).runs).toEqual([]);
    expect(deliver({}).runs).toHaveLength(1);
    expect(deliver({ run: { status: "paused" } })).toMatchObject({ status: 422, code: "completion_invalid" });
  });

  it("ends a chain at ten, and before it comes back to a playbook", () => {
    const triggers = new Triggers().publish(playbook("B", [...following("A")]));
    const deliver = (id: string, chainDepth: number, chain: string[]) =>
      triggers.reply({
        type: "dependency",
        playbookId: idOf("A"),
        payload: { run: { id }, chainDepth, chain },
      });
    expect(deliver("r1", 10, [idOf("A")]).runs).toHaveLength(1);
    expect(deliver("r2", 11, [idOf("A")])).toMatchObject({ runs: [], ignored: [{ why: "chain_guard" }] });
    expect(deliver("r3", 2, [idOf("B"), idOf("A")])).toMatchObject({
      runs: [],
      ignored: [{ why: "chain_guard" }],
    });
    expect(triggers.records).toEqual(["trigger.chain_guard", "trigger.chain_guard"]);
  });

  it("goes round a circle of playbooks once", () => {
    const triggers = new Triggers().publish(
      playbook("A", [HOOK, ...following("B")]),
      playbook("B", [...following("A")]),
    );
    triggers.webhook({});
    for (let index = 0; index < triggers.starts.length; index++) {
      triggers.end(triggers.starts[index]?.start.runId ?? "");
    }
    expect(triggers.starts.map(({ start }) => start.playbookId)).toEqual([idOf("A"), idOf("B")]);
    expect(triggers.records).toEqual(["trigger.chain_guard"]);
  });
});

describe("what was started", () => {
  it("is rebuilt from the stored events", () => {
    const triggers = new Triggers(["KEY"]).publish(
      playbook("A", [HOOK, { kind: "schedule", cron: "*/5 * * * *", overlap: "buffer_one" }]),
      playbook("B", [{ kind: "dependency", playbookId: idOf("A") }]),
    );
    const [runId = ""] = triggers.webhook({}, { deliveryId: "d" }).runs;
    triggers.at(triggers.nowMs + 300_000);
    triggers.end(runId);
    triggers.webhook({}, { deliveryId: "d" });
    triggers.at(triggers.nowMs + 300_000);
    expect(triggers.folded()).toEqual(triggers.state);
    expect(Object.keys(triggers.state.runs)).toHaveLength(3);
  });
});
