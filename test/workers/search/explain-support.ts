/** Explained searches for tests, and a corpus to search that has something of everything. */
import { type ExplainQuery, explainSearch } from "../../../src/search/explain";
import type { Explained } from "../../../src/search/explained";
import { recordServed } from "../../../src/search/served-store";
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

export const servicesOf = (world: World) => ({ ...world.services, ids, reasoner: noModel, defer: () => {} });

export const asked = (rest: Partial<ExplainQuery>): ExplainQuery => ({
  ...{ query: "@0 refund", topK: 5, threshold: null, mode: "hybrid", approvals: ["approved", "pending"] },
  ...{ history: [], enableReformulation: false, maxTokens: 1200, format: "markdown", mayNameUsers: false },
  ...rest,
});

export const explain = (world: World, rest: Partial<ExplainQuery> = {}) =>
  explainSearch(servicesOf(world), world.d1.db, world.orgId, asked(rest));

export const returned = (rules: readonly Explained[]) =>
  rules.filter((rule) => rule.returned).map(({ id }) => id);

/** A corpus that has something of everything, the same for the same seed. */
export async function mixedWorld(seed: number): Promise<World> {
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
