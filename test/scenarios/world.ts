/** An org that is driven as its users drive it: over HTTP, with the queue's work done and aggregation's turns run. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import * as z from "zod";
import { runAggregationTurn } from "../../src/aggregation/turn";
import type { Reasoner } from "../../src/platform/reasoner/port";
import { createReplayReasoner, type Recordings, recording } from "../../src/platform/reasoner/replay";
import { testServices } from "../support/services";
import { clientOf, drain, newTenant } from "../workers/whole/loop";
import type { SpokenTurn } from "./files";

const START_MS = Date.UTC(2030, 0, 1, 12);
/** Past every lease, every retry and the hour between two aggregations. */
const JUMP_MS = 4_000_000;
/** Rules that only wait for company are left alone after so many turns. */
const MAX_TURNS = 4;

const userRule = z.object({
  user_playbook_id: z.int(),
  user_id: z.string(),
  agent_version: z.string(),
  source: z.string().optional(),
  trigger: z.string().optional(),
  content: z.string(),
  status: z.string().nullish(),
  source_interaction_ids: z.array(z.int()),
});
const agentRule = z.object({
  agent_playbook_id: z.int(),
  content: z.string(),
  playbook_status: z.string(),
  status: z.string().nullish(),
});
/** Every status there is; asked for by name, tombstones are shown. */
const EVERY_STATUS = [null, "pending", "archived", "archive_in_progress", "merged", "superseded"];

/** A fresh org whose reasoner is `reasoner`; the same calls give the same ids and times in each. */
export async function scenarioWorld(name: string, reasoner: Reasoner) {
  const clock = { nowMs: START_MS };
  const services = testServices({ clock: { nowMs: () => clock.nowMs }, reasoner: () => reasoner });
  const tenant = await newTenant(name);
  const call = clientOf(services, tenant);
  const settle = () => drain(services, clock, tenant, (messages) => messages);
  return {
    call,
    settle,
    async publish(userId: string, turns: readonly SpokenTurn[], fields: object = {}) {
      await call("POST", "/api/publish_interaction", {
        user_id: userId,
        session_id: `session of ${userId}`,
        agent_version: "v1",
        force_extraction: true,
        ...fields,
        interaction_data_list: turns,
      });
      await settle();
    },
    async aggregate(agentVersion: string) {
      for (let turn = 0; turn < MAX_TURNS; turn += 1) {
        clock.nowMs += JUMP_MS;
        await env.DB.prepare("UPDATE aggregation_states SET next_attempt_at_ms = 0 WHERE org_id = ?")
          .bind(tenant.orgId)
          .run();
        const { nextInMs } = await runAggregationTurn(services, tenant.orgId, agentVersion);
        await settle();
        if (nextInMs === null) return;
      }
    },
    /** The turns of a user, oldest first: ids and contents. */
    async turnsOf(userId: string) {
      const answer = await call("POST", "/api/get_interactions", { user_id: userId, top_k: 1_000 });
      return z
        .object({ interactions: z.array(z.object({ interaction_id: z.int(), content: z.string() })) })
        .parse(answer)
        .interactions.toReversed();
    },
    async userRules(query: object) {
      const answer = await call("POST", "/api/get_user_playbooks", {
        limit: 1_000,
        status_filter: EVERY_STATUS,
        ...query,
      });
      return z.object({ user_playbooks: z.array(userRule) }).parse(answer).user_playbooks;
    },
    async agentRules(agentVersion: string) {
      const answer = await call("POST", "/api/get_agent_playbooks", {
        limit: 1_000,
        agent_version: agentVersion,
        status_filter: EVERY_STATUS,
      });
      return z.object({ agent_playbooks: z.array(agentRule) }).parse(answer).agent_playbooks;
    },
    /** The user rules that a rule of the agent rests on. */
    async sourcesOf(agentPlaybookId: number) {
      const { results } = await env.DB.prepare(
        "SELECT user_playbook_id AS id FROM agent_playbook_sources WHERE org_id = ? AND agent_playbook_id = ? ORDER BY id",
      )
        .bind(tenant.orgId, agentPlaybookId)
        .all<{ id: number }>();
      return results.map(({ id }) => id);
    },
    async successorOf(userPlaybookId: number) {
      return env.DB.prepare(
        "SELECT merged_into, superseded_by FROM user_playbooks WHERE org_id = ? AND user_playbook_id = ?",
      )
        .bind(tenant.orgId, userPlaybookId)
        .first<{ merged_into: number | null; superseded_by: number | null }>();
    },
    async deadLetters() {
      return z
        .object({ dead_letters: z.array(z.object({ reason: z.string() })) })
        .parse(await call("GET", "/api/dead_letters", undefined)).dead_letters;
    },
  };
}
export type ScenarioWorld = Awaited<ReturnType<typeof scenarioWorld>>;

/**
 * Lets `act` happen once while the model's answers are recorded, and again in a fresh org on the recordings alone.
 * Both must tell the same; a prompt that was never answered fails the second.
 *
 * @returns what `act` told on the recorded answers
 */
export async function onRecordedAnswers<Told>(
  name: string,
  model: Reasoner,
  act: (world: ScenarioWorld) => Promise<Told>,
): Promise<Told> {
  const recordings: Recordings = {};
  const recorder = recording(model, (key, answer) => {
    recordings[key] = answer;
  });
  const first = await act(await scenarioWorld(`${name}, recorded`, recorder));
  const again = await act(await scenarioWorld(`${name}, replayed`, createReplayReasoner(recordings)));
  expect(again).toEqual(first);
  return again;
}
