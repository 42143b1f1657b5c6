/** An org with a webhook, a receiver whose answers a test scripts, a clock that stands, and what became of it. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import * as z from "zod";
import { type BatchResult, Database } from "../../../src/db/client";
import type { WorkMessage } from "../../../src/db/outbox";
import { type Statement, sql } from "../../../src/db/sql";
import { createApp } from "../../../src/http/app";
import { insertEndpoint } from "../../../src/orgs/webhooks/endpoint-store";
import { type WebhookEvent, webhookEvents } from "../../../src/orgs/webhooks/model";
import { createEgress, type Egress } from "../../../src/platform/egress";
import { routes } from "../../../src/routes";
import type { Services } from "../../../src/services";
import { performWork, type WorkResult } from "../../../src/work";
import { type TestServices, testServices } from "../../support/services";
import { newTenant } from "../whole/loop";

export const db = new Database(env.DB);
export const START_MS = Date.UTC(2030, 0, 1, 12);
export const URL_OF_RECEIVER = "https://hooks.example.com/in";

export interface Received {
  url: string;
  headers: Record<string, string>;
  body: string;
}

type Answer = (received: Received, signal: AbortSignal) => Response | Promise<Response>;

export interface Receiver {
  egress: Egress;
  received: Received[];
  /** Queues answers, one a request; without one it answers 204. */
  script(...answers: Answer[]): void;
  /** Ends every deadline that runs. */
  timeOut(): void;
}

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(null, { status: code, headers });

/** The real guarded fetch with the real bounds; only the wire behind it is scripted. */
export function receiver(): Receiver {
  const received: Received[] = [];
  const answers: Answer[] = [];
  const deadlines: AbortController[] = [];
  const egress = createEgress(
    { allowLoopback: true, timeoutMs: 15_000, maxResponseBytes: 65_536, redirects: "return" },
    {
      async fetcher(url, init) {
        const request = new Request(url, init);
        const seen = { url, headers: Object.fromEntries(request.headers), body: await request.text() };
        received.push(seen);
        const answer = answers.shift() ?? status(204);
        return answer(seen, init.signal ?? new AbortController().signal);
      },
      timeoutSignal() {
        const deadline = new AbortController();
        deadlines.push(deadline);
        return deadline.signal;
      },
    },
  );
  return {
    egress,
    received,
    script: (...more) => void answers.push(...more),
    timeOut: () => {
      for (const deadline of deadlines) deadline.abort();
    },
  };
}

const messageRow = z.object({
  message_id: z.string(),
  type: z.string(),
  data: z.string().transform((text): unknown => JSON.parse(text)),
  attempts: z.int(),
  next_attempt_at_ms: z.int(),
  last_status: z.int().nullable(),
  last_error: z.string().nullable(),
  delivered_at_ms: z.int().nullable(),
  failed_at_ms: z.int().nullable(),
});

export const messagesOf = (orgId: string) =>
  db.all(
    messageRow,
    sql`SELECT * FROM webhook_messages WHERE org_id = ${orgId} ORDER BY created_at_ms, message_id`,
  );

/** Work of topic `webhook` that waits. */
export async function webhookWork(orgId: string): Promise<WorkMessage[]> {
  const rows = await db.all(
    z.object({ id: z.string() }),
    sql`SELECT id FROM outbox WHERE org_id = ${orgId} AND topic = 'webhook' ORDER BY id`,
  );
  return rows.map(({ id }) => ({ orgId, id }));
}

export async function countOf(statement: Statement): Promise<number> {
  const [row] = await db.all(z.object({ n: z.int() }), statement);
  return row?.n ?? 0;
}

export interface Answered {
  status: number;
  body: Record<string, unknown>;
}

export interface World {
  orgId: string;
  services: TestServices;
  clock: { nowMs: number };
  receiver: Receiver;
  call(method: string, path: string, body?: unknown): Promise<Answered>;
  /** Sets the webhook and returns its secret. */
  set(events?: readonly WebhookEvent[], url?: string): Promise<string>;
  /** Performs all waiting webhook work once, as the queue would. */
  work(): Promise<WorkResult[]>;
}

let worlds = 0;

export async function newWorld(overrides: Partial<Services> = {}): Promise<World> {
  worlds += 1;
  const { orgId, key } = await newTenant(`webhooks ${worlds}`);
  const clock = { nowMs: START_MS };
  const wire = receiver();
  const services = testServices({
    clock: { nowMs: () => clock.nowMs },
    webhookEgress: wire.egress,
    ...overrides,
  });
  const app = createApp<Env>(routes, () => ({ services: () => services, limits: {} }));
  const call = async (method: string, path: string, body?: unknown): Promise<Answered> => {
    const response = await app.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { authorization: `Bearer ${key}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
      env,
      { waitUntil: () => {}, passThroughOnException: () => {}, props: {} },
    );
    return { status: response.status, body: await response.json() };
  };
  return {
    orgId,
    services,
    clock,
    receiver: wire,
    call,
    async set(events = ["rule.pending"], url = URL_OF_RECEIVER) {
      const { status: code, body } = await call("PUT", "/api/webhook", { url, events });
      if (code >= 300) throw new Error(`PUT answered ${code}: ${JSON.stringify(body)}`);
      return String(body.secret);
    },
    async work() {
      const results: WorkResult[] = [];
      for (const message of await webhookWork(orgId)) results.push(await performWork(services, message));
      return results;
    },
  };
}

/** Makes one rule pending through the front door, which announces it. */
export async function teach(world: World, content = "Look the parcel up."): Promise<void> {
  const { status: code } = await world.call("POST", "/api/add_agent_playbook", {
    agent_playbooks: [{ content, agent_version: "v1", playbook_status: "pending", playbook_metadata: "" }],
  });
  if (code !== 200) throw new Error(`add answered ${code}`);
}

/** The `webhook-id` of every request. */
export const idsOf = ({ receiver }: World): (string | undefined)[] =>
  receiver.received.map(({ headers }) => headers["webhook-id"]);

export const endpointOf = async (world: World) => (await world.call("GET", "/api/webhook")).body;

/** An endpoint whose messages are announced here and delivered elsewhere. */
export const listen = (orgId: string, events: readonly WebhookEvent[] = webhookEvents) =>
  db.run(
    insertEndpoint({
      orgId,
      url: "https://hooks.example.com/in",
      events: [...events],
      secret: `sealed for ${orgId}`,
      createdAt: 1,
    }),
  );

export const told = async (orgId: string) =>
  (await messagesOf(orgId)).map(({ type, data }) => ({ type, data }));

/** Every message has its work, and there is no other. */
export async function expectWork(orgId: string, messages: number): Promise<void> {
  expect(await webhookWork(orgId)).toHaveLength(messages);
  expect(await messagesOf(orgId)).toHaveLength(messages);
}

/** Remembers every batch and what it wrote. */
export class WatchedDatabase extends Database {
  readonly batches: { texts: string[]; rowsWritten: number[] }[] = [];
  constructor() {
    super(env.DB);
  }
  override async batch(statements: readonly Statement[]): Promise<BatchResult[]> {
    const results = await super.batch(statements);
    this.batches.push({
      texts: statements.map(({ text }) => text),
      rowsWritten: results.map(({ rowsWritten }) => rowsWritten),
    });
    return results;
  }
  /** Batches that announce. */
  get announcing() {
    return this.batches.filter(({ texts }) => texts.some((text) => text.includes("INTO webhook_messages")));
  }
}

/** Rows that the announcements of a batch wrote. */
export const announced = ({ texts, rowsWritten }: WatchedDatabase["batches"][number]): number =>
  texts.reduce((sum, text, at) => {
    const isOurs =
      text.includes("INTO webhook_messages") || texts[at - 1]?.includes("INTO webhook_messages") === true;
    return sum + (isOurs ? (rowsWritten[at] ?? 0) : 0);
  }, 0);
