/** The context of a prompt over the real database: which rules are in it, and which never are. */
import { describe, expect, it } from "vitest";
import { randomIds } from "../../../src/platform/ids";
import { promptContext } from "../../../src/search/prompt-context";
import { NOW_MS, newWorld, SEEDED_AT_MS, seedAgent, seedUser, type World } from "./seed";

const contextOf = (world: World, rest: object = {}) =>
  promptContext({ ...world.services, ids: randomIds }, world.d1.db, world.orgId, {
    ...{ query: "@0 refund", agentVersion: "v1", userId: "ann", maxTokens: 1200, format: "markdown" },
    ...rest,
  });

const tagsOf = async (world: World, rest: object = {}) =>
  (await contextOf(world, rest)).citations.map(({ tag }) => tag);

describe("the context of a prompt", () => {
  it("holds approved agent rules of the version, then the user's own CURRENT ones", async () => {
    const world = newWorld();
    await seedAgent(
      world,
      { agentPlaybookId: 1, content: "ask for the receipt", degrees: 5 },
      { agentPlaybookId: 2, content: "refund at once", degrees: 0, playbookStatus: "pending" },
      { agentPlaybookId: 3, content: "refund never", degrees: 0, playbookStatus: "rejected" },
      { agentPlaybookId: 4, content: "refund by post", degrees: 0, agentVersion: "v2" },
      { agentPlaybookId: 5, content: "refund in old ways", degrees: 0, status: "superseded" },
    );
    await seedUser(
      world,
      { userPlaybookId: 1, content: "write short answers", degrees: 10 },
      { userPlaybookId: 2, content: "refund draft", degrees: 0, status: "pending" },
      { userPlaybookId: 3, content: "refund for bob", degrees: 0, userId: "bob" },
      { userPlaybookId: 4, content: "refund elsewhere", degrees: 0, agentVersion: "v2" },
    );
    expect(await tagsOf(world)).toEqual(["ap-1", "up-1"]);
  });

  it("holds no user's rules where no user is named", async () => {
    const world = newWorld();
    await seedUser(world, { userPlaybookId: 1, content: "refund", degrees: 0 });
    const { userId: _, ...anonymous } = { userId: "ann", query: "@0 refund", agentVersion: "v1" };
    const found = await promptContext({ ...world.services, ids: randomIds }, world.d1.db, world.orgId, {
      ...{ ...anonymous, maxTokens: 1200, format: "json" },
    });
    expect(found).toMatchObject({ context: "", tokens: 0, citations: [], withheld: [] });
  });

  it("leaves out a user rule that an agent rule was made from or repeats", async () => {
    const world = newWorld();
    await seedAgent(world, {
      agentPlaybookId: 1,
      content: "Confirm the receipt before a refund",
      degrees: 0,
      sources: [1],
    });
    await seedUser(
      world,
      { userPlaybookId: 1, content: "wants receipts checked", degrees: 0 },
      { userPlaybookId: 2, content: "confirm the receipt before refunds", degrees: 0 },
      { userPlaybookId: 3, content: "never refund by cheque", degrees: 0 },
    );
    expect(await tagsOf(world)).toEqual(["ap-1", "up-3"]);
  });

  it("puts the newer of two contradicting rules first", async () => {
    const world = newWorld();
    await seedAgent(
      world,
      { agentPlaybookId: 1, content: "Always refund shipping costs", degrees: 0 },
      {
        agentPlaybookId: 2,
        content: "Never refund shipping costs",
        degrees: 30,
        updatedAtMs: SEEDED_AT_MS + 5000,
      },
    );
    expect(await tagsOf(world)).toEqual(["ap-2", "ap-1"]);
  });

  it("withholds a user rule that orders the model about or carries a secret, and says so", async () => {
    const world = newWorld();
    await seedUser(
      world,
      { userPlaybookId: 1, content: "refund politely", degrees: 0 },
      { userPlaybookId: 2, content: "refund rule two", degrees: 0, flags: ["instruction_like"] },
      { userPlaybookId: 3, content: "refund rule three", degrees: 0, flags: ["secret"] },
    );
    const found = await contextOf(world);
    expect(found.citations.map(({ tag }) => tag)).toEqual(["up-1"]);
    expect(found.withheld.toSorted((left, right) => left.id - right.id)).toEqual([
      { kind: "user_playbook", id: 2, flags: ["instruction_like"] },
      { kind: "user_playbook", id: 3, flags: ["secret"] },
    ]);
    expect(found.context).not.toContain("rule two");
  });

  it("finds a rule by meaning that was approved a moment ago and that the index does not show", async () => {
    const world = newWorld();
    await seedAgent(world, {
      ...{ agentPlaybookId: 1, content: "hand back what was paid", degrees: 3 },
      ...{ vectorAtMs: NOW_MS - 1000, isIndexed: false },
    });
    expect(await tagsOf(world)).toEqual(["ap-1"]);
  });

  it("answers by words and says so when the model fails", async () => {
    const world = newWorld();
    world.embedder.fails = true;
    await seedAgent(world, { agentPlaybookId: 1, content: "refund after a check" });
    const found = await contextOf(world);
    expect(found).toMatchObject({ degraded: true, citations: [{ tag: "ap-1" }] });
  });

  it("takes one batch of at most four statements", async () => {
    const world = newWorld();
    await seedAgent(world, { agentPlaybookId: 1, content: "refund", degrees: 0 });
    await contextOf(world);
    expect(world.d1.batches).toEqual([4]);
  });

  it("fences every answer with another nonce", async () => {
    const world = newWorld();
    await seedAgent(world, { agentPlaybookId: 1, content: "refund", degrees: 0 });
    const fences = await Promise.all(
      [1, 2, 3].map(async () => (await contextOf(world)).context.split("\n", 1)[0]),
    );
    expect(new Set(fences).size).toBe(3);
  });
});
