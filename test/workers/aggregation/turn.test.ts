/** Turns of aggregation: what they make, and what repeating, failing and racing them leaves. */
import { expect, test } from "vitest";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { sql } from "../../../src/db/sql";
import { ReasonerError } from "../../../src/platform/reasoner/port";
import {
  agentRules,
  clusters,
  items,
  lineageOps,
  makeWorld,
  seedRules,
  sourcesOf,
  stateOf,
  twoAlike,
} from "./support";

test("two users' similar rules become one pending agent playbook with both as its sources", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  expect(await runAggregationTurn(world.services, world.orgId, "v1")).toEqual({ nextInMs: null });
  const [rule, ...others] = await agentRules(world);
  expect(others).toEqual([]);
  expect(rule).toMatchObject({ approval: "pending", status: null });
  expect(rule?.content).toContain("- Look");
  expect(JSON.parse(rule?.metadata ?? "{}")).toMatchObject({
    source_count: 2,
    distinct_users: 2,
    model: "offline",
  });
  expect(rule?.flags).not.toContain("few_distinct_users");
  expect(await sourcesOf(world, rule?.id ?? 0)).toEqual([
    { id: 1, turns: "[10]" },
    { id: 2, turns: "[20]" },
  ]);
  expect(await clusters(world)).toMatchObject([{ agent: rule?.id, members: 2 }]);
  expect(await lineageOps(world)).toMatchObject([{ op: "aggregate", entity: String(rule?.id) }]);
  // The vector's copy, the look for contradictions, and what the org is told.
  expect(world.sent).toHaveLength(3);
});

test("a rule that rests on one user alone is flagged", async () => {
  const world = makeWorld();
  await seedRules(
    world,
    twoAlike.map((rule) => ({ ...rule, userId: "ana" })),
  );
  await runAggregationTurn(world.services, world.orgId, "v1");
  expect((await agentRules(world))[0]?.flags).toContain("few_distinct_users");
});

test("a second turn, and one for another version, add nothing", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  await runAggregationTurn(world.services, world.orgId, "v1");
  const before = await agentRules(world);
  await runAggregationTurn(world.services, world.orgId, "v1");
  expect(await runAggregationTurn(world.services, world.orgId, "v2")).toEqual({ nextInMs: null });
  expect(await runAggregationTurn(world.services, world.orgId, " ")).toEqual({ nextInMs: null });
  expect(await agentRules(world)).toEqual(before);
  expect(world.seen).toHaveLength(1);
});

test("rules of different agent versions never meet", async () => {
  const world = makeWorld();
  await seedRules(
    world,
    [twoAlike[0], twoAlike[1]].flatMap((rule, index) =>
      rule ? [{ ...rule, agentVersion: `v${index + 1}` }] : [],
    ),
  );
  await runAggregationTurn(world.services, world.orgId, "v1");
  await runAggregationTurn(world.services, world.orgId, "v2");
  expect([...(await agentRules(world, "v1")), ...(await agentRules(world, "v2"))]).toEqual([]);
  expect(await items(world, "v1")).toMatchObject([{ id: 1, disposition: "residual", attempts: 1 }]);
});

test("a rule alone cools down by doubling minutes and clusters when company comes", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike.slice(0, 1));
  const waits: (number | null)[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    const { nextInMs } = await runAggregationTurn(world.services, world.orgId, "v1");
    waits.push(nextInMs);
    world.clock.advance(nextInMs ?? 0);
  }
  expect(waits).toEqual([60_000, 120_000, 240_000, 480_000]);
  const planned = (await stateOf(world))?.next;
  await seedRules(world, twoAlike.slice(1));
  expect((await stateOf(world))?.next).toBe(planned);
  await runAggregationTurn(world.services, world.orgId, "v1");
  expect(await agentRules(world)).toHaveLength(1);
});

test("a new rule near a cluster's rule refreshes it: the pending rule is superseded, the cluster moves", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  await runAggregationTurn(world.services, world.orgId, "v1");
  const [first] = await agentRules(world);
  await seedRules(world, [
    {
      id: 3,
      userId: "cleo",
      trigger: first?.trigger ?? "",
      content: "Look the parcel up and mention depot, arrival day and driver.",
    },
  ]);
  world.clock.advance(3_600_000);
  await runAggregationTurn(world.services, world.orgId, "v1");
  const [old, fresh] = await agentRules(world);
  expect(old).toMatchObject({ status: "superseded", superseded_by: fresh?.id });
  expect(fresh).toMatchObject({ status: null, approval: "pending" });
  expect(fresh?.content).toContain("Look the parcel up and mention depot, arrival day and driver.");
  expect(await clusters(world)).toMatchObject([{ agent: fresh?.id, members: 3 }]);
  expect((await sourcesOf(world, fresh?.id ?? 0)).map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(world.seen.at(-1)).toMatchObject({ mode: "refresh", current: { content: first?.content } });
  expect((await items(world)).every((item) => item.disposition === "cluster_member")).toBe(true);
});

test("an approved rule is never superseded: a refresh leaves it CURRENT beside a new pending rule", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  await runAggregationTurn(world.services, world.orgId, "v1");
  const [first] = await agentRules(world);
  await world.db.run(sql`UPDATE agent_playbooks SET playbook_status = 'approved', version = version + 1
    WHERE org_id = ${world.orgId} AND agent_playbook_id = ${first?.id ?? 0}`);
  expect(await clusters(world)).toHaveLength(1);
  await seedRules(world, [
    {
      id: 3,
      userId: "cleo",
      trigger: first?.trigger ?? "",
      content: "Look the parcel up and mention depot, arrival day and driver.",
    },
  ]);
  world.clock.advance(3_600_000);
  await runAggregationTurn(world.services, world.orgId, "v1");
  expect(await agentRules(world)).toMatchObject([
    { id: first?.id, approval: "approved", status: null },
    { approval: "pending", status: null },
  ]);
});

test("null on a refresh attaches the member and keeps rule and cluster", async () => {
  const world = makeWorld();
  await seedRules(
    world,
    twoAlike.map((rule) => ({ ...rule, userId: "ana" })),
  );
  await runAggregationTurn(world.services, world.orgId, "v1");
  const [first] = await agentRules(world);
  await seedRules(world, [
    { id: 3, userId: "cleo", trigger: first?.trigger ?? "", content: twoAlike[1]?.content ?? "" },
  ]);
  world.clock.advance(3_600_000);
  await runAggregationTurn(world.services, world.orgId, "v1");
  const after = await agentRules(world);
  expect(after).toHaveLength(1);
  expect(after[0]).toMatchObject({ id: first?.id, content: first?.content });
  expect(after[0]?.flags).not.toContain("few_distinct_users");
  expect(await clusters(world)).toMatchObject([{ members: 3 }]);
  expect(await sourcesOf(world, first?.id ?? 0)).toHaveLength(3);
});

test("null on a new cluster ends its members; they are never asked about again", async () => {
  const world = makeWorld({}, () => ({ playbook: null }));
  await seedRules(world, twoAlike);
  expect(await runAggregationTurn(world.services, world.orgId, "v1")).toEqual({ nextInMs: null });
  expect(await items(world)).toMatchObject([
    { disposition: "terminal_noop", reason: "semantic_null" },
    { disposition: "terminal_noop", reason: "semantic_null" },
  ]);
  expect(await agentRules(world)).toEqual([]);
});

test("an unusable answer is repaired once, then its members stay residual; it is never taken for null", async () => {
  const world = makeWorld({}, () => ({ playbook: { trigger: "", content: " ", rationale: "" } }));
  await seedRules(world, twoAlike);
  expect(await runAggregationTurn(world.services, world.orgId, "v1")).toEqual({ nextInMs: 60_000 });
  expect(world.seen).toHaveLength(2);
  expect(world.seen[1]?.repair?.problems).toEqual(["the content is blank"]);
  expect(await items(world)).toMatchObject([
    { disposition: "residual", reason: "llm_retryable_failure", attempts: 1 },
    { disposition: "residual", reason: "llm_retryable_failure", attempts: 1 },
  ]);
});

test("a model that cannot answer now puts the version off by at least a minute, or as long as it asks", async () => {
  const world = makeWorld({}, () => {
    throw new ReasonerError("transient", "rate_limited", "busy", 90_000);
  });
  await seedRules(world, twoAlike);
  expect(await runAggregationTurn(world.services, world.orgId, "v1")).toEqual({ nextInMs: 90_000 });
  expect(await stateOf(world)).toMatchObject({ pending: 1, error: "rate_limited" });
});

test("rejecting a rule frees its members, and the same members do not bring it back", async () => {
  const world = makeWorld();
  await seedRules(world, twoAlike);
  await runAggregationTurn(world.services, world.orgId, "v1");
  await world.db.run(
    sql`UPDATE agent_playbooks SET playbook_status = 'rejected' WHERE org_id = ${world.orgId}`,
  );
  expect(await clusters(world)).toEqual([]);
  expect(await items(world)).toMatchObject([
    { disposition: "residual", cluster_id: null, attempts: 0 },
    { disposition: "residual", cluster_id: null, attempts: 0 },
  ]);
  expect((await stateOf(world))?.pending).toBe(1);
  world.clock.advance(3_600_000);
  await runAggregationTurn(world.services, world.orgId, "v1");
  expect(await agentRules(world)).toHaveLength(1);
  expect(await items(world)).toMatchObject([{ reason: "rejected_before" }, { reason: "rejected_before" }]);
});

test("rules that want opposite things end in different clusters", async () => {
  const world = makeWorld();
  const rule = (id: number, userId: string, content: string) => ({
    id,
    userId,
    trigger: "About to show code",
    content,
  });
  await seedRules(world, [
    rule(1, "ana", "First explain the idea, then show the code."),
    rule(2, "ben", "Skip explanations and show the code."),
    rule(3, "cleo", "Explain the idea before the code."),
    rule(4, "dan", "Leave out explanations; the code comes at once."),
  ]);
  await runAggregationTurn(world.services, world.orgId, "v1");
  const rules = await agentRules(world);
  const sources = await Promise.all(
    rules.map(async ({ id }) => (await sourcesOf(world, id)).map((source) => source.id)),
  );
  expect(sources.sort()).toEqual([
    [1, 3],
    [2, 4],
  ]);
});

test("more clusters than one turn may ask about are finished by the next, a second later", async () => {
  const world = makeWorld();
  const topics = Array.from({ length: 23 }, (_, index) => `topic${index} subject${index} matter${index}`);
  await seedRules(
    world,
    topics.flatMap((topic, index) =>
      ["ana", "ben"].map((userId, user) => ({
        id: index * 2 + user + 1,
        userId,
        trigger: topic,
        content: `Mention handbook${index} chapter${index}.`,
      })),
    ),
  );
  expect(await runAggregationTurn(world.services, world.orgId, "v1")).toEqual({ nextInMs: 1_000 });
  const first = world.seen.length;
  expect(first).toBeLessThanOrEqual(20);
  world.clock.advance(1_000);
  await runAggregationTurn(world.services, world.orgId, "v1");
  expect(world.seen.length).toBeGreaterThan(first);
  expect((await agentRules(world)).length).toBe((await clusters(world)).length);
});

test("an approved rule of the opposite kind flags the new one", async () => {
  const world = makeWorld();
  const rule = (id: number, userId: string, content: string) => ({
    id,
    userId,
    trigger: "About to show code",
    content,
  });
  await seedRules(world, [
    rule(1, "ana", "First explain the idea, then show the code."),
    rule(2, "ben", "Explain the idea before the code."),
  ]);
  await runAggregationTurn(world.services, world.orgId, "v1");
  await world.db.run(
    sql`UPDATE agent_playbooks SET playbook_status = 'approved' WHERE org_id = ${world.orgId}`,
  );
  await seedRules(world, [
    rule(3, "cleo", "Skip explanations and show the code."),
    rule(4, "dan", "Leave out explanations; the code comes at once."),
  ]);
  world.clock.advance(3_600_000);
  await runAggregationTurn(world.services, world.orgId, "v1");
  const [approved, opposite] = await agentRules(world);
  expect(approved?.approval).toBe("approved");
  expect(opposite?.flags).toContain("contradicts_approved");
});

test("personal details stay away from the model and out of the rule", async () => {
  const world = makeWorld({}, ({ sources }) => ({
    playbook: {
      trigger: "Mailing a receipt",
      content: `Send it to [EMAIL_1] of [PERSON_1].`,
      rationale: sources[0]?.content ?? "",
    },
  }));
  await seedRules(world, [
    {
      id: 1,
      userId: "ana-77",
      trigger: "Mailing a receipt",
      content: "Send it to ana.q@example.org, order ORD-88123.",
    },
    { id: 2, userId: "ben", trigger: "Mailing a receipt", content: "Send it to ben@example.org." },
  ]);
  await runAggregationTurn(world.services, world.orgId, "v1");
  expect(JSON.stringify(world.seen)).not.toMatch(/example\.org|88123/);
  const [rule] = await agentRules(world);
  expect(rule?.content).toBe("Send it to an e-mail address of the user.");
  expect(rule?.content).not.toContain("[");
});
