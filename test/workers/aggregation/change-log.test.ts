/** The change log tells, run by run, what aggregation added and removed. */
import { env, exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { changeLogsOf } from "../../../src/aggregation/change-log";
import { loadChangeEvents } from "../../../src/aggregation/change-log-store";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { Database } from "../../../src/db/client";
import { sql } from "../../../src/db/sql";
import { pairs, rebuild } from "./rebuild-support";
import { agentRules, makeWorld, seedRules, twoAlike, type World } from "./support";

const logsOf = async (world: World, agentVersion = "v1", playbookName = "playbook") => {
  const { events, isCut } = await loadChangeEvents(world.db, world.orgId, { agentVersion, playbookName });
  return changeLogsOf(world.orgId, events, isCut);
};

describe("the change log", () => {
  test("trap 74: tells each run by its id, newest first, what it added and removed, and nothing as updated", async () => {
    const world = makeWorld();
    await seedRules(world, pairs(2));
    await runAggregationTurn(world.services, world.orgId, "v1");
    world.clock.advance(5_000);
    await rebuild(world);
    const ids = (await agentRules(world)).map(({ id }) => id);
    const logs = await logsOf(world);
    expect(
      logs.map((log) => ({
        mode: log.run_mode,
        added: log.added_agent_playbooks.map((rule) => rule.agent_playbook_id),
        removed: log.removed_agent_playbooks.map((rule) => rule.agent_playbook_id),
        updated: log.updated_agent_playbooks,
      })),
    ).toEqual([
      { mode: "full_archive", added: ids.slice(2), removed: ids.slice(0, 2), updated: [] },
      { mode: "incremental", added: ids.slice(0, 2), removed: [], updated: [] },
    ]);
    expect((logs[0]?.created_at ?? 0) - (logs[1]?.created_at ?? 0)).toBe(5);
    expect(new Set(logs.map(({ id }) => id)).size).toBe(2);
    expect(await logsOf(world)).toEqual(logs);
  });

  test("trap 74: a refresh of one rule is one run with one added and one removed", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    await runAggregationTurn(world.services, world.orgId, "v1");
    const [first] = await agentRules(world);
    world.clock.advance(3_600_000);
    const content = "Look the parcel up and mention depot, arrival day and driver.";
    await seedRules(world, [{ id: 3, userId: "cleo", trigger: first?.trigger ?? "", content }]);
    await runAggregationTurn(world.services, world.orgId, "v1");
    const [newest] = await logsOf(world);
    expect(newest).toMatchObject({
      run_mode: "incremental",
      added_agent_playbooks: [{ agent_playbook_id: 2 }],
      removed_agent_playbooks: [{ agent_playbook_id: first?.id, content: first?.content }],
    });
  });

  test("holds what aggregation did and not what people did", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    await runAggregationTurn(world.services, world.orgId, "v1");
    await world.db.run(sql`INSERT INTO lineage (org_id, event_id, entity_type, entity_id, op, source_ids, actor,
        request_id, created_at, to_status) VALUES (${world.orgId}, 'e', 'agent_playbook', '1', 'status_change', '[]',
        'rita', 'r', 1, 'superseded')`);
    const logs = await logsOf(world);
    expect(logs.map((log) => log.removed_agent_playbooks.length)).toEqual([0]);
  });

  test("is of one version and one name", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    await runAggregationTurn(world.services, world.orgId, "v1");
    expect(await logsOf(world, "v2")).toEqual([]);
    expect(await logsOf(world, "v1", "other")).toEqual([]);
  });

  test("a cut answer leaves out the run that may be told in part", async () => {
    const event = (runId: string, id: number) => ({
      ...{ runId, change: "added" as const, reason: "incremental", createdAt: id, fits: true },
      rule: {
        ...{
          agent_playbook_id: id,
          playbook_name: "playbook",
          agent_version: "v1",
          content: "c",
          trigger: null,
        },
        ...{ rationale: null, playbook_status: "pending", playbook_metadata: "" },
      },
    });
    const events = [event("new", 3), event("old", 2)];
    expect((await changeLogsOf("o", events, true)).map((log) => log.created_at)).toEqual([3]);
    expect((await changeLogsOf("o", events.slice(1), true)).map((log) => log.created_at)).toEqual([2]);
    expect(await changeLogsOf("o", events, false)).toHaveLength(2);
  });

  test("reads rules of the version through an index, and their events through another", async () => {
    const world = makeWorld();
    const seen: string[] = [];
    const watching = new (class extends Database {
      override async batch(statements: Parameters<Database["batch"]>[0]) {
        for (const { text, params } of statements) {
          const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${text}`)
            .bind(...params)
            .all<{ detail: string }>();
          seen.push(...plan.results.map(({ detail }) => detail));
        }
        return super.batch(statements);
      }
    })(env.DB);
    await loadChangeEvents(watching, world.orgId, { agentVersion: "v1", playbookName: "playbook" });
    const plan = seen.join("\n");
    expect(plan).toContain("agent_playbooks_by_version (org_id=? AND agent_version=?");
    expect(plan).toContain("lineage_by_entity (org_id=? AND entity_type=? AND entity_id=?");
  });
});

describe("over HTTP", () => {
  const call = async (query: string) => {
    const response = await exports.default.fetch(
      new Request(`http://localhost/api/playbook_aggregation_change_logs${query}`, {
        headers: { "x-playmaker-principal": "rita; owner" },
      }),
    );
    return { status: response.status, body: await response.json<Record<string, unknown>>() };
  };

  test("keys whose value is null stay", async () => {
    const world = makeWorld();
    const services = { ...world.services };
    const rules = twoAlike.map((rule, index) => ({ ...rule, id: 700 + index, agentVersion: "log-v1" }));
    const local: World = { ...world, services, orgId: "self-host-org" };
    await seedRules(local, rules);
    await runAggregationTurn(services, "self-host-org", "log-v1");
    await world.db.run(sql`UPDATE agent_playbooks SET rationale = NULL WHERE org_id = 'self-host-org'
      AND agent_version = 'log-v1'`);
    const { status, body } = await call("?playbook_name=playbook&agent_version=log-v1");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      change_logs: [
        {
          run_mode: "incremental",
          added_agent_playbooks: [{ rationale: null, blocking_issue: null, playbook_status: "pending" }],
          removed_agent_playbooks: [],
          updated_agent_playbooks: [],
        },
      ],
    });
  });

  test("both parameters are required", async () => {
    expect(await call("?playbook_name=playbook")).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "agent_version"] }] },
    });
    expect((await call("?agent_version=v1")).status).toBe(422);
  });
});
