/** A full rebuild: what it replaces, what it spares, and that it is all or nothing. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { runAggregationNow } from "../../../src/aggregation/operations";
import { activeOperation } from "../../../src/aggregation/operations-store";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { sql } from "../../../src/db/sql";
import { parseConfig } from "../../../src/orgs/config";
import { forgetConfig, useConfig } from "../../../src/orgs/config-store";
import { finish, operationOf, pairs, published, rebuild, staged, startRebuild } from "./rebuild-support";
import {
  agentRules,
  clusters,
  items,
  makeWorld,
  seedRules,
  sourcesOf,
  twoAlike,
  type World,
} from "./support";

const setStatus = (world: World, id: number, status: string) =>
  world.db.run(sql`UPDATE agent_playbooks SET playbook_status = ${status}, version = version + 1
    WHERE org_id = ${world.orgId} AND agent_playbook_id = ${id}`);

/** Runs what is due until nothing is. */
const settle = async (world: World) => {
  for (let turn = 0; turn < 6; turn += 1) {
    const { nextInMs } = await runAggregationTurn(world.services, world.orgId, "v1");
    if (nextInMs === null || nextInMs > 5_000) return;
    world.clock.advance(nextInMs);
  }
};

describe("a rebuild", () => {
  test("makes every rule anew, archives the pending ones, and leaves nothing staged", async () => {
    const world = makeWorld();
    await seedRules(world, pairs(2));
    await settle(world);
    const before = await agentRules(world);
    expect(before.map(({ status }) => status)).toEqual([null, null]);
    const { operation, turns } = await rebuild(world);
    expect(turns).toBe(1);
    expect(operation).toMatchObject({
      status: "succeeded",
      progress: { done: 3, total: 3 },
      counts: { user_playbooks_processed: 4, clusters_found: 2, playbooks_generated: 2, supersessions: 2 },
    });
    const after = await agentRules(world);
    expect(after.map(({ status }) => status)).toEqual(["superseded", "superseded", null, null]);
    expect(after.slice(0, 2).map((rule) => rule.superseded_by)).toEqual(after.slice(2).map(({ id }) => id));
    expect((await clusters(world)).map(({ members }) => members)).toEqual([2, 2]);
    expect((await items(world)).map(({ disposition }) => disposition)).toEqual(
      Array(4).fill("cluster_member"),
    );
    expect((await sourcesOf(world, after[2]?.id ?? 0)).map(({ id }) => id)).toEqual([1, 2]);
    expect(await staged(world)).toEqual({ rebuilds: 0, rows: 0, clusters: 0 });
  });

  test("writes an event, a vector and index work for each rule that comes or goes, under the operation's id", async () => {
    const world = makeWorld();
    await seedRules(world, pairs(1));
    await settle(world);
    await world.db.run(sql`DELETE FROM outbox WHERE org_id = ${world.orgId}`);
    const operationId = await startRebuild(world);
    await finish(world, operationId);
    const [old, next] = await agentRules(world);
    const events = await world.db.all(
      z.object({ entity: z.string(), op: z.string(), sources: z.string(), reason: z.string() }),
      sql`SELECT entity_id AS entity, op, source_ids AS sources, reason FROM lineage
          WHERE org_id = ${world.orgId} AND request_id = ${operationId} ORDER BY op`,
    );
    expect(events).toEqual([
      { entity: String(next?.id), op: "aggregate", sources: "[1,2]", reason: "full_archive" },
      { entity: String(old?.id), op: "status_change", sources: `[${next?.id}]`, reason: "full_archive" },
    ]);
    const work = await world.db.all(
      z.object({ key: z.string() }),
      sql`SELECT key FROM outbox WHERE org_id = ${world.orgId} AND topic = 'vector' ORDER BY key`,
    );
    expect(work.map(({ key }) => key)).toEqual([
      `["agent_playbook",${old?.id}]`,
      `["agent_playbook",${next?.id}]`,
    ]);
    const vectors = await world.db.all(
      z.object({ id: z.int(), bytes: z.int() }),
      sql`SELECT entity_id AS id, length(vector) AS bytes FROM vectors WHERE org_id = ${world.orgId}
          AND kind = 'agent_playbook' ORDER BY entity_id`,
    );
    expect(vectors).toEqual([
      { id: old?.id, bytes: 512 },
      { id: next?.id, bytes: 512 },
    ]);
  });

  test("trap 54: spares approved rules and shows them to the model, and pending ones it never shows", async () => {
    const world = makeWorld();
    await seedRules(world, pairs(2));
    await settle(world);
    const [first, second] = await agentRules(world);
    await setStatus(world, first?.id ?? 0, "approved");
    const asked = world.seen.length;
    await rebuild(world);
    expect((await agentRules(world)).slice(0, 2).map(({ status }) => status)).toEqual([null, "superseded"]);
    const shown = world.seen.slice(asked).map(({ existingRules }) => existingRules);
    expect(shown[0]).toContain(first?.content);
    expect(shown.flat()).not.toContain(second?.content);
  });

  test("names the approved rule whose members it puts together again as the one it would replace", async () => {
    const world = makeWorld({}, () => ({
      playbook: { trigger: "When a parcel is late", content: `Say so. ${world.seen.length}`, rationale: "" },
    }));
    await seedRules(world, pairs(1));
    await settle(world);
    const [approved] = await agentRules(world);
    await setStatus(world, approved?.id ?? 0, "approved");
    await rebuild(world);
    expect((await agentRules(world))[1]).toMatchObject({ approval: "pending", replaces: approved?.id });
  });

  test("spares rejected rules, and what a person rejected is not proposed again", async () => {
    const world = makeWorld();
    await seedRules(world, pairs(2));
    await settle(world);
    const [first] = await agentRules(world);
    await setStatus(world, first?.id ?? 0, "rejected");
    const { operation } = await rebuild(world);
    expect(operation.counts).toMatchObject({ clusters_found: 2, playbooks_generated: 1 });
    expect((await agentRules(world)).map(({ approval, status }) => [approval, status])).toEqual([
      ["rejected", null],
      ["pending", "superseded"],
      ["pending", null],
    ]);
    expect((await items(world)).slice(0, 2).map(({ reason }) => reason)).toEqual(
      Array(2).fill("rejected_before"),
    );
  });

  test("trap 53: a rebuild that generates nothing archives nothing and resets nothing", async () => {
    let isNull = false;
    const world = makeWorld({}, () =>
      isNull ? { playbook: null } : { playbook: { trigger: "When", content: "Do it.", rationale: "" } },
    );
    await seedRules(world, pairs(1));
    await settle(world);
    const before = await published(world);
    isNull = true;
    const { operation } = await rebuild(world);
    expect(operation).toMatchObject({
      status: "succeeded",
      counts: { playbooks_generated: 0, semantic_nulls: 1, supersessions: 0 },
    });
    expect(await published(world)).toBe(before);
    expect(await staged(world)).toEqual({ rebuilds: 0, rows: 0, clusters: 0 });
  });

  test("ends the members of a cluster whose answer is null, where another gave a rule", async () => {
    const world = makeWorld({}, (input) =>
      input.sources.some(({ trigger }) => trigger.includes("invoice"))
        ? { playbook: null }
        : { playbook: { trigger: "When a parcel is late", content: "Look it up.", rationale: "" } },
    );
    await seedRules(world, pairs(2));
    await rebuild(world);
    expect((await items(world)).map(({ disposition, reason }) => [disposition, reason])).toEqual([
      ["cluster_member", "full_archive"],
      ["cluster_member", "full_archive"],
      ["terminal_noop", "semantic_null"],
      ["terminal_noop", "semantic_null"],
    ]);
  });

  test("keeps one version's rebuild away from another version", async () => {
    const world = makeWorld();
    await seedRules(world, [...pairs(1), ...pairs(1, 101).map((rule) => ({ ...rule, agentVersion: "v2" }))]);
    await runAggregationTurn(world.services, world.orgId, "v2");
    const other = [await agentRules(world, "v2"), await items(world, "v2")];
    await rebuild(world);
    expect([await agentRules(world, "v2"), await items(world, "v2")]).toEqual(other);
  });
});

describe("its limits", () => {
  test("trap 53: a version above the cap is refused with both numbers before anything changes", async () => {
    const world = makeWorld();
    await world.db.run(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
      INSERT INTO user_playbooks (org_id, user_playbook_id, user_id, agent_version, request_id, playbook_name,
        created_at, updated_at_ms, content, source_interaction_ids, flags, scope, search_text)
      SELECT ${world.orgId}, i, 'u', 'v1', 'r', 'playbook', 1, 1, 'Do it.', '[]', '[]', '', '' FROM n`);
    const before = await published(world);
    const answer = await runAggregationNow(world.services, {
      ...{ orgId: world.orgId, agentVersion: "v1", requestId: "req" },
    });
    expect(answer).toEqual({
      success: false,
      message: "Aggregation failed: 20001 user playbooks: this exceeds the safety cap (20001 > 20000)",
      operationId: null,
    });
    expect(await published(world)).toBe(before);
    expect(await activeOperation(world.db, world.orgId, "v1")).toBeNull();
  });

  test("trap 53: rules that grow past the cap after the start fail the operation at once, unchanged", async () => {
    const world = makeWorld();
    await seedRules(world, twoAlike);
    const operationId = await startRebuild(world);
    await world.db.run(sql`WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 20010)
      INSERT INTO user_playbooks (org_id, user_playbook_id, user_id, agent_version, request_id, playbook_name,
        created_at, updated_at_ms, content, source_interaction_ids, flags, scope, search_text)
      SELECT ${world.orgId}, i, 'u', 'v1', 'r', 'playbook', 1, 1, 'Do it.', '[]', '[]', '', '' FROM n`);
    const { operation, turns } = await finish(world, operationId);
    expect([operation.status, operation.error, turns]).toEqual(["failed", "cap_exceeded", 1]);
    expect(world.seen).toEqual([]);
    expect(await staged(world)).toEqual({ rebuilds: 0, rows: 0, clusters: 0 });
  });

  test("trap 52: clusters of one skip a rebuild, with success", async () => {
    const world = makeWorld();
    const { statements } = await useConfig(
      world.orgId,
      parseConfig({
        user_playbook_extractor_config: {
          extraction_definition_prompt: "Rules.",
          aggregation_config: { min_cluster_size: 1 },
        },
      }),
      1,
    );
    await world.db.batch(statements);
    forgetConfig(world.orgId);
    await seedRules(world, twoAlike);
    const answer = await runAggregationNow(world.services, {
      ...{ orgId: world.orgId, agentVersion: "v1", requestId: "req" },
    });
    expect(answer).toMatchObject({ success: true, operationId: null });
    expect(answer.message).toMatch(/^Skipped: /);
  });

  test("asks at most 20 times a turn, stores each answer as it comes, and goes on where it was", async () => {
    const world = makeWorld({}, () => ({
      playbook: {
        trigger: `When ${world.seen.length}`,
        content: `Do thing ${world.seen.length}.`,
        rationale: "",
      },
    }));
    await seedRules(world, pairs(45));
    const operationId = await startRebuild(world);
    const progress = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const { nextInMs } = await runAggregationTurn(world.services, world.orgId, "v1");
      world.clock.advance(nextInMs ?? 0);
      progress.push([world.seen.length, (await operationOf(world, operationId)).progress?.done]);
      // Nothing shows before the end.
      expect(await agentRules(world)).toEqual([]);
    }
    const { clusters_found: found } = (await operationOf(world, operationId)).counts ?? { clusters_found: 0 };
    expect(found).toBeGreaterThan(40);
    expect(progress).toEqual([
      [20, 20],
      [40, 40],
    ]);
    const { operation, turns } = await finish(world, operationId);
    expect(turns).toBe(1);
    expect(operation).toMatchObject({ attempts: 1, counts: { playbooks_generated: found } });
    expect(world.seen.length).toBe(found);
    expect(await agentRules(world)).toHaveLength(found);
  });
});
