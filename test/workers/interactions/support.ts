/** The interaction routes as an app of their own, over the real database and without any model port. */
import { env } from "cloudflare:workers";
import { Database } from "../../../src/db/client";
import type { WorkMessage } from "../../../src/db/outbox";
import { type Statement, sql } from "../../../src/db/sql";
import { readSettings } from "../../../src/env";
import { createApp } from "../../../src/http/app";
import { interactionRoutes } from "../../../src/interactions/routes";
import { principalOfKey } from "../../../src/orgs/keys";
import { randomIds } from "../../../src/platform/ids";
import type { Services } from "../../../src/services";

export const ORG = "self-host-org";

const unused = (port: string) => (): never => {
  throw new Error(`publishing must not use the ${port}`);
};

export interface World extends Services {
  readonly db: Database;
  readonly sent: WorkMessage[];
  nowMs: number;
}

/** Fresh services; the clock stands still until a test moves it. */
export function world(overrides: Partial<Services> = {}): World {
  const db = new Database(env.DB);
  const made: World = {
    db,
    sent: [],
    nowMs: 1_700_000_000_000,
    settings: readSettings(env),
    clock: { nowMs: () => made.nowMs },
    ids: randomIds,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    database: () => db,
    principalOfKey: (key) => principalOfKey(db, key, made.clock),
    principalOfSession: async () => null,
    secrets: null,
    webhookEgress: () => Promise.reject(new Error("no webhook is sent here")),
    reasoner: unused("reasoner"),
    embedder: {
      model: { name: "none", dimension: 1, clusteringSimilarity: 1, retrievalSimilarity: 1 },
      embed: unused("embedder"),
    },
    vectors: { upsert: unused("index"), remove: unused("index"), query: unused("index") },
    async send(messages) {
      made.sent.push(...messages);
    },
    wakeAggregation: unused("coordinator"),
    defer: () => {},
    ...overrides,
  };
  return made;
}

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

const asRecord = (value: unknown): Record<string, unknown> => Object(value);

/** Sends one request through the app. A string body is sent as it is. */
export async function call(
  services: Services,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const app = createApp(interactionRoutes, () => ({ services: () => services, limits: {} }));
  const response = await app.request(
    `http://localhost${path}`,
    {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    },
    env,
    { waitUntil: () => {}, passThroughOnException: () => {}, props: {} },
  );
  return { status: response.status, body: asRecord(await response.json()) };
}

export const turns = (count: number, text = "Keep it short"): object[] =>
  Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? "User" : "Assistant",
    content: `${text} ${at}`,
  }));

export const publishCall = (
  services: Services,
  userId: string,
  list: readonly unknown[],
  more: object = {},
): Promise<Answer> =>
  call(services, "POST", "/api/publish_interaction", {
    user_id: userId,
    session_id: `session of ${userId}`,
    interaction_data_list: list,
    ...more,
  });

/** Raw rows, for looking behind the routes. */
export async function rows(db: Database, statement: Statement): Promise<Record<string, unknown>[]> {
  const [result] = await db.batch([statement]);
  return (result?.rows ?? []).map(asRecord);
}

export const idsOf = async (db: Database, userId: string): Promise<number[]> =>
  (
    await rows(
      db,
      sql`SELECT interaction_id FROM interactions WHERE org_id = ${ORG} AND user_id = ${userId} ORDER BY 1`,
    )
  ).map((row) => Number(row.interaction_id));
