/** What a changed, archived or deleted user playbook does to the cluster that it was a member of. */
import { expect, test } from "vitest";
import * as z from "zod";
import { pageOf } from "../../../src/aggregation/invalidations";
import { applyPage, loadInvalidations } from "../../../src/aggregation/invalidations-store";
import { stageRows } from "../../../src/aggregation/store";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { type Statement, sql } from "../../../src/db/sql";
import { synthesiseOffline } from "../../../src/platform/reasoner/offline/synthesise";
import { ReasonerError, type TaskInput } from "../../../src/platform/reasoner/port";
import { retireUserPlaybooks } from "../../../src/playbooks/store";
import {
  agentRules,
  clusters,
  items,
  lineageOps,
  makeWorld,
  type SeedRule,
  seedRules,
  seedVectors,
  sourcesOf,
  stateOf,
  twoAlike,
  type World,
} from "./support";

/** What one user alone taught: it must leave the rule with its source. */
const SECRET = "name the blue warehouse";
const parcels: SeedRule[] = [
  { id: 1, userId: "ana", content: "Look the parcel up and tell its place." },
  { id: 2, userId: "ben", content: "Look up the parcel yourself and tell where it is." },
  { id: 3, userId: "cleo", content: `Look the parcel up, tell its place and ${SECRET}.` },
].map((rule) => ({ ...rule, trigger: "User asks where a parcel is" }));

const HOUR_MS = 3_600_000;

async function turn(world: World): Promise<number | null> {
  return (await runAggregationTurn(world.services, world.orgId, "v1")).nextInMs;
}

/** A cluster of three and its pending rule. */
async function clustered(answer?: (input: TaskInput<"synthesise">) => ReturnType<typeof synthesiseOffline>) {
  const world = makeWorld({}, answer);
  await seedRules(world, parcels);
  await turn(world);
  expect(await clusters(world)).toMatchObject([{ members: 3, state: "active" }]);
  world.clock.advance(HOUR_MS);
  return world;
}

const inOrg = (world: World, statement: (orgId: string) => Statement) => world.db.run(statement(world.orgId));

const archive = (world: World, id: number) =>
  inOrg(
    world,
    (orgId) => sql`UPDATE user_playbooks SET status = 'archived', updated_at_ms = updated_at_ms + 1
        WHERE org_id = ${orgId} AND user_playbook_id = ${id}`,
  );

const edit = (world: World, id: number, content: string) =>
  inOrg(
    world,
    (orgId) => sql`UPDATE user_playbooks SET content = ${content}, updated_at_ms = updated_at_ms + 1
        WHERE org_id = ${orgId} AND user_playbook_id = ${id}`,
  );

const remove = (world: World, id: number) =>
  inOrg(
    world,
    (orgId) => sql`DELETE FROM user_playbooks WHERE org_id = ${orgId} AND user_playbook_id = ${id}`,
  );

const approve = (world: World) =>
  inOrg(
    world,
    (orgId) =>
      sql`UPDATE agent_playbooks SET playbook_status = 'approved', version = version + 1 WHERE org_id = ${orgId}`,
  );

const invalidations = (world: World) =>
  world.db.all(
    z.object({ id: z.int(), operation: z.string(), successor: z.int().nullable(), open: z.int() }),
    sql`SELECT user_playbook_id AS id, operation, successor_id AS successor, processed_at_ms IS NULL AS open
        FROM invalidations WHERE org_id = ${world.orgId} ORDER BY row`,
  );

const clocks = (world: World) =>
  world.db.all(
    z.object({ attempts: z.int(), due: z.int() }),
    sql`SELECT rebuild_attempts AS attempts, rebuild_next_at_ms - ${world.clock.nowMs()} AS due FROM clusters
        WHERE org_id = ${world.orgId}`,
  );

test.each([
  ["edited", "edit", (world: World) => edit(world, 3, "Say thanks.")],
  ["archived", "archive", (world: World) => archive(world, 3)],
  ["deleted", "delete", (world: World) => remove(world, 3)],
] as const)("a member that is %s is noted once, and marks its version", async (_name, operation, change) => {
  const world = await clustered();
  const before = await stateOf(world);
  expect(before?.pending).toBe(0);
  await change(world);
  expect(await invalidations(world)).toEqual([{ id: 3, operation, successor: null, open: 1 }]);
  // Trap 37: what was planned stays planned.
  expect(await stateOf(world)).toMatchObject({
    pending: 1,
    next: before?.next,
    version: (before?.version ?? 0) + 1,
  });
});

test("changes that aggregation need not hear of are not noted: tags, names, and rules it never took up", async () => {
  const world = await clustered();
  await seedRules(world, [
    { id: 4, userId: "dan", trigger: "Closing a ticket", content: "Ask for feedback." },
  ]);
  await inOrg(
    world,
    (orgId) => sql`UPDATE user_playbooks SET tags = '[]', playbook_name = 'other' WHERE org_id = ${orgId}`,
  );
  await edit(world, 4, "Ask how it went.");
  await remove(world, 4);
  expect(await invalidations(world)).toEqual([]);
});

test("trap 48: a deleted source leaves the rule: it is rebuilt from those left, without being shown", async () => {
  const world = await clustered();
  const [first] = await agentRules(world);
  expect(first?.content).toContain(SECRET);
  await remove(world, 3);
  await turn(world);
  const [old, fresh, ...others] = await agentRules(world);
  expect(others).toEqual([]);
  expect(old).toMatchObject({ id: first?.id, status: "superseded", superseded_by: fresh?.id });
  expect(fresh).toMatchObject({ approval: "pending", status: null });
  expect(fresh?.content).not.toContain(SECRET);
  expect(world.seen.at(-1)).toMatchObject({ mode: "rebuild", current: null, existingRules: [] });
  expect(JSON.stringify(world.seen.at(-1))).not.toContain(SECRET);
  expect(await clusters(world)).toMatchObject([{ agent: fresh?.id, members: 2, state: "active" }]);
  expect((await sourcesOf(world, fresh?.id ?? 0)).map(({ id }) => id)).toEqual([1, 2]);
  expect(await items(world)).toMatchObject([
    { id: 1, disposition: "cluster_member", reason: "invalidation_rebuild" },
    { id: 2, disposition: "cluster_member", reason: "invalidation_rebuild" },
  ]);
  expect(await lineageOps(world)).toMatchObject([
    { op: "aggregate", entity: String(first?.id) },
    { op: "aggregate", entity: String(fresh?.id) },
    { op: "status_change", entity: String(first?.id), to_status: "superseded" },
  ]);
  expect(await invalidations(world)).toMatchObject([{ open: 0 }]);
});

test("trap 48: an invalidated rule is shown for no other cluster either", async () => {
  const world = await clustered();
  // Its own cluster cannot be rebuilt yet.
  await world.db.run(sql`DELETE FROM vectors WHERE org_id = ${world.orgId} AND kind = 'user_playbook'`);
  await remove(world, 3);
  const other = { trigger: "A voucher has run out", content: "Extend the voucher by one week." };
  await seedRules(world, [
    { id: 8, userId: "dan", ...other },
    { id: 9, userId: "eve", ...other },
  ]);
  await turn(world);
  expect(world.seen.at(-1)).toMatchObject({ mode: "new", existingRules: [] });
  expect(await clusters(world)).toContainEqual(expect.objectContaining({ state: "rebuilding" }));
});

test("trap 48: all members come back with the rule, though the model is shown the newest hundred", async () => {
  const world = makeWorld({}, (input) => ({
    playbook: {
      trigger: "User asks where a parcel is",
      content: `Look it up (${input.mode}).`,
      rationale: "",
    },
  }));
  await seedRules(
    world,
    Array.from({ length: 40 }, (_, at) => ({
      id: at + 1,
      userId: `user-${at}`,
      trigger: "User asks where a parcel is",
      content: "Look the parcel up and tell its place.",
    })),
  );
  await turn(world);
  await seedRules(
    world,
    Array.from({ length: 70 }, (_, at) => ({
      id: at + 41,
      userId: `user-${at}`,
      trigger: "User asks where a parcel is",
      content: "Look the parcel up and tell its place.",
    })),
  );
  await inOrg(
    world,
    (
      orgId,
    ) => sql`INSERT INTO aggregation_items (org_id, agent_version, user_playbook_id, disposition, cluster_id,
          reason, attempt_count, last_attempt_at_ms)
        SELECT p.org_id, 'v1', p.user_playbook_id, 'cluster_member', c.cluster_id, 'incremental', 0, 0
        FROM user_playbooks p JOIN clusters c ON c.org_id = p.org_id WHERE p.org_id = ${orgId}
        ON CONFLICT DO NOTHING`,
  );
  world.clock.advance(HOUR_MS);
  await archive(world, 110);
  await turn(world);
  const shown = world.seen.at(-1);
  expect(shown?.mode).toBe("rebuild");
  expect(shown?.sources).toHaveLength(100);
  expect(await clusters(world)).toMatchObject([{ members: 109, state: "active" }]);
  const rule = (await agentRules(world)).at(-1);
  expect(await sourcesOf(world, rule?.id ?? 0)).toHaveLength(109);
  expect(JSON.parse(rule?.metadata ?? "{}")).toMatchObject({ source_count: 109 });
});

test("trap 51: affected rules lose their item and are taken in anew; the others keep their cluster", async () => {
  const world = await clustered((input) => {
    if (input.mode === "rebuild") throw new ReasonerError("transient", "rate_limited", "busy", 0);
    return synthesiseOffline(input);
  });
  const [cluster] = await clusters(world);
  await edit(world, 3, "Look the parcel up and tell its place.");
  await turn(world);
  const id = cluster?.cluster_id;
  expect(await items(world)).toMatchObject([
    { id: 1, disposition: "residual", reason: "cluster_invalidated", cluster_id: id, attempts: 0 },
    { id: 2, disposition: "residual", reason: "cluster_invalidated", cluster_id: id, attempts: 0 },
    { id: 3, disposition: "residual", reason: "waiting_for_company", cluster_id: null, attempts: 1 },
  ]);
  expect(await clusters(world)).toMatchObject([{ members: 0, state: "rebuilding" }]);
});

test("an edited rule that still fits joins the rebuilt cluster once it has cooled down", async () => {
  const world = await clustered();
  await edit(world, 3, "Look the parcel up and tell its place.");
  await turn(world);
  expect(await clusters(world)).toMatchObject([{ members: 2, state: "active" }]);
  world.clock.advance(HOUR_MS);
  await turn(world);
  expect(await clusters(world)).toMatchObject([{ members: 3, state: "active" }]);
  expect((await agentRules(world)).filter(({ status }) => status === null)).toHaveLength(1);
});

test("founders that left their cluster, edited, found another one while the first lives on", async () => {
  const world = makeWorld();
  await seedRules(world, parcels.slice(0, 2));
  await turn(world);
  const [first] = await agentRules(world);
  await seedRules(world, [
    {
      ...{ id: 3, userId: "cleo", trigger: first?.trigger ?? "" },
      content: "Look the parcel up and mention depot, arrival day and driver.",
    },
  ]);
  world.clock.advance(HOUR_MS);
  await turn(world);
  expect(await clusters(world)).toMatchObject([{ members: 3 }]);
  await inOrg(
    world,
    (
      orgId,
    ) => sql`UPDATE user_playbooks SET content = 'Extend the voucher by one week.', trigger = 'A voucher ran out'
        WHERE org_id = ${orgId} AND user_playbook_id <= 2`,
  );
  const voucher = twoAlike.map((rule) => ({
    ...rule,
    trigger: "A voucher ran out",
    content: "Extend the voucher.",
  }));
  await seedVectors(world, voucher);
  world.clock.advance(HOUR_MS);
  await turn(world);
  expect((await clusters(world)).map(({ members }) => members).sort()).toEqual([1, 2]);
  expect((await stateOf(world))?.error).toBeNull();
});

/** Rules 2 and 3 become one, as consolidation does it. */
const merge = async (world: World, ids: number[], successor: SeedRule) => {
  await seedRules(world, [successor]);
  await world.db.run(
    retireUserPlaybooks({
      ...{ orgId: world.orgId, ids, status: "merged", successorId: successor.id },
      nowMs: world.clock.nowMs(),
    }),
  );
};

const successor: SeedRule = {
  id: 7,
  userId: "cleo",
  trigger: "User asks where a parcel is",
  content: "Look the parcel up and tell its place and its day.",
};

test("trap 51: the successor of members of one cluster takes part in its rebuild", async () => {
  const world = await clustered();
  await merge(world, [2, 3], successor);
  await turn(world);
  expect(world.seen.at(-1)?.sources.map(({ content }) => content)).toEqual([
    parcels[0]?.content,
    successor.content,
  ]);
  expect(await clusters(world)).toMatchObject([{ members: 2, state: "active" }]);
  expect((await items(world)).map(({ id, disposition }) => [id, disposition])).toEqual([
    [1, "cluster_member"],
    [7, "cluster_member"],
  ]);
});

test("trap 51: the successor of rules that were not all in one cluster is taken in like any other", async () => {
  const world = await clustered();
  await seedRules(world, [
    { id: 5, userId: "cleo", trigger: "Closing a ticket", content: "Ask for feedback." },
  ]);
  await turn(world);
  await merge(world, [3, 5], successor);
  world.clock.advance(HOUR_MS);
  await turn(world);
  expect(world.seen.at(-1)?.sources).toHaveLength(2);
  expect((await items(world)).find(({ id }) => id === 7)).toMatchObject({
    disposition: "residual",
    cluster_id: null,
  });
});

test("a successor that wants the opposite does not come into the rule of the others", async () => {
  const world = makeWorld();
  const rule = (id: number, userId: string, content: string) => ({
    ...{ id, userId, content },
    trigger: "About to show code",
  });
  await seedRules(world, [
    rule(1, "ana", "First explain the idea, then show the code."),
    rule(2, "ben", "Explain the idea before the code."),
    rule(3, "cleo", "Explain the idea first, then the code."),
  ]);
  await turn(world);
  await merge(world, [3], rule(7, "cleo", "Skip explanations and show the code."));
  world.clock.advance(HOUR_MS);
  await turn(world);
  expect(world.seen.at(-1)?.sources).toHaveLength(2);
  expect((await items(world)).find(({ id }) => id === 7)).toMatchObject({
    disposition: "residual",
    cluster_id: null,
  });
  expect(await clusters(world)).toMatchObject([{ members: 2, state: "active" }]);
});

test("trap 47: null on a rebuild ends its members, the cluster and the old rule", async () => {
  const world = await clustered((input) =>
    input.mode === "rebuild" ? { playbook: null } : synthesiseOffline(input),
  );
  await remove(world, 3);
  expect(await turn(world)).toBeNull();
  expect(await agentRules(world)).toMatchObject([{ status: "superseded", superseded_by: null }]);
  expect(await clusters(world)).toEqual([]);
  const ended = { disposition: "terminal_noop", reason: "semantic_null", cluster_id: null };
  expect(await items(world)).toMatchObject([ended, ended]);
  expect(world.seen.at(-1)?.mode).toBe("rebuild");
});

test("trap 47: a failure that may pass is not null: the rebuild is tried again, later and later", async () => {
  const world = await clustered((input) =>
    input.mode === "rebuild"
      ? { playbook: { trigger: "", content: " ", rationale: "" } }
      : synthesiseOffline(input),
  );
  await remove(world, 3);
  const waits: (number | null)[] = [];
  for (let attempt = 0; attempt < 8; attempt += 1) {
    waits.push(await turn(world));
    world.clock.advance(waits.at(-1) ?? 0);
  }
  expect(waits.map((ms) => (ms ?? 0) / 60_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  expect(await agentRules(world)).toMatchObject([{ approval: "pending", status: null }]);
  expect(await clusters(world)).toMatchObject([{ state: "rebuilding" }]);
  expect((await items(world)).every(({ attempts }) => attempts === 0)).toBe(true);
});

test("trap 43: the approved rule of a rebuilt cluster stays; the new one waits to take its place", async () => {
  const world = await clustered();
  await approve(world);
  await remove(world, 3);
  await turn(world);
  const [approved, fresh] = await agentRules(world);
  expect(approved).toMatchObject({ approval: "approved", status: null });
  expect(fresh).toMatchObject({ approval: "pending", status: null, replaces: approved?.id });
  expect(fresh?.content).not.toContain(SECRET);
  expect(await clusters(world)).toMatchObject([{ agent: fresh?.id }]);
  // Again: neither of the two rules that rest on what is gone now is shown.
  await remove(world, 2);
  world.clock.advance(HOUR_MS);
  await turn(world);
  expect(world.seen.at(-1)).toMatchObject({ mode: "rebuild", existingRules: [] });
  expect(await agentRules(world)).toMatchObject([
    { approval: "approved", status: null },
    { status: "superseded" },
    { approval: "pending", status: null, replaces: approved?.id },
  ]);
});

test.each([
  ["a pending rule goes with it", false, { status: "superseded", superseded_by: null }],
  ["an approved rule stays", true, { approval: "approved", status: null }],
] as const)(
  "trap 71: a cluster that lost all its sources is deleted; %s",
  async (_name, isApproved, rule) => {
    const world = await clustered();
    if (isApproved) await approve(world);
    for (const id of [1, 2, 3]) await remove(world, id);
    expect(await agentRules(world)).toMatchObject([{ status: null }]);
    await turn(world);
    expect(await agentRules(world)).toMatchObject([rule]);
    expect(await clusters(world)).toEqual([]);
    expect(await items(world)).toEqual([]);
    expect(world.seen).toHaveLength(1);
  },
);

test("trap 40: of more than a hundred invalidations a turn applies a hundred, and asks no model", async () => {
  const world = makeWorld();
  const ids = Array.from({ length: 101 }, (_, at) => at + 1);
  await seedRules(
    world,
    ids.map((id) => ({ id, userId: "ana", trigger: "Closing a ticket", content: "Ask for feedback." })),
  );
  await world.db.batch(stageRows(world.orgId, "v1", 0, ids));
  await seedRules(
    world,
    parcels.map((rule) => ({ ...rule, id: rule.id + 200 })),
  );
  await inOrg(
    world,
    (orgId) =>
      sql`UPDATE user_playbooks SET status = 'archived' WHERE org_id = ${orgId} AND user_playbook_id <= 101`,
  );
  world.clock.advance(HOUR_MS);
  expect(await turn(world)).toBe(1_000);
  expect((await invalidations(world)).filter(({ open }) => open === 1)).toHaveLength(1);
  expect(world.seen).toEqual([]);
  expect(await items(world)).toHaveLength(1);
  world.clock.advance(1_000);
  await turn(world);
  expect(world.seen).toHaveLength(1);
  expect((await items(world)).map(({ id }) => id)).toEqual([201, 202, 203]);
});

test("applying a change reads and writes its own cluster's rows, however many others there are", async () => {
  const world = await clustered();
  const many = JSON.stringify(Array.from({ length: 3_000 }, (_, at) => at + 1_000));
  await world.db.batch([
    sql`INSERT INTO aggregation_items (org_id, agent_version, user_playbook_id, disposition, cluster_id, reason,
          attempt_count, last_attempt_at_ms)
        SELECT ${world.orgId}, 'v1', value, 'cluster_member', 'c' || (value % 300), 'incremental', 0, 0
        FROM json_each(${many})`,
    sql`INSERT INTO clusters (org_id, cluster_id, agent_version, agent_playbook_id, member_count, embedding_model,
          embedding_dimension, state, created_at)
        SELECT ${world.orgId}, 'c' || value, 'v1', value, 10, 'words-v1', 512, 'active', 1 FROM json_each(${many})
        WHERE value < 1300`,
    sql`INSERT INTO invalidations (org_id, agent_version, user_playbook_id, operation, processed_at_ms)
        SELECT ${world.orgId}, 'v1', value, 'edit', 1 FROM json_each(${many})`,
  ]);
  await remove(world, 3);
  const page = await loadInvalidations(world.db, world.orgId, "v1", 101);
  expect(page).toMatchObject([{ userPlaybookId: 3 }]);
  const results = await world.db.batch(applyPage(world.orgId, "v1", page, world.clock.nowMs()));
  const sum = (key: "rowsRead" | "rowsWritten") => results.reduce((total, result) => total + result[key], 0);
  expect(sum("rowsRead")).toBeLessThan(60);
  // A cluster, three items with two indices each, one of them deleted again, and the page's one row.
  expect(sum("rowsWritten")).toBeLessThanOrEqual(20);
  expect((await items(world)).filter(({ disposition }) => disposition === "residual")).toHaveLength(2);
});

test("a page of invalidations does not part the rules that one successor replaced", () => {
  const row = (at: number, successorId: number | null) => ({ row: at, userPlaybookId: at, successorId });
  const rows = [row(1, null), row(2, 9), row(3, 9), row(4, 9)];
  expect(pageOf(rows, 3).map(({ row: at }) => at)).toEqual([1]);
  expect(pageOf(rows, 4).map(({ row: at }) => at)).toEqual([1, 2, 3, 4]);
  expect(pageOf(rows.slice(1), 2).map(({ row: at }) => at)).toEqual([2, 3]);
  expect(pageOf([row(1, 9), row(2, 8), row(3, null)], 2).map(({ row: at }) => at)).toEqual([1, 2]);
});

test("trap 49: a rebuild is counted before the model is asked, so that a crash backs off", async () => {
  const world = await clustered();
  await remove(world, 3);
  const crashing = {
    ...world.services,
    reasoner: () => ({ run: () => Promise.reject(new Error("the process is gone")) }),
  };
  await runAggregationTurn(crashing, world.orgId, "v1");
  expect(await clocks(world)).toEqual([{ attempts: 1, due: 60_000 }]);
});

test("a member that changes while the model answers rolls the rebuild back; it is done again without it", async () => {
  const world = await clustered();
  await remove(world, 3);
  let isOver = false;
  const services = {
    ...world.services,
    embedder: {
      ...world.services.embedder,
      async embed(...[texts, purpose]: Parameters<typeof world.services.embedder.embed>) {
        if (!isOver) await remove(world, 2);
        isOver = true;
        return world.services.embedder.embed(texts, purpose);
      },
    },
  };
  await runAggregationTurn(services, world.orgId, "v1");
  expect(isOver).toBe(true);
  expect(await agentRules(world)).toMatchObject([{ status: null }]);
  world.clock.advance(HOUR_MS);
  await turn(world);
  const current = (await agentRules(world)).filter(({ status }) => status === null);
  expect(current).toHaveLength(1);
  expect((await sourcesOf(world, current[0]?.id ?? 0)).map(({ id }) => id)).toEqual([1]);
});

test("a rejected rule frees the members of its cluster even while it waits to be rebuilt", async () => {
  const world = await clustered();
  await remove(world, 3);
  const failing = {
    ...world.services,
    reasoner: () => ({
      run: () => Promise.reject(new ReasonerError("transient", "rate_limited", "busy", 0)),
    }),
  };
  await runAggregationTurn(failing, world.orgId, "v1");
  await inOrg(
    world,
    (orgId) => sql`UPDATE agent_playbooks SET playbook_status = 'rejected' WHERE org_id = ${orgId}`,
  );
  expect(await clusters(world)).toEqual([]);
  expect(await items(world)).toMatchObject([{ cluster_id: null }, { cluster_id: null }]);
});

test("a rule that comes back to CURRENT marks its version, whoever brought it back", async () => {
  const world = await clustered();
  await archive(world, 3);
  await turn(world);
  expect((await stateOf(world))?.pending).toBe(0);
  await inOrg(
    world,
    (orgId) => sql`UPDATE user_playbooks SET status = NULL WHERE org_id = ${orgId} AND user_playbook_id = 3`,
  );
  expect((await stateOf(world))?.pending).toBe(1);
  world.clock.advance(HOUR_MS);
  await turn(world);
  expect((await items(world)).map(({ id }) => id)).toEqual([1, 2, 3]);
});

test("applied invalidations are kept for seven days", async () => {
  const world = await clustered();
  await remove(world, 3);
  await turn(world);
  await archive(world, 2);
  world.clock.advance(7 * 24 * HOUR_MS);
  await turn(world);
  expect(await invalidations(world)).toMatchObject([{ id: 3 }, { id: 2 }]);
  await archive(world, 1);
  world.clock.advance(HOUR_MS);
  await turn(world);
  expect((await invalidations(world)).map(({ id }) => id)).toEqual([2, 1]);
});

test("rules of another version or org are left alone", async () => {
  const world = await clustered();
  const other = makeWorld();
  await seedRules(other, parcels);
  await runAggregationTurn(other.services, other.orgId, "v1");
  await seedRules(
    world,
    parcels.map((rule) => ({ ...rule, id: rule.id + 100, agentVersion: "v2" })),
  );
  await runAggregationTurn(world.services, world.orgId, "v2");
  await remove(world, 3);
  await turn(world);
  expect(await clusters(world)).toMatchObject([
    { version: "v1", members: 2 },
    { version: "v2", members: 3 },
  ]);
  expect(await clusters(other)).toMatchObject([{ members: 3, state: "active" }]);
});
