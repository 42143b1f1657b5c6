/** Counted budgets of the loop (design §8): what a search may cost, and how much a model is ever shown. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { createApp } from "../../../src/http/app";
import { routes } from "../../../src/routes";
import { testServices } from "../../support/services";
import { agentRules, makeWorld, seedRules } from "../aggregation/support";
import { consumeAll, currentOf, freshOrg, learningServices, say } from "../learning/support";
import { newWorld, seedAgent, seedUser } from "../search/seed";

const ORG = "self-host-org";

/** The app over counted D1 and the Vectorize adapter; whatever else it reaches for fails. */
function countedApp() {
  const world = { ...newWorld(), orgId: ORG };
  const services = testServices({
    ...world.services,
    database: () => world.d1.db,
    reasoner: () => {
      throw new Error("reading asks no model");
    },
    wakeAggregation: () => Promise.reject(new Error("reading wakes no Durable Object")),
  });
  const app = createApp<Env>(routes, () => ({ services: () => services, limits: {} }));
  const read = async (path: string, body: object): Promise<{ answer: string; batches: number[] }> => {
    world.d1.batches.length = 0;
    const response = await app.request(
      `http://localhost${path}`,
      { method: "POST", body: JSON.stringify(body) },
      env,
      { waitUntil: () => {}, passThroughOnException: () => {}, props: {} },
    );
    return { answer: await response.text(), batches: [...world.d1.batches] };
  };
  return { world, read };
}

describe("a read", () => {
  const { world, read } = countedApp();
  beforeAll(async () => {
    await seedUser(
      world,
      ...Array.from({ length: 40 }, (_, at) => ({
        userPlaybookId: at + 1,
        content: `voucher rule ${at} @${at}`,
        degrees: at,
      })),
    );
    await seedAgent(
      world,
      { agentPlaybookId: 1, content: "replace a lost voucher once @3", degrees: 3, sources: [1] },
      { agentPlaybookId: 2, content: "voucher idea @5", degrees: 5, playbookStatus: "pending" },
    );
  });

  it("of unified search takes one batch of at most six statements and no Durable Object, all in all", async () => {
    const { answer, batches } = await read("/api/search", {
      query: "lost voucher @3",
      user_id: "ann",
      agent_version: "v1",
    });
    expect(answer).toContain("replace a lost voucher once");
    expect(answer).toContain('"search_mode_effective":"hybrid"');
    expect(batches).toHaveLength(1);
    expect(batches[0]).toBeLessThanOrEqual(6);
  });

  it("of a prompt's context costs no more", async () => {
    const { answer, batches } = await read("/api/context", {
      query: "lost voucher @3",
      user_id: "ann",
      agent_version: "v1",
    });
    expect(answer).toContain("replace a lost voucher once");
    expect(batches).toHaveLength(1);
    expect(batches[0]).toBeLessThanOrEqual(6);
  });
});

describe("a prompt", () => {
  it("of learning shows at most ten turns and twenty stored rules, however many there are", async () => {
    const shown = { turns: 0, reviewed: 0, consolidated: 0 };
    const taught = new Set<string>();
    const { services } = learningServices({
      answers: {
        extract: ({ turns }) => {
          shown.turns = Math.max(shown.turns, turns.length);
          // Context turns were read before, and teach nothing again.
          const fresh = turns.filter(({ content }) => !taught.has(content));
          for (const { content } of fresh) taught.add(content);
          return {
            playbooks: fresh.map(({ label, content }) => ({
              trigger: `packing ${content}`,
              content: `wrap ${content} in paper`,
              rationale: "said so",
              evidence_kind: "correction",
              evidence_refs: [label],
            })),
          };
        },
        reviewCandidates: ({ candidates, existing }) => {
          shown.reviewed = Math.max(shown.reviewed, existing.length);
          return {
            decisions: candidates.map(({ label, evidence }) => ({
              candidate_id: label,
              decision: "accept",
              reason_code: "grounded_useful",
              reason: "proved",
              evidence_ids: evidence.map(({ unit }) => unit),
              revision: null,
            })),
          };
        },
        consolidate: ({ fresh, existing }) => {
          shown.consolidated = Math.max(shown.consolidated, existing.length);
          return { decisions: [{ kind: "independent", new_ids: fresh.map(({ label }) => label) }] };
        },
      },
    });
    const orgId = freshOrg();
    // Eight matters, each taught many times over: every candidate of a window is near five rules of its own.
    const said = Array.from({ length: 60 }, (_, at) => `jars${at % 8} for shelf${at % 8} in lot${at}`);
    await say(services, orgId, { turns: said, force: true });
    await consumeAll(services, orgId);
    expect((await currentOf(orgId)).length).toBe(60);
    expect(shown).toEqual({ turns: 10, reviewed: 20, consolidated: 20 });
  });

  it("of synthesis shows at most a hundred sources and twenty existing rules; all members join all the same", async () => {
    const world = makeWorld();
    const alike = Array.from({ length: 130 }, (_, at) => ({
      id: at + 1,
      userId: `user${at}`,
      trigger: "User asks where a parcel is",
      content: "Look the parcel up and tell its place.",
    }));
    const pairs = Array.from({ length: 25 }, (_, at) => at).flatMap((at) =>
      ["ana", "ben"].map((userId, user) => ({
        id: 1_000 + at * 2 + user,
        userId,
        trigger: `topic${at} subject${at} matter${at}`,
        content: `Mention handbook${at} chapter${at}.`,
      })),
    );
    await seedRules(world, pairs);
    for (let turn = 0; turn < 3; turn += 1) {
      await runAggregationTurn(world.services, world.orgId, "v1");
      world.clock.advance(3_600_000);
    }
    expect((await agentRules(world)).length).toBeGreaterThan(20);
    await seedRules(world, alike);
    await runAggregationTurn(world.services, world.orgId, "v1");
    expect(Math.max(...world.seen.map(({ sources }) => sources.length))).toBe(100);
    expect(Math.max(...world.seen.map(({ existingRules }) => existingRules.length))).toBe(20);
    const newest = (await agentRules(world)).at(-1);
    expect(JSON.parse(newest?.metadata ?? "{}")).toMatchObject({ source_count: 130, distinct_users: 130 });
  });
});
