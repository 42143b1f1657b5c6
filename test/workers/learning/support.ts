/** A user's stream in a fresh org, a reasoner that reads rules from turns, and what became of it all. */
import { env } from "cloudflare:workers";
import * as z from "zod";
import { Database } from "../../../src/db/client";
import { completeWork, findWork, type Work } from "../../../src/db/outbox";
import { sql } from "../../../src/db/sql";
import { publishBodySchema } from "../../../src/interactions/model";
import { publish } from "../../../src/interactions/publish";
import { runExtraction } from "../../../src/learning/consumer";
import { createOfflineReasoner } from "../../../src/platform/reasoner/offline";
import type { Reasoner, TaskInput, TaskName, TaskOutput } from "../../../src/platform/reasoner/port";
import type { Services } from "../../../src/services";
import { type TestServices, testServices } from "../../support/services";
import { tokenVector } from "./token-vector";

export const db = new Database(env.DB);
let orgs = 0;
export const freshOrg = (): string => {
  orgs += 1;
  return `learning-org-${orgs}`;
};

/** A clock that stands still until a test moves it. */
export function standingClock(startMs = Date.UTC(2030, 0, 1, 12)) {
  let now = startMs;
  return {
    nowMs: () => now,
    advance(ms: number) {
      now += ms;
    },
  };
}

type Answers = { [T in TaskName]?: (input: TaskInput<T>) => TaskOutput<T> | Promise<TaskOutput<T>> };

/** `RULE trigger | content` in a user's turn is a rule; what else is said teaches nothing. */
function extractMarked({ turns }: TaskInput<"extract">): TaskOutput<"extract"> {
  return {
    playbooks: turns
      .filter((turn) => turn.isUserVoice && turn.content.startsWith("RULE "))
      .map((turn) => {
        const [trigger = "", content = ""] = turn.content.slice(5).split(" | ");
        return {
          trigger,
          content,
          rationale: "said so",
          evidence_kind: "correction",
          evidence_refs: [turn.label],
        };
      }),
  };
}

const acceptAll = ({ candidates }: TaskInput<"reviewCandidates">): TaskOutput<"reviewCandidates"> => ({
  decisions: candidates.map((candidate) => ({
    candidate_id: candidate.label,
    decision: "accept",
    reason_code: "grounded_useful",
    reason: "proved",
    evidence_ids: candidate.evidence.map(({ unit }) => unit),
    revision: null,
  })),
});

/** Counts its calls; tasks that a test does not answer are answered from marked turns, or offline. */
export function scriptedReasoner(answers: Answers = {}): Reasoner & { calls: TaskName[] } {
  const offline = createOfflineReasoner();
  const scripted: Answers = {
    shouldExtract: () => ({ shouldExtract: true }),
    extract: extractMarked,
    reviewCandidates: acceptAll,
    ...answers,
  };
  const calls: TaskName[] = [];
  return {
    calls,
    async run(task, input, signal) {
      calls.push(task);
      const answer = scripted[task];
      if (answer === undefined) return offline.run(task, input, signal);
      const output = await answer(input);
      return {
        output,
        rawText: JSON.stringify(output),
        model: "scripted",
        provider: "test",
        inputTokens: 1,
        outputTokens: 1,
      };
    },
  };
}

/** Services with a scripted reasoner and an embedder that needs no asset. */
export function learningServices(overrides: Partial<Services> & { answers?: Answers } = {}) {
  const { answers, ...rest } = overrides;
  const reasoner = scriptedReasoner(answers);
  const clock = standingClock();
  const services: TestServices = testServices({
    clock,
    reasoner: () => reasoner,
    embedder: tokenVector,
    ...rest,
  });
  return { services, reasoner, clock };
}

export interface Said {
  turns: string[];
  userId?: string;
  force?: boolean;
  skipAggregation?: boolean;
  requestId?: string;
}

/** Publishes turns in pairs of roles: the user speaks first. A marked rule is always the user's. */
export const say = (
  services: Services,
  orgId: string,
  { turns, userId = "ada", force = false, skipAggregation = false, requestId }: Said,
) =>
  publish(
    services,
    orgId,
    publishBodySchema.parse({
      user_id: userId,
      session_id: `session of ${userId}`,
      force_extraction: force,
      skip_aggregation: skipAggregation,
      ...(requestId !== undefined && { request_id: requestId }),
      interaction_data_list: turns.map((content, index) => ({
        role: index % 2 === 0 || content.startsWith("RULE ") ? "User" : "Assistant",
        content,
      })),
    }),
  );

export const chatter = (count: number, about = "weather"): string[] =>
  Array.from({ length: count }, (_, index) => `${about} talk ${index}`);

const ids = z.object({ id: z.string() });

/** Extraction work that waits in the outbox. */
export async function pendingWork(orgId: string): Promise<Work[]> {
  const rows = await db.all(
    ids,
    sql`SELECT id FROM outbox WHERE org_id = ${orgId} AND topic = 'extraction' ORDER BY id`,
  );
  const found = await Promise.all(rows.map(({ id }) => findWork(db, { orgId, id })));
  return found.filter((work) => work !== null);
}

/** Runs waiting extraction work once each, as the queue would. */
export async function consumeOnce(services: Services, orgId: string) {
  const results: Awaited<ReturnType<typeof runExtraction>>[] = [];
  for (const work of await pendingWork(orgId)) {
    const result = await runExtraction(services, work);
    if (result === "done") await db.run(completeWork(work));
    results.push(result);
  }
  return results;
}

/** Runs until nothing is due now. */
export async function consumeAll(services: Services, orgId: string): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    const results = await consumeOnce(services, orgId);
    if (results.every((result) => result === "done" || result.retryInMs > 0)) return;
  }
  throw new Error("extraction never came to rest");
}

const ruleRow = z.object({
  id: z.int(),
  trigger: z.string(),
  content: z.string(),
  status: z.string().nullable(),
  sources: z.string(),
  merged_into: z.int().nullable(),
  superseded_by: z.int().nullable(),
  window_id: z.string().nullable(),
  request_id: z.string(),
});

export const rulesOf = (orgId: string, userId = "ada") =>
  db.all(
    ruleRow,
    sql`SELECT user_playbook_id AS id, trigger, content, status, source_interaction_ids AS sources, merged_into,
          superseded_by, window_id, request_id FROM user_playbooks WHERE org_id = ${orgId} AND user_id = ${userId}
        ORDER BY user_playbook_id`,
  );

export const currentOf = async (orgId: string, userId = "ada"): Promise<string[]> =>
  (await rulesOf(orgId, userId)).filter(({ status }) => status === null).map(({ content }) => content);

export const windowsOf = (orgId: string) =>
  db.all(
    z.object({
      state: z.string(),
      manifest: z.string(),
      outcome: z.string().nullable(),
      error: z.string().nullable(),
    }),
    sql`SELECT state, manifest, outcome, error FROM windows WHERE org_id = ${orgId} ORDER BY end_seq, window_id`,
  );

export const cursorOf = (orgId: string, userId = "ada") =>
  db.first(
    z.object({
      completed_seq: z.int(),
      window_id: z.string().nullable(),
      attempts: z.int(),
      retry_at_ms: z.int(),
      last_error: z.string().nullable(),
    }),
    sql`SELECT completed_seq, window_id, attempts, retry_at_ms, last_error FROM cursors
        WHERE org_id = ${orgId} AND user_id = ${userId} AND kind = 'playbook'`,
  );

/** Counts rows of a query that names its column `n`. */
export async function countOf(statement: ReturnType<typeof sql>): Promise<number> {
  return (await db.first(z.object({ n: z.int() }), statement))?.n ?? 0;
}

export const counterOf = (orgId: string, name: string): Promise<number> =>
  countOf(sql`SELECT coalesce(sum(count), 0) AS n FROM counters WHERE org_id = ${orgId} AND name = ${name}`);
