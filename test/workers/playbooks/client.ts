/** Calls this room's routes behind the app's gates, and opens request scopes for the code behind them. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as z from "zod";
import type { Database } from "../../../src/db/client";
import { createApp } from "../../../src/http/app";
import type { RequestScope } from "../../../src/http/route";
import { type Principal, type Role, scopesOf } from "../../../src/platform/principal";
import { playbookRoutes } from "../../../src/playbooks/routes";
import { roomServices } from "./services";

export const SELF_HOST_ORG = "self-host-org";
export const OWNER = "owner-1; owner";
export const REVIEWER = "rita; reviewer";
export const EDITOR = "eddy; editor";
export const AGENT = "bot; agent";

const services = roomServices();
const app = createApp<object>(playbookRoutes, () => ({ services: () => services, limits: {} }));

/** Loose where a test does not look. */
const answerSchema = z.looseObject({
  success: z.boolean().optional(),
  msg: z.string().optional(),
  added_count: z.int().optional(),
  detail: z.unknown().optional(),
  user_playbooks: z.array(z.looseObject({ user_playbook_id: z.int(), content: z.string() })).optional(),
  agent_playbooks: z
    .array(z.looseObject({ agent_playbook_id: z.int(), content: z.string(), playbook_status: z.string() }))
    .optional(),
});

export async function call(
  method: string,
  path: string,
  body: unknown,
  options: { as?: string; ifMatch?: string } = {},
) {
  // Every call at its own instant, so that lists have one order.
  services.nowMs += 1000;
  const response = await app.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        "x-playmaker-principal": options.as ?? OWNER,
        ...(options.ifMatch !== undefined && { "if-match": options.ifMatch }),
      },
      ...(method !== "GET" && { body: JSON.stringify(body) }),
    }),
    {},
    createExecutionContext(),
  );
  const answer = answerSchema.parse(await response.json());
  return { status: response.status, etag: response.headers.get("etag"), answer };
}

export const principal = (id: string, role: Role, orgId = SELF_HOST_ORG): Principal => ({
  orgId,
  id,
  roles: [role],
  scopes: scopesOf([role]),
});

/** A request of `who`, with ports a test can replace. */
export function scopeOf(
  who: Principal,
  overrides: Partial<Pick<RequestScope, "services" | "requestId">> & {
    db?: Database;
    headers?: HeadersInit;
  } = {},
): RequestScope {
  const held = overrides.services ?? roomServices();
  return {
    services: held,
    principal: who,
    orgId: who.orgId,
    db: overrides.db ?? held.database(who.orgId),
    requestId: overrides.requestId ?? held.ids.random("req"),
    headers: new Headers(overrides.headers ?? {}),
    browser: null,
  };
}

/** How many rows of a table meet a condition. */
export async function count(table: string, where: string, ...values: (string | number)[]): Promise<number> {
  const row = await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${where}`)
    .bind(...values)
    .first<{ n: number }>();
  return row?.n ?? 0;
}

/** One row of a table, as stored. */
export const rowOf = (table: string, where: string, ...values: (string | number)[]) =>
  env.DB.prepare(`SELECT * FROM ${table} WHERE ${where}`)
    .bind(...values)
    .first<Record<string, unknown>>();
