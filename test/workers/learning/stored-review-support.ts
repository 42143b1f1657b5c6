/** Rules that a window taught, a reviewer who judges them by how they begin, and the run's work done as the queue would. */
import * as z from "zod";
import { completeWork, type Work } from "../../../src/db/outbox";
import { type Statement, sql } from "../../../src/db/sql";
import type { Selection } from "../../../src/learning/stored-review/model";
import { runStoredReview } from "../../../src/learning/stored-review/run";
import { findRun, listItems } from "../../../src/learning/stored-review/run-store";
import { beginReview } from "../../../src/learning/stored-review/start";
import type { TaskInput, TaskOutput } from "../../../src/platform/reasoner/port";
import { loadUserPlaybooks } from "../../../src/playbooks/store";
import type { Services } from "../../../src/services";
import { scopeOf } from "./modes-support";
import { consumeAll, db, rulesOf, say } from "./support";

export type StoredInput = TaskInput<"reviewStored">;
export type StoredOutput = TaskOutput<"reviewStored">;

export const accepted = ({ rule }: StoredInput): StoredOutput => ({
  decision: "accept",
  reason_code: "grounded_useful",
  reason: "The user said so.",
  evidence_ids: rule.evidence.map(({ unit }) => unit),
  revision: null,
});

/** `drop …` is rejected, of `keep; lose` the first half is kept, anything else stays. */
export function byBeginning(input: StoredInput): StoredOutput {
  const { rule } = input;
  const answer = accepted(input);
  if (rule.content.startsWith("drop")) {
    return { ...answer, decision: "reject", reason_code: "generic, speculative", evidence_ids: [] };
  }
  const [kept = "", lost] = rule.content.split("; ");
  if (lost === undefined) return answer;
  const { trigger, rationale } = rule;
  return {
    ...answer,
    decision: "revise",
    reason_code: "compound",
    revision: { trigger, content: kept, rationale },
  };
}

export const RULES = {
  kept: "RULE lending keys to visitors | write the visitor into the brass ledger",
  cut: "RULE sealing envelopes for the archive | seal archive envelopes with wax; hum a tune meanwhile",
  dropped: "RULE captioning exhibits in the hall | drop every adjective from captions",
} as const;

/** Teaches rules in one window of the user's. @returns their ids, oldest first */
export async function teach(
  services: Services,
  orgId: string,
  turns: readonly string[] = Object.values(RULES),
  userId = "ada",
): Promise<number[]> {
  const known = new Set((await rulesOf(orgId, userId)).map(({ id }) => id));
  await say(services, orgId, { turns: [...turns], force: true, userId });
  await consumeAll(services, orgId);
  return (await rulesOf(orgId, userId)).map(({ id }) => id).filter((id) => !known.has(id));
}

/** Everything that was made until a day after the clock. */
export const allOf = (services: Services, topK = 100): Selection => ({
  startSec: 0,
  endSec: Math.floor(services.clock.nowMs() / 1000) + 86_400,
  topK,
});

export async function begin(services: Services, orgId: string, topK?: number): Promise<string> {
  const begun = await beginReview(scopeOf(services, orgId), allOf(services, topK));
  if ("refusal" in begun) throw new Error(begun.refusal);
  return begun.run.runId;
}

const workRow = z.object({
  id: z.string(),
  attempts: z.int(),
  key: z.string().transform((text) => z.array(z.union([z.string(), z.number()])).parse(JSON.parse(text))),
});

export async function reviewWork(orgId: string): Promise<Work[]> {
  const rows = await db.all(
    workRow,
    sql`SELECT id, attempts, key FROM outbox WHERE org_id = ${orgId} AND topic = 'review'`,
  );
  return rows.map((row) => ({ ...row, orgId, topic: "review" }));
}

/** Delivers until nothing is left or all that is left rests. @returns how long it rests, or null */
export async function deliverReview(services: Services, orgId: string): Promise<number | null> {
  for (let round = 0; round < 20; round += 1) {
    const [work] = await reviewWork(orgId);
    if (work === undefined) return null;
    const result = await runStoredReview(services, work);
    if (result === "done") await db.run(completeWork(work));
    else if (result.retryInMs > 0) return result.retryInMs;
  }
  throw new Error("the review never came to rest");
}

export async function outcomeOf(orgId: string, runId: string) {
  const run = await findRun(db, orgId, runId);
  if (run === null) throw new Error("there is a run");
  return { run, items: await listItems(db, run, 0, 100) };
}

export async function ruleOf(orgId: string, id: number) {
  const [row] = await loadUserPlaybooks(db, orgId, [id]);
  if (row === undefined) throw new Error("there is a rule");
  return row;
}

/** Every row of an org in these tables, as text. */
export async function rowsOf(orgId: string, tables: readonly string[]): Promise<string> {
  const results = await db.batch(
    tables.map((table): Statement => ({ text: `SELECT * FROM ${table} WHERE org_id = ?`, params: [orgId] })),
  );
  return JSON.stringify(results.map(({ rows }) => rows));
}
