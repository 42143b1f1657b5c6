/** The explained search over the real database: it tells of the search and the block that there really are. */
import { describe, expect, it, vi } from "vitest";
import { type ExplainQuery, explainSearch } from "../../../src/search/explain";
import type { Explained } from "../../../src/search/explained";
import { searchModes } from "../../../src/search/hybrid";
import { promptContext } from "../../../src/search/prompt-context";
import { recordServed } from "../../../src/search/served-store";
import { unifiedSearch } from "../../../src/search/unified";
import { scriptedReasoner } from "../learning/support";
import {
  type AgentSeed,
  NOW_MS,
  newWorld,
  SEEDED_AT_MS,
  seedAgent,
  seedUser,
  type UserSeed,
  type World,
} from "./seed";

/** The same fence every time, so that two blocks can be compared letter by letter. */
const ids = { random: () => "fence_abcdefghijklmnop" };
const noModel = () => {
  throw new Error("no model was asked for");
};

const servicesOf = (world: World) => ({ ...world.services, ids, reasoner: noModel, defer: () => {} });

const asked = (rest: Partial<ExplainQuery>): ExplainQuery => ({
  ...{ query: "@0 refund", topK: 5, threshold: null, mode: "hybrid", approvals: ["approved", "pending"] },
  ...{ history: [], enableReformulation: false, maxTokens: 1200, format: "markdown", mayNameUsers: false },
  ...rest,
});

const explain = (world: World, rest: Partial<ExplainQuery> = {}) =>
  explainSearch(servicesOf(world), world.d1.db, world.orgId, asked(rest));

const returned = (rules: readonly Explained[]) => rules.filter((rule) => rule.returned).map(({ id }) => id);
const whyOf = (rules: readonly Explained[], id: number) => rules.find((rule) => rule.id === id)?.why;
const blockWhyOf = (rules: readonly Explained[], id: number) =>
  rules.find((rule) => rule.id === id)?.block?.why;

/** A corpus that has something of everything, the same for the same seed. */
async function mixedWorld(seed: number): Promise<World> {
  const world = newWorld();
  let state = seed * 7919 + 17;
  const roll = (sides: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % sides;
  };
  const pick = <Value>(values: readonly [Value, ...Value[]]): Value =>
    values[roll(values.length)] ?? values[0];
  const content = () =>
    Array.from({ length: 1 + roll(5) }, () =>
      pick(["refund", "refunds", "never", "voucher", "parcel", "greet", "quickly", "50", "always"]),
    ).join(" ");
  const shared = () => ({
    ...{ content: content(), degrees: pick([0, 10, 30, 55, 58, 62, 80, 120, null]) },
    ...{ updatedAtMs: SEEDED_AT_MS + roll(9) * 1000, isIndexed: roll(8) > 0 },
    ...{
      agentVersion: pick(["v1", "v1", "v1", "v2"]),
      status: pick([null, null, null, "archived" as const]),
    },
    vectorAtMs: roll(6) === 0 ? NOW_MS - 1000 : SEEDED_AT_MS,
  });
  const users = Array.from(
    { length: 45 },
    (_, at): UserSeed => ({
      ...{ userPlaybookId: at + 1, ...shared(), userId: pick(["ann", "ann", "bob"]) },
      flags: roll(5) === 0 ? [pick(["secret", "link", "instruction_like"] as const)] : [],
    }),
  );
  const agents = Array.from(
    { length: 35 },
    (_, at): AgentSeed => ({
      ...{ agentPlaybookId: at + 1, ...shared() },
      ...{
        playbookStatus: pick(["approved", "approved", "pending", "rejected"] as const),
        sources: [1 + roll(45)],
      },
    }),
  );
  await seedUser(world, ...users);
  await seedAgent(world, ...agents);
  const rules = [2, 3, 5, 7, 11, 13].flatMap((id) => [
    { kind: "user_playbook" as const, id },
    { kind: "agent_playbook" as const, id },
  ]);
  const session = { orgId: world.orgId, sessionId: "met" };
  await world.d1.db.run(recordServed(session, rules, NOW_MS + 1000));
  return world;
}

describe("an explained search", () => {
  it.each([1, 2, 3])(
    "returns what unified search returns and gives the block that the context gives: corpus %i",
    async (seed) => {
      const world = await mixedWorld(seed);
      const services = servicesOf(world);
      const cases: Partial<ExplainQuery>[] = searchModes.flatMap((mode) => [
        { mode },
        { mode, topK: 1, agentVersion: "v1", userId: "ann" },
        { mode, topK: 12, agentVersion: "v1", userId: "bob", sessionId: "met", maxTokens: 260 },
        { mode, topK: 50, agentVersion: "v2", threshold: 0.1, approvals: ["rejected"], format: "xml" },
        { mode, query: "@57 voucher", threshold: 0.99, agentVersion: "v1", userId: "ann", maxTokens: 400 },
        { mode, query: "nothing of this", agentVersion: "v1", approvals: [], format: "json" },
      ]);
      let sawAny = 0;
      for (const rest of cases) {
        const query = asked(rest);
        const found = await explain(world, rest);
        const plain = await unifiedSearch(services, world.d1.db, world.orgId, {
          ...query,
          entityTypes: ["user_playbooks", "agent_playbooks"],
        });
        const name = JSON.stringify(rest);
        expect(returned(found.userPlaybooks), name).toEqual(
          plain.userPlaybooks.map((rule) => rule.user_playbook_id),
        );
        expect(returned(found.agentPlaybooks), name).toEqual(
          plain.agentPlaybooks.map((rule) => rule.agent_playbook_id),
        );
        expect([found.degraded, found.effectiveMode]).toEqual([plain.degraded, plain.effectiveMode]);
        sawAny += plain.userPlaybooks.length + plain.agentPlaybooks.length;
        const { agentVersion, userId } = query;
        if (agentVersion === undefined) {
          expect(found.context).toBeNull();
          continue;
        }
        const context = await promptContext(services, world.d1.db, world.orgId, {
          ...{ query: query.query, agentVersion, maxTokens: query.maxTokens, format: query.format },
          ...(userId !== undefined && { userId }),
        });
        expect(found.context, name).toEqual({ ...context, threshold: found.context?.threshold });
        const cited = [...found.agentPlaybooks, ...found.userPlaybooks].flatMap(
          (rule) => rule.block?.tag ?? [],
        );
        expect(cited.toSorted(), name).toEqual(context.citations.map(({ tag }) => tag).toSorted());
        const noRoom = [...found.agentPlaybooks, ...found.userPlaybooks].filter(
          (rule) => rule.block?.why?.code === "no_room",
        );
        expect(noRoom, name).toHaveLength(context.omitted);
      }
      expect(sawAny).toBeGreaterThan(60);
    },
  );

  it.each([4, 5])(
    "leaves no rule that is not returned, or not in the block, without a reason: corpus %i",
    async (seed) => {
      const world = await mixedWorld(seed);
      const found = await explain(world, {
        ...{ agentVersion: "v1", userId: "ann" },
        sessionId: "met",
        topK: 3,
      });
      const codes = new Set<string>();
      for (const rule of [...found.userPlaybooks, ...found.agentPlaybooks]) {
        expect(rule.returned).toBe(rule.why === null);
        const code = rule.block?.why?.code;
        expect(rule.block?.tag != null).toBe(code === undefined || code === "contradicted_by_newer");
        for (const each of [rule.why?.code, code]) if (each !== undefined) codes.add(each);
      }
      expect([...codes]).toEqual(
        expect.arrayContaining(["below_threshold", "beyond_top_k", "not_approved", "served_to_session"]),
      );
    },
  );

  it("tells which arm found a rule, at which rank, with which score", async () => {
    const world = newWorld();
    await seedUser(
      world,
      { userPlaybookId: 1, content: "refund", degrees: 170 },
      { userPlaybookId: 2, content: "give the money back", degrees: 10 },
      { userPlaybookId: 3, content: "always refund quickly and with a smile", degrees: 20 },
    );
    const { userPlaybooks, threshold } = await explain(world);
    expect(threshold).toBe(0.5);
    const byId = new Map(userPlaybooks.map((rule) => [rule.id, rule]));
    expect(byId.get(1)).toMatchObject({ wordRank: 1, meaningRank: null, returned: true });
    expect(byId.get(1)?.cosine).toBeCloseTo(Math.cos((170 * Math.PI) / 180), 2);
    expect(byId.get(2)).toMatchObject({ wordRank: null, wordScore: null, meaningRank: 1, returned: true });
    expect(byId.get(2)?.cosine).toBeCloseTo(Math.cos((10 * Math.PI) / 180), 2);
    expect(byId.get(3)).toMatchObject({ wordRank: 2, meaningRank: 2, fusedRank: 3 });
    expect(byId.get(3)?.fusedScore).toBeCloseTo(2 / 62, 12);
    // Each list has two, so what one of them lacks counts there as third.
    expect(byId.get(1)?.fusedScore).toBeCloseTo(1 / 61 + 1 / 63, 12);
    expect(byId.get(2)?.fusedScore).toBeCloseTo(1 / 61 + 1 / 63, 12);
    expect(byId.get(1)?.wordScore ?? 0).toBeGreaterThan(byId.get(3)?.wordScore ?? Infinity);
    expect(byId.get(3)?.wordScore).toBeGreaterThan(0);
  });

  it("tells how far off a hit by words is that the index was not asked about", async () => {
    const world = newWorld();
    await seedUser(world, { userPlaybookId: 1, content: "refund", degrees: 20, isIndexed: false });
    const { userPlaybooks } = await explain(world);
    expect(userPlaybooks[0]).toMatchObject({ wordRank: 1, meaningRank: null, returned: true });
    expect(userPlaybooks[0]?.cosine).toBeCloseTo(Math.cos((20 * Math.PI) / 180), 2);
  });

  it("says what fell below the threshold and what others outranked", async () => {
    const world = newWorld();
    await seedUser(
      world,
      { userPlaybookId: 1, degrees: 5 },
      { userPlaybookId: 2, degrees: 15 },
      { userPlaybookId: 3, degrees: 85 },
    );
    const { userPlaybooks } = await explain(world, { topK: 1 });
    expect(userPlaybooks.map(({ id, why }) => [id, why?.code])).toEqual([
      [1, undefined],
      [2, "beyond_top_k"],
      [3, "below_threshold"],
    ]);
    expect(userPlaybooks[2]).toMatchObject({ meaningRank: null, fusedRank: null });
  });

  it("names the returned agent rule that hides its source, in the search and in the block", async () => {
    const world = newWorld();
    await seedAgent(world, { agentPlaybookId: 9, content: "refund by card", degrees: 0, sources: [1] });
    await seedUser(world, { userPlaybookId: 1, content: "refund to the card", degrees: 0 });
    const { userPlaybooks } = await explain(world, { agentVersion: "v1", userId: "ann" });
    const why = { code: "source_of_returned_agent_rule", rule: { kind: "agent_playbook", id: 9 } };
    expect(userPlaybooks).toMatchObject([{ id: 1, returned: false, why, block: { tag: null, why } }]);
  });

  it("says what a session was served and what was not asked for by its approval, with scores and no ranks", async () => {
    const world = newWorld();
    await seedAgent(
      world,
      { agentPlaybookId: 1, content: "refund one", degrees: 0 },
      { agentPlaybookId: 2, content: "refund two", degrees: 5, playbookStatus: "pending" },
      { agentPlaybookId: 3, content: "refund three", degrees: 10, playbookStatus: "rejected" },
    );
    await seedUser(world, { userPlaybookId: 1, content: "refund four", degrees: 0 });
    const session = { orgId: world.orgId, sessionId: "s" };
    const rules = [1, 2].map((id) => ({ kind: "agent_playbook" as const, id }));
    await world.d1.db.run(recordServed(session, rules, NOW_MS + 1));
    const found = await explain(world, { sessionId: "s", approvals: ["approved"], agentVersion: "v1" });
    expect(returned(found.userPlaybooks)).toEqual([1]);
    expect(whyOf(found.agentPlaybooks, 1)).toEqual({ code: "served_to_session" });
    expect(whyOf(found.agentPlaybooks, 2)).toEqual({ code: "not_approved" });
    expect(whyOf(found.agentPlaybooks, 3)).toEqual({ code: "not_approved" });
    const served = found.agentPlaybooks.find(({ id }) => id === 1);
    expect(served).toMatchObject({ wordRank: null, meaningRank: null, fusedRank: null, fusedScore: null });
    expect(served?.wordScore).toBeGreaterThan(0);
    expect(served?.cosine).toBeCloseTo(1, 2);
    // A prompt's block knows no session.
    expect(served?.block).toMatchObject({ tag: "ap-1", why: null, fusedRank: 1 });
    expect(blockWhyOf(found.agentPlaybooks, 2)).toEqual({ code: "not_approved" });
  });

  it("says why the block lacks what the search returns", async () => {
    const world = newWorld();
    await seedAgent(
      world,
      { agentPlaybookId: 1, content: "Confirm the receipt before a refund", degrees: 0 },
      {
        agentPlaybookId: 2,
        content: "always confirm the receipt before refunds",
        degrees: 1,
        updatedAtMs: NOW_MS,
      },
      { agentPlaybookId: 3, content: "never refund shipping costs", degrees: 2 },
      { agentPlaybookId: 4, content: "refund shipping costs", degrees: 3, updatedAtMs: NOW_MS },
    );
    await seedUser(
      world,
      { userPlaybookId: 1, content: "confirm receipts before the refund", degrees: 0 },
      { userPlaybookId: 2, content: "refund to the account", degrees: 0, flags: ["secret", "link"] },
      { userPlaybookId: 3, content: `refund ${"in many small steps ".repeat(200)}`, degrees: 0 },
      { userPlaybookId: 4, content: "refund for bob", degrees: 0, userId: "bob" },
    );
    const query = { topK: 10, agentVersion: "v1" };
    const {
      userPlaybooks: users,
      agentPlaybooks: agents,
      context,
    } = await explain(world, { ...query, userId: "ann" });
    expect(returned(users).toSorted()).toEqual([1, 2, 3]);
    expect(returned(agents).toSorted()).toEqual([1, 2, 3, 4]);
    expect(blockWhyOf(agents, 1)).toEqual({
      code: "near_duplicate",
      rule: { kind: "agent_playbook", id: 2 },
    });
    expect(blockWhyOf(agents, 3)).toEqual({
      code: "contradicted_by_newer",
      rule: { kind: "agent_playbook", id: 4 },
    });
    expect(blockWhyOf(users, 1)).toEqual({
      code: "repeats_approved",
      rule: { kind: "agent_playbook", id: 2 },
    });
    expect(blockWhyOf(users, 2)).toEqual({ code: "unsafe_flag", flags: ["secret"] });
    expect(blockWhyOf(users, 3)).toEqual({ code: "no_room" });
    expect(context).toMatchObject({
      threshold: 0.5,
      omitted: 1,
      withheld: [{ id: 2, flags: ["secret", "link"] }],
    });
    expect(context?.citations.map(({ tag }) => tag)).toEqual(["ap-2", "ap-4", "ap-3"]);
    const nobody = await explain(world, query);
    expect(returned(nobody.userPlaybooks)).toContain(4);
    expect(blockWhyOf(nobody.userPlaybooks, 4)).toEqual({ code: "no_user" });
  });

  it("tells of no tombstone, archived rule, other version, other user or other org", async () => {
    const world = newWorld();
    const other = { ...world, orgId: `${world.orgId} neighbour` };
    for (const [position, status] of (["merged", "superseded", "archived", "pending"] as const).entries()) {
      await seedUser(world, { userPlaybookId: position + 1, content: "refund", degrees: 0, status });
      await seedAgent(world, { agentPlaybookId: position + 1, content: "refund", degrees: 0, status });
    }
    await seedUser(
      world,
      { userPlaybookId: 8, content: "refund", degrees: 0, agentVersion: "v2" },
      { userPlaybookId: 9, content: "refund", degrees: 0, userId: "bob" },
    );
    await seedUser(other, { userPlaybookId: 20, content: "refund", degrees: 0 });
    await seedAgent(other, { agentPlaybookId: 20, content: "refund", degrees: 0 });
    const found = await explain(world, { agentVersion: "v1", userId: "ann", sessionId: "s", approvals: [] });
    expect(found).toMatchObject({ userPlaybooks: [], agentPlaybooks: [], unlisted: 0 });
    expect(found.context).toMatchObject({ context: "", citations: [] });
  });

  it("blames no filter for a rule that the search without filters merely saw from further away", async () => {
    const world = newWorld();
    // Archived rules fill the first look of the search without filters, so that it alone looks deeper.
    await seedUser(
      world,
      ...Array.from(
        { length: 60 },
        (_, at): UserSeed => ({
          ...{ userPlaybookId: at + 1, degrees: at < 5 ? 0 : at / 2, status: at < 5 ? "archived" : null },
        }),
      ),
    );
    const found = await explain(world, { mode: "vector", query: "@0", topK: 1, sessionId: "fresh" });
    expect(returned(found.userPlaybooks)).toEqual([6]);
    expect(world.fake.calls.query).toBe(2 + 4);
    expect(new Set(found.userPlaybooks.map(({ why }) => why?.code))).toEqual(
      new Set([undefined, "beyond_top_k"]),
    );
  });

  it("only reads, so that neither a session nor a decision counts as served", async () => {
    const world = await mixedWorld(6);
    const batch = vi.spyOn(world.d1.db, "batch");
    const written = () =>
      batch.mock.calls
        .flatMap(([statements]) => statements.map(({ text }) => text))
        .filter((text) => !text.startsWith("SELECT"));
    const query = { sessionId: "met", agentVersion: "v1", userId: "ann" };
    const first = await explain(world, query);
    expect(await explain(world, query)).toEqual(first);
    expect(batch.mock.calls.length).toBeGreaterThan(2);
    expect(written()).toEqual([]);
    const deferred: Promise<unknown>[] = [];
    const services = { ...servicesOf(world), defer: (work: Promise<unknown>) => void deferred.push(work) };
    await unifiedSearch(services, world.d1.db, world.orgId, {
      ...asked(query),
      entityTypes: ["user_playbooks", "agent_playbooks"],
    });
    await Promise.all(deferred);
    expect(written()).not.toEqual([]);
  });

  it("answers by words and says so, in both halves, when the model fails", async () => {
    const world = newWorld();
    world.embedder.fails = true;
    await seedAgent(world, { agentPlaybookId: 1, content: "refund after a check", degrees: 0 });
    const found = await explain(world, { agentVersion: "v1" });
    expect(found).toMatchObject({ degraded: true, effectiveMode: "fts", threshold: null });
    expect(found.context).toMatchObject({ degraded: true, threshold: null, citations: [{ tag: "ap-1" }] });
    expect(found.agentPlaybooks).toMatchObject([{ id: 1, returned: true, cosine: null, wordRank: 1 }]);
  });

  it("looks up a model's words where asked to, and makes the block of the query itself", async () => {
    const world = newWorld();
    await seedAgent(
      world,
      { agentPlaybookId: 1, content: "voucher codes", degrees: null },
      { agentPlaybookId: 2, content: "refund codes", degrees: null },
    );
    const reasoner = scriptedReasoner({ reformulate: () => ({ query: "voucher" }) });
    const services = { ...servicesOf(world), reasoner: () => reasoner };
    const query = asked({ query: "refund", mode: "fts", agentVersion: "v1", enableReformulation: true });
    const found = await explainSearch(services, world.d1.db, world.orgId, query);
    expect(found.reformulatedQuery).toBe("voucher");
    expect(returned(found.agentPlaybooks)).toEqual([1]);
    expect(whyOf(found.agentPlaybooks, 2)).toEqual({ code: "not_found" });
    expect(found.context?.citations.map(({ tag }) => tag)).toEqual(["ap-2"]);
  });

  it("lists at most a hundred of a kind, all that was returned or is in the block among them, and counts the rest", async () => {
    const world = newWorld();
    await seedUser(
      world,
      ...Array.from(
        { length: 130 },
        (_, at): UserSeed => ({
          userPlaybookId: at + 1,
          content: `refund matter${at} ${"filler ".repeat(at)}`,
        }),
      ),
    );
    const query = { topK: 50, agentVersion: "v1", userId: "ann", maxTokens: 5000 };
    const found = await explain(world, query);
    expect(found.userPlaybooks).toHaveLength(100);
    expect(found.unlisted).toBe(30);
    expect(returned(found.userPlaybooks)).toHaveLength(50);
    const tags = found.userPlaybooks.flatMap((rule) => rule.block?.tag ?? []);
    expect(tags.toSorted()).toEqual(found.context?.citations.map(({ tag }) => tag).toSorted());
  });

  it("leaves the ordinary search at its four statements, and takes a bounded number itself", async () => {
    const world = await mixedWorld(7);
    const query = asked({ agentVersion: "v1", userId: "ann", sessionId: "met" });
    world.d1.batches.length = 0;
    await unifiedSearch(servicesOf(world), world.d1.db, world.orgId, {
      ...query,
      entityTypes: ["user_playbooks", "agent_playbooks"],
    });
    // The note of what was served is a batch of its own, beside the answer.
    expect(world.d1.batches[0]).toBe(4);
    world.d1.batches.length = 0;
    await explain(world, { agentVersion: "v1", userId: "ann", sessionId: "met" });
    expect(world.d1.batches.length).toBeLessThanOrEqual(11);
    expect(world.d1.batches.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(27);
  });
});
