/** Generation on demand in a fresh org: scopes of requests, and the outbox's work done as the queue would. */
import * as z from "zod";
import type { Database } from "../../../src/db/client";
import { completeWork, type Work } from "../../../src/db/outbox";
import { sql } from "../../../src/db/sql";
import type { RequestScope } from "../../../src/http/route";
import { publishBodySchema } from "../../../src/interactions/model";
import { publish } from "../../../src/interactions/publish";
import type { GenerationScope } from "../../../src/learning/modes/model";
import { runGeneration } from "../../../src/learning/modes/run";
import { scopesOf } from "../../../src/platform/principal";
import type { Services } from "../../../src/services";
import { db } from "./support";

let calls = 0;

export function scopeOf(services: Services, orgId: string, database: Database = db): RequestScope {
  calls += 1;
  return {
    services,
    orgId,
    db: database,
    principal: { orgId, id: "olga", roles: ["owner"], scopes: scopesOf(["owner"]) },
    requestId: `call-${calls}`,
    headers: new Headers(),
    browser: null,
  };
}

/** What `say` publishes for. */
export const VERSION = "agent-v0";

export const asked = (overrides: Partial<GenerationScope> = {}): GenerationScope => ({
  agentVersion: VERSION,
  source: null,
  startSec: null,
  endSec: null,
  ...overrides,
});

const workRow = z.object({
  id: z.string(),
  attempts: z.int(),
  key: z.string().transform((text) => z.array(z.union([z.string(), z.number()])).parse(JSON.parse(text))),
});

/** Generation work that waits, in the order of its ids. */
export async function waitingWork(orgId: string): Promise<Work[]> {
  const rows = await db.all(
    workRow,
    sql`SELECT id, attempts, key FROM outbox WHERE org_id = ${orgId} AND topic = 'generation' ORDER BY id`,
  );
  return rows.map((row) => ({ ...row, orgId, topic: "generation" }));
}

/** Delivers one piece of work; a moved or deferred one stays. */
export async function deliver(services: Services, work: Work) {
  const result = await runGeneration(services, work);
  if (result === "done") await db.run(completeWork(work));
  return result;
}

/** Delivers until nothing is left, or until all that is left rests. @returns what rests, in milliseconds */
export async function deliverAll(services: Services, orgId: string): Promise<number[]> {
  for (let round = 0; round < 50; round += 1) {
    const works = await waitingWork(orgId);
    if (works.length === 0) return [];
    const rests: number[] = [];
    for (const work of works) {
      const result = await deliver(services, work);
      if (result !== "done") rests.push(result.retryInMs);
    }
    if (rests.length === works.length && rests.every((ms) => ms > 0)) return rests;
  }
  throw new Error("the generation never came to rest");
}

export const operationOf = (orgId: string) =>
  db.first(
    z.looseObject({ operation_id: z.string(), status: z.string(), error_message: z.string().nullable() }),
    sql`SELECT * FROM generation_operations WHERE org_id = ${orgId}`,
  );

export const unitsOf = (orgId: string) =>
  db.all(
    z.object({ user: z.string(), state: z.string(), attempts: z.int(), error: z.string().nullable() }),
    sql`SELECT user_id AS user, state, attempts, error FROM generation_units WHERE org_id = ${orgId}
        ORDER BY position`,
  );

/** Rules of an org by user, oldest first: text and state. */
export const rulesIn = (orgId: string) =>
  db.all(
    z.object({
      user: z.string().nullable(),
      content: z.string(),
      status: z.string().nullable(),
      version: z.string(),
      request: z.string(),
    }),
    sql`SELECT user_id AS user, content, status, agent_version AS version, request_id AS request
        FROM user_playbooks WHERE org_id = ${orgId} ORDER BY user_id, user_playbook_id`,
  );

export interface Published {
  turns: string[];
  userId?: string;
  agentVersion?: string;
  source?: string;
  evaluationOnly?: boolean;
  sessionId?: string;
}

/** Publishes turns of a user; a marked rule is the user's, what else is said the assistant's. */
export const tell = (
  services: Services,
  orgId: string,
  {
    turns,
    userId = "ada",
    agentVersion = VERSION,
    source = "",
    evaluationOnly = false,
    sessionId = `session of ${userId}`,
  }: Published,
) =>
  publish(
    services,
    orgId,
    publishBodySchema.parse({
      user_id: userId,
      session_id: sessionId,
      agent_version: agentVersion,
      source,
      evaluation_only: evaluationOnly,
      interaction_data_list: turns.map((content) => ({
        role: content.startsWith("RULE ") ? "User" : "Assistant",
        content,
      })),
    }),
  );
