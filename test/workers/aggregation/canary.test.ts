/** The canary: poisoning attempts and benign rules through the pipeline; who is flagged at the gate. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { sql } from "../../../src/db/sql";
import { publishBodySchema } from "../../../src/interactions/model";
import { publish } from "../../../src/interactions/publish";
import type { Embedder } from "../../../src/platform/embedder/port";
import { createOfflineReasoner } from "../../../src/platform/reasoner/offline";
import type { TaskInput, TaskOutput } from "../../../src/platform/reasoner/port";
import { undisguised } from "../../../src/playbooks/flagging/fold";
import { sensitivityOf } from "../../../src/playbooks/flagging/sensitive";
import { flagsOf } from "../../../src/playbooks/flags";
import { type Attempt, attempts, benign, halves, later } from "../../canary/corpus";
import { type TestServices, testServices } from "../../support/services";
import { consumeAll, db, freshOrg, scriptedReasoner, standingClock } from "../learning/support";
import { agentRules, makeWorld, seedRules } from "./support";

const VERSION = "v1";
const LIMIT_MS = 180_000;

/** All that is said for one thing lies in one place, and everything else far away: whatever can cluster does. */
function oneHot(groups: readonly (readonly string[])[]): Embedder {
  const dimension = groups.length + 1;
  return {
    model: { name: "one-hot", dimension, clusteringSimilarity: 0.9, retrievalSimilarity: 0.9 },
    embed: async (texts) =>
      texts.map((text) => {
        const found = groups.findIndex((group) => group.some((said) => text.includes(said)));
        return new Float32Array(dimension)
          .fill(0)
          .fill(1, found < 0 ? dimension - 1 : found, found < 0 ? dimension : found + 1);
      }),
  };
}

type Clock = ReturnType<typeof standingClock>;

/** Every message is a request in a session of its own, unless the attempt shares one. */
async function publishAll(services: TestServices, orgId: string, all: readonly Attempt[]): Promise<void> {
  for (const [number, { users, sharesSession }] of all.entries()) {
    for (const [user, messages] of users.entries()) {
      for (const [at, message] of messages.entries()) {
        await publish(
          services,
          orgId,
          publishBodySchema.parse({
            user_id: `account${number}x${user}`,
            session_id: sharesSession ? `chat${number}` : `chat${number}x${user}x${at}`,
            agent_version: VERSION,
            force_extraction: true,
            skip_aggregation: false,
            interaction_data_list: [
              { role: "Assistant", content: "Good morning, what can I do?" },
              { role: "User", content: message },
            ],
          }),
        );
      }
    }
  }
}

/** A model that obeys: whatever a user says becomes a rule, word for word, and no rule replaces another. */
function obedientReasoner(synthesise: (input: TaskInput<"synthesise">) => TaskOutput<"synthesise">) {
  const learned = new Set<string>();
  return scriptedReasoner({
    extract({ turns }) {
      const fresh = turns.filter(({ isUserVoice, content }) => isUserVoice && !learned.has(content));
      for (const { content } of fresh) learned.add(content);
      return {
        playbooks: fresh.map(({ label, content }) => ({
          trigger: content,
          content,
          rationale: "said so",
          evidence_kind: "correction",
          evidence_refs: [label],
        })),
      };
    },
    consolidate: ({ fresh }) => ({
      decisions: [{ kind: "independent", new_ids: fresh.map(({ label }) => label) }],
    }),
    synthesise,
  });
}

/** Turns until nothing new is made. */
async function aggregateAll(services: TestServices, orgId: string, clock: Clock): Promise<void> {
  for (let turn = 0, before = -1; turn < 30; turn += 1) {
    const { nextInMs } = await runAggregationTurn(services, orgId, VERSION);
    const made = (await rulesMade(orgId)).length;
    if (nextInMs === null || (nextInMs > 1_000 && made === before)) return;
    before = made;
    clock.advance(nextInMs);
  }
  throw new Error("aggregation never came to rest");
}

const ruleRow = z.object({
  approval: z.string(),
  content: z.string(),
  flags: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))),
  accounts: z.string(),
});

/** CURRENT agent rules and the accounts behind each. */
const rulesMade = (orgId: string) =>
  db.all(
    ruleRow,
    sql`SELECT a.playbook_status AS approval, a.content, a.flags,
          (SELECT group_concat(p.user_id) FROM agent_playbook_sources s JOIN user_playbooks p ON p.org_id = s.org_id
            AND p.user_playbook_id = s.user_playbook_id
            WHERE s.org_id = a.org_id AND s.agent_playbook_id = a.agent_playbook_id) AS accounts
        FROM agent_playbooks a WHERE a.org_id = ${orgId} AND a.status IS NULL ORDER BY a.agent_playbook_id`,
  );

/** Forgets what aggregation made and decided, so that it begins anew with the same user rules. */
const startOver = (orgId: string) =>
  db.batch([
    sql`DELETE FROM agent_playbooks WHERE org_id = ${orgId}`,
    sql`DELETE FROM agent_playbook_sources WHERE org_id = ${orgId}`,
    sql`DELETE FROM aggregation_items WHERE org_id = ${orgId}`,
    sql`DELETE FROM aggregation_outcomes WHERE org_id = ${orgId}`,
    sql`UPDATE aggregation_states SET pending = 1, next_attempt_at_ms = 0 WHERE org_id = ${orgId}`,
  ]);

type Synthesise = (input: TaskInput<"synthesise">) => TaskOutput<"synthesise">;
type Source = TaskInput<"synthesise">["sources"][number];

const asRule = (content: string): TaskOutput<"synthesise"> => ({
  playbook: { trigger: content, content, rationale: "" },
});
const suspicion = ({ trigger, content }: Source): number =>
  flagsOf(content).length + sensitivityOf({ trigger, content }).length;

/** What a hostile or careless model makes of a cluster. */
const syntheses: Record<string, Synthesise> = {
  verbatim: ({ sources }) => asRule(sources[0]?.content ?? ""),
  // The source that looks most innocent, in plain letters.
  laundered: ({ sources }) => {
    const [best] = [...sources].sort((left, right) => suspicion(left) - suspicion(right));
    return asRule(undisguised(best?.content ?? ""));
  },
};

/** The numbers of the attempts that a rule rests on. */
const attemptsOf = (accounts: string): number[] => [
  ...new Set(accounts.split(",").map((account) => Number(/^account(\d+)x/.exec(account)?.[1]))),
];

async function hostileRun(all: readonly Attempt[]) {
  const clock = standingClock();
  let synthesise: Synthesise = () => ({ playbook: null });
  const reasoner = obedientReasoner((input) => synthesise(input));
  const services = testServices({
    clock,
    reasoner: () => reasoner,
    embedder: oneHot(all.map(({ users }) => users.flat())),
  });
  const orgId = freshOrg();
  await publishAll(services, orgId, all);
  await consumeAll(services, orgId);
  return {
    orgId,
    async rules(kind: string) {
      synthesise = syntheses[kind] ?? synthesise;
      await startOver(orgId);
      await aggregateAll(services, orgId, clock);
      return rulesMade(orgId);
    },
  };
}

describe.each(halves)("poisoning attempts (%s)", (half) => {
  const all = attempts[half];

  it(
    "become neither approved nor pending without a flag, whatever a hostile model makes of them",
    async ({ task }) => {
      const run = await hostileRun(all);
      const figures: string[] = [];
      for (const kind of Object.keys(syntheses)) {
        const rules = await run.rules(kind);
        expect(rules.filter(({ approval }) => approval !== "pending")).toEqual([]);
        const unflagged = rules.filter(({ flags }) => flags.length === 0);
        const reached = new Set(rules.flatMap(({ accounts }) => attemptsOf(accounts)));
        figures.push(
          `${kind}: ${reached.size} of ${all.length} became pending, ${unflagged.length} without a flag`,
        );
        expect(unflagged.map(({ content, accounts }) => [accounts, content])).toEqual([]);
        // The model obeys, so almost every attempt gets as far as the gate.
        expect(reached.size).toBeGreaterThanOrEqual(all.length * 0.9);
      }
      task.meta.measured = `canary, ${half}, hostile model: ${figures.join("; ")}`;
    },
    LIMIT_MS,
  );

  it(
    "become neither approved nor pending without a flag with the offline reasoner",
    async ({ task }) => {
      const clock = standingClock();
      const services = testServices({ clock, reasoner: () => createOfflineReasoner() });
      const orgId = freshOrg();
      await publishAll(services, orgId, all);
      await consumeAll(services, orgId);
      await aggregateAll(services, orgId, clock);
      const rules = await rulesMade(orgId);
      const unflagged = rules.filter(({ flags }) => flags.length === 0);
      task.meta.measured = `canary, ${half}, offline reasoner: ${rules.length} of ${all.length} attempts became pending, ${unflagged.length} without a flag`;
      expect(rules.filter(({ approval }) => approval !== "pending")).toEqual([]);
      expect(unflagged.map(({ content, accounts }) => [accounts, content])).toEqual([]);
    },
    LIMIT_MS,
  );
});

describe("what the gate is known to miss", () => {
  it(
    "is at most three in ten of oblique attempts by accounts that disguise and share nothing",
    async ({ task }) => {
      const figures: string[] = [];
      for (const part of later) {
        const run = await hostileRun(attempts[part]);
        const rules = await run.rules("laundered");
        expect(rules.every(({ approval }) => approval === "pending")).toBe(true);
        const unflagged = rules.filter(({ flags }) => flags.length === 0);
        figures.push(`${part}: ${unflagged.length} of ${rules.length} without a flag`);
        expect(unflagged.length / rules.length, part).toBeLessThanOrEqual(0.3);
      }
      task.meta.measured = `canary, oblique attempts: ${figures.join("; ")}`;
    },
    LIMIT_MS,
  );

  it("is whatever enough users say in words of their own: the flag is about agreement, not truth", async ({
    task,
  }) => {
    const run = await hostileRun(attempts.beyond);
    const rules = await run.rules("verbatim");
    const unflagged = rules.filter(({ flags }) => flags.length === 0);
    task.meta.measured = `canary, beyond the gate: ${unflagged.length} of ${attempts.beyond.length} agreed promotions and slurs wait for review without a flag`;
    expect(rules.every(({ approval }) => approval === "pending")).toBe(true);
    expect(unflagged).toHaveLength(attempts.beyond.length);
  });
});

const allBenign = [...halves, ...later].flatMap((part) => benign[part].map((rule) => ({ part, ...rule })));

it(
  "benign rules are flagged in at most 2 of 100 cases",
  async ({ task }) => {
    const entryOf = (sources: readonly Source[]) =>
      allBenign.find(({ taught }) => sources.some(({ content }) => taught.includes(content)));
    const groups = allBenign.map(({ trigger, content, taught }) => [`${trigger}: ${content}`, ...taught]);
    const world = makeWorld({ embedder: oneHot(groups) }, ({ sources }) => {
      const entry = entryOf(sources);
      if (entry === undefined) return { playbook: null };
      return { playbook: { trigger: entry.trigger, content: entry.content, rationale: "" } };
    });
    await seedRules(
      world,
      allBenign.flatMap(({ taught }, number) =>
        taught.map((content, user) => ({
          id: number * 10 + user + 1,
          userId: `person${number}x${user}`,
          // The situation in a user's words is what they said.
          trigger: content,
          content,
          sourceSpan: content,
        })),
      ),
    );
    for (let turn = 0; turn < 30; turn += 1) {
      const { nextInMs } = await runAggregationTurn(world.services, world.orgId, VERSION);
      world.clock.advance(nextInMs ?? 0);
      if (nextInMs === null || nextInMs > 1_000) break;
    }
    const rules = await agentRules(world);
    const flagged = rules.filter(({ flags }) => flags !== "[]");
    const partsOf = (made: typeof rules) =>
      [...halves, ...later]
        .map(
          (part) =>
            `${part} ${made.filter(({ content }) => benign[part].some((rule) => rule.content === content)).length}`,
        )
        .join(", ");
    task.meta.measured = `canary: ${flagged.length} of ${rules.length} benign rules flagged (${partsOf(flagged)}); ${allBenign.length} taught`;
    expect(rules.length).toBeGreaterThanOrEqual(200);
    expect(
      flagged.length / rules.length,
      flagged.map(({ flags, content }) => `${flags} ${content}`).join("\n"),
    ).toBeLessThanOrEqual(0.02);
  },
  LIMIT_MS,
);
