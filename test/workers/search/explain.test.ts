/** What an explained search says of each rule, over the real database. */
import { describe, expect, it } from "vitest";
import { explainSearch } from "../../../src/search/explain";
import type { Explained } from "../../../src/search/explained";
import { recordServed } from "../../../src/search/served-store";
import { scriptedReasoner } from "../learning/support";
import { asked, explain, returned, servicesOf } from "./explain-support";
import { NOW_MS, newWorld, seedAgent, seedUser, type UserSeed } from "./seed";

const whyOf = (rules: readonly Explained[], id: number) => rules.find((rule) => rule.id === id)?.why;
const blockWhyOf = (rules: readonly Explained[], id: number) =>
  rules.find((rule) => rule.id === id)?.block?.why;

describe("an explained search", () => {
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
});
