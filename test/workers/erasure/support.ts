/** A user whose every word is known, in an org with others, through every public door; and where words can hide. */
import { env } from "cloudflare:workers";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { createApp } from "../../../src/http/app";
import { createVectorIndex } from "../../../src/platform/vectors";
import { routes } from "../../../src/routes";
import { performWork } from "../../../src/work";
import type { TestServices } from "../../support/services";
import { learningServices } from "../learning/support";
import { tokenVector } from "../learning/token-vector";
import { newTenant, type Tenant } from "../whole/loop";

export const VICTIM = "victimzq000zq";
export const OTHER = "bystander";
export const VERSION = "helper-7";

/** Markers are words of their own, so that the word index has them too. */
export class Markers {
  readonly all: string[] = [VICTIM];
  next(): string {
    const marker = `mzq${String(this.all.length).padStart(3, "0")}zq`;
    this.all.push(marker);
    return marker;
  }
}

export interface World {
  tenant: Tenant;
  services: TestServices;
  clock: { nowMs(): number; advance(ms: number): void };
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** A call that has to succeed. */
  ok(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Record<string, unknown>>;
  fails: { isOn: boolean };
}

let worlds = 0;

export async function newWorld(overrides: Parameters<typeof learningServices>[0] = {}): Promise<World> {
  worlds += 1;
  const fails = { isOn: false };
  const { services, clock } = learningServices({
    answers: {
      shouldExtract: () => {
        if (fails.isOn) throw new TypeError("the model is broken");
        return { shouldExtract: true };
      },
      // Every word of every source ends up in the rule.
      synthesise: ({ sources }) => ({
        playbook: {
          trigger: sources.map((source) => source.trigger).join("; "),
          content: sources.map((source) => source.content).join(" "),
          rationale: "several said so",
        },
      }),
    },
    vectors: createVectorIndex(
      { adapter: "embedded", model: tokenVector.model },
      { embedded: env.EMBEDDED_VECTORS },
    ),
    ...overrides,
  });
  const tenant = await newTenant(`erasing ${worlds}`);
  const app = createApp<Env>(routes, () => ({ services: () => services, limits: {} }));
  const call: World["call"] = async (method, path, body, headers = {}) =>
    app.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { authorization: `Bearer ${tenant.key}`, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
      env,
      { waitUntil: () => {}, passThroughOnException: () => {}, props: {} },
    );
  const ok: World["ok"] = async (method, path, body, headers) => {
    const response = await call(method, path, body, headers);
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  };
  return { tenant, services, clock, call, ok, fails };
}

/** Works off what was sent, once. */
export async function workOff({ services }: World): Promise<void> {
  for (let round = 0; round < 30; round += 1) {
    await services.settled();
    const messages = services.sent.splice(0);
    if (messages.length === 0) return;
    for (const message of messages) await performWork(services, message);
  }
}

export const aggregate = (world: World) => runAggregationTurn(world.services, world.tenant.orgId, VERSION);

/** Every text of every row of every table, of one org or of all; blobs are read as text. New tables are looked at too. */
export async function everyText(orgId?: string): Promise<{ table: string; text: string }[]> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'",
  ).all<{ name: string }>();
  const found: { table: string; text: string }[] = [];
  for (const { name } of results) {
    // Segments of the word indexes are asked by query.
    if (/_fts(_|$)/.test(name) || (orgId !== undefined && /^d1_migrations$/.test(name))) continue;
    const all = env.DB.prepare(`SELECT * FROM ${name}${orgId === undefined ? "" : " WHERE org_id = ?"}`);
    const { results: rows } = await (orgId === undefined ? all : all.bind(orgId)).all<
      Record<string, unknown>
    >();
    for (const row of rows) {
      found.push({
        table: name,
        text: JSON.stringify(row, (_, value: unknown) =>
          value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? new TextDecoder().decode(value) : value,
        ),
      });
    }
  }
  return found;
}

/** `table: marker` of every marker that is still somewhere. */
export async function hidingPlaces(markers: readonly string[], orgId?: string): Promise<string[]> {
  const places = (await everyText(orgId)).flatMap(({ table, text }) =>
    markers
      .filter((marker) => text.includes(marker))
      .map((marker) => `${table}: ${marker} in ${text.slice(0, 300)}`),
  );
  for (const table of ["interactions_fts", "user_playbooks_fts", "agent_playbooks_fts"]) {
    const row = await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${table} MATCH ?`)
      .bind(`search_text : (${markers.map((marker) => `"${marker}"`).join(" OR ")})`)
      .first<{ n: number }>();
    if ((row?.n ?? 0) > 0) places.push(`${table}: ${row?.n} rows`);
  }
  return places;
}
