/** The learn loop as its users drive it: publish, work off the queue, aggregate, approve, ask for context. */
import { env, exports } from "cloudflare:workers";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import type { WorkMessage } from "../../../src/db/outbox";
import { createApp } from "../../../src/http/app";
import { routes } from "../../../src/routes";
import { performWork, sweep } from "../../../src/work";
import type { TestServices } from "../../support/services";

export const VERSION = "helper-1";

/** Two users teach the same rule in their own words; each also teaches one that is theirs alone. */
const CONVERSATIONS = [
  {
    user_id: "ada",
    turns: [
      ["Assistant", "The fix is in. I pushed the change straight to main."],
      ["User", "No, don't push to main. Open a pull request and let me review it."],
      ["Assistant", "Done, the pull request is open."],
      ["User", "From now on write dates as year-month-day whenever you report on jobs."],
    ],
  },
  {
    user_id: "ben",
    turns: [
      ["Assistant", "I pushed the change directly to the main branch."],
      ["User", "Never push directly to main. Always open a pull request so that somebody can review it."],
      ["Assistant", "Understood."],
      ["User", "Keep your answers short from now on, two sentences at most."],
    ],
  },
] as const;

export interface Tenant {
  orgId: string;
  key: string;
}

/** A new org, made through the front door by services that never fail. */
export async function newTenant(name: string): Promise<Tenant> {
  const response = await exports.default.fetch(
    new Request("http://localhost/api/orgs", {
      method: "POST",
      headers: { authorization: `Bearer ${env.ADMIN_SECRET}` },
      body: JSON.stringify({ name }),
    }),
  );
  const { org_id, key } = await response.json<{ org_id: string; key: { key: string } }>();
  return { orgId: org_id, key: key.key };
}

const MAX_TRIES = 5;
const MAX_ROUNDS = 60;

/** A client that tries again after a server fault or a lost answer, with the same body and keys. */
export function clientOf(services: TestServices, tenant: Tenant) {
  const app = createApp<Env>(routes, () => ({ services: () => services, limits: {} }));
  return async (method: string, path: string, body: unknown): Promise<Record<string, unknown>> => {
    for (let tries = 1; ; tries += 1) {
      const request = new Request(`http://localhost${path}`, {
        method,
        headers: { authorization: `Bearer ${tenant.key}` },
        body: JSON.stringify(body),
      });
      const response = await app.fetch(request, env, {
        waitUntil: () => {},
        passThroughOnException: () => {},
        props: {},
      });
      const answer = await response.json<Record<string, unknown>>();
      if (response.status < 400) return answer;
      if (response.status < 500 || tries === MAX_TRIES) {
        throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
      }
    }
  };
}

/** How far the clocks jump when nothing is left to do but wait: past every lease and every re-send. */
const JUMP_MS = 700_000;

/** Turns after which a version whose rules merely wait for company is left alone. */
const MAX_TURNS = 3;

/** Time passes: for the services' clock, and for leases, which live by the database's. */
async function jump(clock: { nowMs: number }): Promise<void> {
  clock.nowMs += JUMP_MS;
  await env.DB.prepare("UPDATE leases SET expires_at_ms = expires_at_ms - ?").bind(JUMP_MS).run();
}

const outboxSize = async ({ orgId }: Tenant): Promise<number> =>
  (
    await env.DB.prepare("SELECT count(*) AS n FROM outbox WHERE org_id = ?")
      .bind(orgId)
      .first<{ n: number }>()
  )?.n ?? 0;

/**
 * Delivers what was sent, again where a fault struck, as the queue does; the sweep brings back what was lost
 * before it was sent. Ends when the outbox is empty.
 */
export async function drain(
  services: TestServices,
  clock: { nowMs: number },
  tenant: Tenant,
  deliver: (messages: WorkMessage[]) => WorkMessage[],
): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    await services.settled();
    for (const message of deliver(services.sent.splice(0))) {
      try {
        await performWork(services, message);
      } catch {
        services.sent.push(message);
      }
    }
    await services.settled();
    if (services.sent.length > 0) continue;
    if ((await outboxSize(tenant)) === 0) return;
    await jump(clock);
    try {
      await sweep(services);
    } catch {
      // The next minute sweeps again.
    }
  }
  throw new Error("the work never ended");
}

/** The hourly turn of the version, again where a fault struck, until one has succeeded. */
export async function aggregate(
  services: TestServices,
  clock: { nowMs: number },
  tenant: Tenant,
): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    try {
      await runAggregationTurn(services, tenant.orgId, VERSION);
    } catch {
      // The alarm runs it again.
    }
    const state = await env.DB.prepare("SELECT last_success_at FROM aggregation_states WHERE org_id = ?")
      .bind(tenant.orgId)
      .first<{ last_success_at: number | null }>();
    if (typeof state?.last_success_at === "number") return;
    await jump(clock);
  }
}

export interface LoopResult {
  context: string;
  approved: number[];
}

/** One run of the whole loop for one tenant. */
export async function runLoop(
  services: TestServices,
  clock: { nowMs: number },
  tenant: Tenant,
  deliver: (messages: WorkMessage[]) => WorkMessage[] = (messages) => messages,
): Promise<LoopResult> {
  const call = clientOf(services, tenant);
  for (const { user_id, turns } of CONVERSATIONS) {
    await call("POST", "/api/publish_interaction", {
      user_id,
      session_id: `${user_id}-1`,
      request_id: `${user_id}-request`,
      agent_version: VERSION,
      force_extraction: true,
      interaction_data_list: turns.map(([role, content]) => ({ role, content })),
    });
  }
  await drain(services, clock, tenant, deliver);
  await aggregate(services, clock, tenant);
  await drain(services, clock, tenant, deliver);
  const listed = await call("POST", "/api/get_agent_playbooks", { agent_version: VERSION });
  const pending = listed.agent_playbooks as { agent_playbook_id: number }[];
  for (const { agent_playbook_id } of pending) {
    await call("PUT", "/api/update_agent_playbook_status", {
      agent_playbook_id,
      playbook_status: "approved",
    });
  }
  await drain(services, clock, tenant, deliver);
  const { context } = await call("POST", "/api/context", {
    query: "Can you get this change into main for me?",
    agent_version: VERSION,
    user_id: "ada",
  });
  return { context: String(context), approved: pending.map(({ agent_playbook_id }) => agent_playbook_id) };
}

/** What a run leaves behind, row for row; ids that were generated are numbered by appearance. */
export async function stateOf(orgId: string): Promise<unknown> {
  const queries: Record<string, string> = {
    requests:
      "SELECT request_id, user_id, session_id, max_seq - min_seq AS span, playbook_eligible FROM requests WHERE org_id = ? ORDER BY request_id",
    turns:
      "SELECT user_id, request_id, role, content FROM interactions WHERE org_id = ? ORDER BY user_id, interaction_id",
    words:
      "SELECT count(*) AS n FROM interactions_fts WHERE rowid IN (SELECT row FROM interactions WHERE org_id = ?)",
    windows:
      "SELECT user_id, kind, state, json_array_length(manifest) AS turns FROM windows WHERE org_id = ? ORDER BY user_id, end_seq",
    cursors:
      "SELECT user_id, kind, started, window_id, attempts, last_error FROM cursors WHERE org_id = ? ORDER BY user_id, kind",
    user_playbooks: `SELECT user_id, trigger, content, rationale, status, flags, reader_angle, source_span,
        json_array_length(source_interaction_ids) AS cited FROM user_playbooks WHERE org_id = ? ORDER BY user_id, content`,
    agent_playbooks:
      "SELECT trigger, content, rationale, playbook_status, status, flags, version, decided_by FROM agent_playbooks WHERE org_id = ? ORDER BY content",
    sources: "SELECT count(*) AS n FROM agent_playbook_sources WHERE org_id = ?",
    vectors:
      "SELECT kind, model, hex(vector) AS bytes, scale FROM vectors WHERE org_id = ? ORDER BY kind, bytes",
    clusters:
      "SELECT agent_version, member_count, state, embedding_model FROM clusters WHERE org_id = ? ORDER BY member_count",
    items:
      "SELECT disposition, count(*) AS n FROM aggregation_items WHERE org_id = ? GROUP BY disposition ORDER BY disposition",
    lineage:
      "SELECT entity_type, op, to_status, count(*) AS n FROM lineage WHERE org_id = ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    audit:
      "SELECT action, principal_id, count(*) AS n FROM audit WHERE org_id = ? GROUP BY 1, 2 ORDER BY 1, 2",
    counters: "SELECT name, count FROM counters WHERE org_id = ? ORDER BY name",
    dead_letters: "SELECT reason FROM dead_letters WHERE org_id = ?",
    outbox: "SELECT topic, key FROM outbox WHERE org_id = ?",
  };
  const names = Object.keys(queries);
  const results = await env.DB.batch(names.map((name) => env.DB.prepare(queries[name] ?? "").bind(orgId)));
  return Object.fromEntries(names.map((name, position) => [name, results[position]?.results]));
}
