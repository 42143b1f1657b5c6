/**
 * Nothing of org A is ever seen from org B. The list of probes is the OpenAPI document: a route without a
 * probe fails, and so does a probe without a route.
 */
import { env, exports } from "cloudflare:workers";
import { getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { beforeAll, describe, expect, it } from "vitest";
import { dashboardRoutes } from "../../../src/dashboard/routes";
import * as tables from "../../../src/db/tables";
import { TestBrowser } from "../dashboard/browser";

/** What B may know and send. */
const MARKER = "zanzibarquux";
/** What only A knows. */
const SECRET = "quillonite";
const VERSION = `${MARKER}-agent`;
const USER = `${MARKER}-user`;
const SESSION = `${MARKER}-session`;
const REQUEST = `${MARKER}-request`;
const REVIEW_RUN = `${SECRET}-review`;

interface Planted {
  interactionId: number;
  userPlaybookId: number;
  agentPlaybookId: number;
  keyId: string;
  operationId: string;
  deadLetterId: string;
  revocationId: string;
  erasureId: string;
  /** Of B's own preview, so that B's revocation of a user of that name is really carried out. */
  strangersToken: string;
  webhookMessageId: string;
}

interface Probe {
  /** Path parameters. */
  params?: Record<string, string | number>;
  query?: Record<string, string>;
  body?: unknown;
  /** Whether org A's own call shows the marker: the control that makes the probe able to fail. */
  ownerSees: boolean;
}

const probes: Record<string, (planted: Planted) => Probe> = {
  "get /health": () => ({ ownerSees: false }),
  "get /openapi.json": () => ({ ownerSees: false }),
  // Nothing of an org is in these: the answers come of the call alone.
  "post /api/openplaybook/validate": () => ({ body: { opbVersion: "1.0" }, ownerSees: false }),
  "get /schemas/openplaybook-1.11.json": () => ({ ownerSees: false }),
  "get /.well-known/openplaybook": () => ({ ownerSees: false }),
  "post /api/orgs": () => ({ body: { name: "third" }, ownerSees: false }),
  "get /api/keys": () => ({ ownerSees: true }),
  "post /api/keys": () => ({ body: { name: "x", principal_id: "x", roles: ["agent"] }, ownerSees: false }),
  "delete /api/keys/{key_id}": ({ keyId }) => ({ params: { key_id: keyId }, ownerSees: false }),
  "post /api/publish_interaction": () => ({
    body: {
      user_id: USER,
      session_id: SESSION,
      request_id: REQUEST,
      agent_version: VERSION,
      interaction_data_list: [{ role: "User", content: "hello" }],
    },
    ownerSees: false,
  }),
  "get /api/learning_status": () => ({ query: { request_id: REQUEST }, ownerSees: false }),
  "post /api/get_interactions": () => ({ body: { user_id: USER }, ownerSees: true }),
  "get /api/get_all_interactions": () => ({ ownerSees: true }),
  "post /api/get_requests": () => ({ body: { session_id: SESSION }, ownerSees: true }),
  "delete /api/delete_interaction": ({ interactionId }) => ({
    body: { user_id: USER, interaction_id: interactionId },
    ownerSees: false,
  }),
  "delete /api/delete_request": () => ({ body: { request_id: REQUEST }, ownerSees: false }),
  "delete /api/delete_session": () => ({ body: { session_id: SESSION }, ownerSees: false }),
  "delete /api/delete_requests_by_ids": () => ({ body: { request_ids: [REQUEST] }, ownerSees: false }),
  "delete /api/delete_all_interactions": () => ({ ownerSees: false }),
  "get /api/dead_letters": () => ({ ownerSees: true }),
  "get /api/usage": () => ({ ownerSees: true }),
  "post /api/dead_letters/{id}/replay": ({ deadLetterId }) => ({
    params: { id: deadLetterId },
    ownerSees: false,
  }),
  "post /api/get_user_playbooks": () => ({ body: { user_id: USER }, ownerSees: true }),
  "post /api/add_user_playbook": () => ({
    body: { user_playbooks: [{ content: "x", agent_version: "b", request_id: "r" }] },
    ownerSees: false,
  }),
  "put /api/update_user_playbook": ({ userPlaybookId }) => ({
    body: { user_playbook_id: userPlaybookId, content: "changed" },
    ownerSees: false,
  }),
  "delete /api/delete_user_playbook": ({ userPlaybookId }) => ({
    body: { user_playbook_id: userPlaybookId },
    ownerSees: false,
  }),
  "post /api/get_agent_playbooks": () => ({ body: { agent_version: VERSION }, ownerSees: true }),
  "post /api/add_agent_playbook": () => ({
    body: {
      agent_playbooks: [
        { content: "x", agent_version: "b", playbook_status: "pending", playbook_metadata: "" },
      ],
    },
    ownerSees: false,
  }),
  "put /api/update_agent_playbook": ({ agentPlaybookId }) => ({
    body: { agent_playbook_id: agentPlaybookId, content: "changed" },
    ownerSees: false,
  }),
  "put /api/update_agent_playbook_status": ({ agentPlaybookId }) => ({
    body: { agent_playbook_id: agentPlaybookId, playbook_status: "rejected" },
    ownerSees: false,
  }),
  "delete /api/delete_agent_playbook": ({ agentPlaybookId }) => ({
    body: { agent_playbook_id: agentPlaybookId },
    ownerSees: false,
  }),
  "post /api/review_user_playbooks": () => ({
    body: { start_time: "2000-01-01", end_time: "2100-01-01", top_k: 100, report_only: false },
    ownerSees: false,
  }),
  "get /api/review_runs": () => ({ ownerSees: true }),
  "get /api/review_runs/{run_id}": () => ({ params: { run_id: REVIEW_RUN }, ownerSees: true }),
  "post /api/get_learning_provenance": ({ agentPlaybookId }) => ({
    body: { kind: "agent_playbook", id: String(agentPlaybookId) },
    ownerSees: true,
  }),
  "get /api/agent_playbooks/{id}/evidence": ({ agentPlaybookId }) => ({
    params: { id: agentPlaybookId },
    ownerSees: true,
  }),
  "post /api/agent_playbooks/decisions": ({ agentPlaybookId }) => ({
    body: {
      decisions: [{ agent_playbook_id: agentPlaybookId, version: 1, playbook_status: "rejected" }],
    },
    ownerSees: false,
  }),
  "post /api/agent_playbooks/{id}/undo": ({ agentPlaybookId }) => ({
    params: { id: agentPlaybookId },
    body: { version: 1 },
    ownerSees: false,
  }),
  "post /api/rule_feedback": ({ agentPlaybookId, interactionId }) => ({
    body: {
      kind: "agent_playbook",
      id: agentPlaybookId,
      verdict: "harmful",
      interaction_id: interactionId,
    },
    ownerSees: false,
  }),
  "get /api/rules/{kind}/{id}/uses": ({ agentPlaybookId }) => ({
    params: { kind: "agent_playbook", id: agentPlaybookId },
    ownerSees: true,
  }),
  "post /api/search": () => ({
    body: { query: MARKER, user_id: USER, agent_version: VERSION },
    ownerSees: true,
  }),
  "post /api/search/explain": () => ({
    body: { query: MARKER, user_id: USER, agent_version: VERSION, session_id: SESSION },
    ownerSees: true,
  }),
  "post /api/search_user_playbooks": () => ({ body: { query: MARKER }, ownerSees: true }),
  "post /api/search_agent_playbooks": () => ({ body: { query: MARKER }, ownerSees: true }),
  "post /api/search_interactions": () => ({ body: { user_id: USER, query: MARKER }, ownerSees: true }),
  "post /api/context": () => ({
    body: { query: MARKER, user_id: USER, agent_version: VERSION },
    ownerSees: true,
  }),
  "post /api/rebuild_vector_index": () => ({ ownerSees: false }),
  "post /api/revocations/preview": () => ({ body: { kind: "user", user_id: USER }, ownerSees: true }),
  "post /api/revocations": ({ strangersToken }) => ({
    body: { kind: "user", user_id: USER, reason: "x", token: strangersToken },
    ownerSees: false,
  }),
  "get /api/revocations": () => ({ ownerSees: true }),
  "get /api/revocations/{id}": ({ revocationId }) => ({ params: { id: revocationId }, ownerSees: true }),
  "post /api/revocations/{id}/lift": ({ revocationId }) => ({
    params: { id: revocationId },
    ownerSees: false,
  }),
  "post /api/user_playbooks/{id}/review": ({ userPlaybookId }) => ({
    params: { id: userPlaybookId },
    body: { decision: "archive" },
    ownerSees: false,
  }),
  "post /api/rerun_playbook_generation": () => ({ body: { agent_version: VERSION }, ownerSees: false }),
  "post /api/manual_playbook_generation": () => ({ body: { agent_version: VERSION }, ownerSees: false }),
  "get /api/get_operation_status": () => ({
    query: { service_name: "playbook_generation" },
    ownerSees: true,
  }),
  "post /api/cancel_operation": () => ({ body: {}, ownerSees: false }),
  "post /api/upgrade_all_user_playbooks": () => ({ body: { agent_version: VERSION }, ownerSees: false }),
  "post /api/downgrade_all_user_playbooks": () => ({ body: {}, ownerSees: false }),
  "post /api/clear_user_data": () => ({ body: { user_id: USER }, ownerSees: false }),
  "get /api/erasures/{erasure_id}": ({ erasureId }) => ({
    params: { erasure_id: erasureId },
    ownerSees: true,
  }),
  "get /api/erasure_log": () => ({ ownerSees: true }),
  "post /api/erasure_log/replay": () => ({ ownerSees: false }),
  "post /api/run_playbook_aggregation": () => ({ body: { agent_version: VERSION }, ownerSees: false }),
  "get /api/operations/{operation_id}": ({ operationId }) => ({
    params: { operation_id: operationId },
    ownerSees: true,
  }),
  "post /api/playbook_aggregation_operations": () => ({
    body: { request_id: REQUEST, agent_version: VERSION },
    ownerSees: false,
  }),
  "get /api/playbook_aggregation_operations/{operation_id}": ({ operationId }) => ({
    params: { operation_id: operationId },
    ownerSees: true,
  }),
  "get /api/playbook_aggregation_change_logs": () => ({
    query: { playbook_name: "playbook", agent_version: VERSION },
    ownerSees: false,
  }),
  "get /api/webhook": () => ({ ownerSees: true }),
  "post /api/webhook/test": () => ({ ownerSees: false }),
  "post /api/webhook/rotate_secret": () => ({ ownerSees: false }),
  "get /api/webhook/messages": () => ({ ownerSees: true }),
  "post /api/webhook/messages/{id}/resend": ({ webhookMessageId }) => ({
    params: { id: webhookMessageId },
    ownerSees: false,
  }),
  "get /meta/version": () => ({ ownerSees: false }),
  "get /healthz": () => ({ ownerSees: false }),
  "get /api/whoami": () => ({ ownerSees: true }),
  "get /api/my_config": () => ({ ownerSees: false }),
  "post /api/admin/cache/invalidate": () => ({ body: {}, ownerSees: false }),
  "get /api/get_config": () => ({ ownerSees: true }),
  "post /api/set_config": () => ({ body: { window_size: 20 }, ownerSees: false }),
  "post /api/update_config": () => ({ body: { window_size: 21 }, ownerSees: false }),
  "delete /api/delete_user_playbooks_by_ids": ({ userPlaybookId }) => ({
    body: { user_playbook_ids: [userPlaybookId] },
    ownerSees: false,
  }),
  "delete /api/delete_all_user_playbooks": () => ({ ownerSees: false }),
  "delete /api/delete_agent_playbooks_by_ids": ({ agentPlaybookId }) => ({
    body: { agent_playbook_ids: [agentPlaybookId] },
    ownerSees: false,
  }),
  "delete /api/delete_all_agent_playbooks": () => ({ ownerSees: false }),
  "delete /api/delete_all_playbooks": () => ({ ownerSees: false }),
  // An answer of counts: what shows that they are one's own is tested where the route is.
  "get /api/storage_stats": () => ({ query: { user_id: USER }, ownerSees: false }),
  "post /api/get_dashboard_stats": () => ({ body: {}, ownerSees: false }),
  "post /api/get_playbook_application_stats": () => ({ body: { days_back: 366 }, ownerSees: false }),
  "post /api/session_outcome": () => ({
    body: { session_id: SESSION, outcome: "failure", occurred_at: 1 },
    ownerSees: false,
  }),
  "post /api/get_session_outcomes": () => ({ body: {}, ownerSees: true }),
  // The other org's own webhook is made last and removed at once, so that nothing is ever sent to it.
  "put /api/webhook": () => ({
    body: { url: "https://hooks.example.com/", events: ["budget.reached"] },
    ownerSees: false,
  }),
  "delete /api/webhook": () => ({ ownerSees: false }),
};

const call = (key: string, method: string, path: string, body?: unknown) =>
  exports.default.fetch(
    new Request(`http://localhost${path}`, {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${key}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );

async function newOrg(name: string): Promise<{ orgId: string; key: string; keyId: string }> {
  const response = await call(env.ADMIN_SECRET, "post", "/api/orgs", { name, principal_id: name });
  const { org_id, key } = await response.json<{ org_id: string; key: { key: string; key_id: string } }>();
  return { orgId: org_id, key: key.key, keyId: key.key_id };
}

function send(key: string, route: string, probe: Probe): Promise<Response> {
  const [method = "", template = ""] = route.split(" ");
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(probe.params?.[name]));
  const query = probe.query === undefined ? "" : `?${new URLSearchParams(probe.query)}`;
  const body = probe.body ?? (["post", "put", "delete"].includes(method) ? {} : undefined);
  return call(key, method, `${path}${query}`, body);
}

/** Everything stored under an org, but for what merely asking may leave behind. */
async function snapshot(orgId: string): Promise<string> {
  const names = Object.values<unknown>(tables)
    .filter((table) => is(table, SQLiteTable))
    .map(getTableName)
    .filter((name) => !["leases", "outbox", "aggregation_states", "counters", "operations"].includes(name));
  const rows = await env.DB.batch(
    names.map((name) => env.DB.prepare(`SELECT * FROM ${name} WHERE org_id = ?`).bind(orgId)),
  );
  return JSON.stringify(names.map((name, position) => [name, rows[position]?.results]));
}

const document = async () =>
  (await exports.default.fetch("http://localhost/openapi.json")).json<{
    paths: Record<string, Record<string, unknown>>;
  }>();

let a: Awaited<ReturnType<typeof newOrg>>;
let b: Awaited<ReturnType<typeof newOrg>>;
let planted: Planted;

beforeAll(async () => {
  [a, b] = [await newOrg(`${SECRET}-owner`), await newOrg("other")];
  const body = async (method: string, path: string, sent?: unknown) => {
    const response = await call(a.key, method, path, sent);
    expect(response.status, `${method} ${path}`).toBeLessThan(300);
    return response.json<Record<string, Record<string, number>[]>>();
  };
  await body("post", "/api/publish_interaction", {
    user_id: USER,
    session_id: SESSION,
    request_id: REQUEST,
    agent_version: VERSION,
    evaluation_only: true,
    interaction_data_list: [{ role: "User", content: `Please always say ${MARKER} ${SECRET}.` }],
  });
  const { interactions } = await body("post", "/api/get_interactions", { user_id: USER });
  const interactionId = interactions?.[0]?.interaction_id ?? 0;
  await body("post", "/api/add_user_playbook", {
    user_playbooks: [
      {
        user_id: USER,
        content: `Say ${MARKER} ${SECRET}.`,
        trigger: `When asked about ${MARKER}`,
        agent_version: VERSION,
        request_id: REQUEST,
        source_interaction_ids: [interactionId],
      },
    ],
  });
  await body("post", "/api/add_agent_playbook", {
    agent_playbooks: [
      {
        content: `Agents say ${MARKER} ${SECRET}.`,
        trigger: `When somebody needs ${MARKER}`,
        agent_version: VERSION,
        playbook_status: "approved",
        playbook_metadata: "",
      },
    ],
  });
  const { user_playbooks: users } = await body("post", "/api/get_user_playbooks", {});
  const { agent_playbooks: agents } = await body("post", "/api/get_agent_playbooks", {});
  await body("post", "/api/update_config", { agent_context_prompt: SECRET });
  const operationId = `${MARKER}-operation`;
  const deadLetterId = `${MARKER}-letter`;
  const webhookMessageId = `${MARKER}-message`;
  const revocationId = `${MARKER}-revocation`;
  const erasureId = `${MARKER}-erasure`;
  const strangers = await call(b.key, "post", "/api/revocations/preview", { kind: "user", user_id: USER });
  const { token: strangersToken } = await strangers.json<{ token: string }>();
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO rule_applications (org_id, kind, entity_id, interaction_id, user_id, session_id, created_at)
       VALUES (?, 'agent_playbook', ?, ?, ?, ?, 1)`,
    ).bind(a.orgId, agents?.[0]?.agent_playbook_id ?? 0, interactionId, USER, SECRET),
    env.DB.prepare(
      `INSERT INTO operations (org_id, operation_id, kind, agent_version, request_id, status, attempts, created_at, updated_at)
       VALUES (?, ?, 'aggregation', ?, 'r', 'succeeded', 1, 1, 1)`,
    ).bind(a.orgId, operationId, SECRET),
    env.DB.prepare(
      `INSERT INTO generation_operations (org_id, service_name, operation_id, mode, status, agent_version, config_hash,
         request_id, principal_id, started_at, progressed_at_ms, total_users, processed_users, failed_users,
         cancelled_users, turns, rules)
       VALUES (?, 'playbook_generation', 'g', 'rerun', 'completed', ?, 'c', 'r', 'p', 1, 1, 1, 1, 0, 0, 1, 1)`,
    ).bind(a.orgId, SECRET),
    env.DB.prepare(
      `INSERT INTO agent_playbook_sources (org_id, agent_playbook_id, user_playbook_id, source_interaction_ids)
       VALUES (?, ?, ?, '[]')`,
    ).bind(a.orgId, agents?.[0]?.agent_playbook_id ?? 0, users?.[0]?.user_playbook_id ?? 0),
    env.DB.prepare(
      `INSERT INTO review_runs (org_id, run_id, state, start_sec, end_sec, config_hash, principal_id, selected, position,
         attempts, accepted, edited, rejected, skipped, started_at)
       VALUES (?, ?, 'done', 1, 2, 'c', 'p', 0, 0, 0, 0, 0, 0, 0, 1)`,
    ).bind(a.orgId, REVIEW_RUN),
    env.DB.prepare(
      `INSERT INTO usage_days (org_id, day, task, provider, model, calls, input_tokens, output_tokens)
       VALUES (?, date('now'), 'extract', 'p', ?, 1, 1, 1)`,
    ).bind(a.orgId, SECRET),
    env.DB.prepare(
      `INSERT INTO dead_letters (org_id, dead_letter_id, topic, key, reason, message, attempts, created_at)
       VALUES (?, ?, 'extraction', ?, 'unusable', ?, 1, 1)`,
    ).bind(a.orgId, deadLetterId, JSON.stringify([USER]), SECRET),
    env.DB.prepare(
      `INSERT INTO revocations (org_id, revocation_id, kind, user_id, interaction_ids, reason, principal_id, created_at,
         state, touched)
       VALUES (?, ?, 'user', ?, '[]', ?, 'p', 1, 'done',
         '{"turns":0,"windows":0,"user_playbooks":0,"agent_playbooks":0}')`,
    ).bind(a.orgId, revocationId, `${MARKER}-nobody`, SECRET),
    env.DB.prepare(
      `INSERT INTO session_outcomes (org_id, session_id, user_id, source, outcome, occurred_at, label, principal_id,
         created_at)
       VALUES (?, ?, ?, '', 'success', 1, ?, 'p', 1)`,
    ).bind(a.orgId, SESSION, USER, SECRET),
    env.DB.prepare(
      `INSERT INTO erasure_log (org_id, erasure_id, salt, user_hash, state, counts, begun_at)
       VALUES (?, ?, ?, 'hash', 'done',
         '{"interactions":0,"requests":0,"user_playbooks":0,"agent_playbooks":0,"windows":0}', 1)`,
    ).bind(a.orgId, erasureId, SECRET),
    env.DB.prepare(
      `INSERT INTO webhook_endpoints (org_id, url, events, secret, created_at, updated_at)
       VALUES (?, ?, '["budget.reached"]', 'sealed', 1, 1)`,
    ).bind(a.orgId, `https://${SECRET}.example.com/`),
    env.DB.prepare(
      `INSERT INTO webhook_messages (org_id, message_id, type, data, created_at_ms, attempts, next_attempt_at_ms,
         failed_at_ms)
       VALUES (?, ?, 'budget.reached', ?, 1, 1, 0, 1)`,
    ).bind(a.orgId, webhookMessageId, JSON.stringify({ day: SECRET })),
  ]);
  planted = {
    interactionId,
    userPlaybookId: users?.[0]?.user_playbook_id ?? 0,
    agentPlaybookId: agents?.[0]?.agent_playbook_id ?? 0,
    keyId: a.keyId,
    operationId,
    deadLetterId,
    revocationId,
    erasureId,
    strangersToken,
    webhookMessageId,
  };
});

describe("an org", () => {
  it("has a probe for every route of the API and a route for every probe", async () => {
    const routes = Object.entries((await document()).paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(Object.keys(probes).sort()).toEqual(routes.sort());
  });

  it.each(Object.entries(probes).filter(([, probe]) => probe({} as Planted).ownerSees))(
    "sees its own marker: %s",
    async (route, probe) => {
      expect(await (await send(a.key, route, probe(planted))).text()).toContain(SECRET);
    },
  );

  it.each(Object.entries(probes))("shows and yields nothing to another org: %s", async (route, probe) => {
    const before = await snapshot(a.orgId);
    const response = await send(b.key, route, probe(planted));
    const text = await response.text();
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(a.orgId);
    expect(await snapshot(a.orgId)).toBe(before);
  });
});

/** Pages of the desk are no part of the document: a path with its query, or a form with its fields. */
interface PageProbe {
  path: string;
  fields?: Record<string, string>;
  ownerSees: boolean;
}

const aUserPlaybook = ({ userPlaybookId }: Planted): Record<string, string> => ({
  user_playbook_id: String(userPlaybookId),
  version: "1",
});

const anAgentPlaybook = ({ agentPlaybookId }: Planted): Record<string, string> => ({
  agent_playbook_id: String(agentPlaybookId),
  version: "1",
});

const ticked = ({ agentPlaybookId }: Planted): Record<string, string> => ({
  to: "approved",
  [`rule-${agentPlaybookId}`]: "1",
});

const aUser = { kind: "user", user_id: USER, interaction_ids: "" };

const pageProbes: Record<string, (planted: Planted) => PageProbe> = {
  "get /": () => ({ path: `/?version=${VERSION}`, ownerSees: true }),
  "get /desk/rules/{id}": ({ agentPlaybookId }) => ({
    path: `/desk/rules/${agentPlaybookId}`,
    ownerSees: true,
  }),
  "post /desk/decide": (known) => ({
    path: "/desk/decide",
    fields: { ...anAgentPlaybook(known), playbook_status: "approved" },
    ownerSees: false,
  }),
  "post /desk/edit": (known) => ({
    path: "/desk/edit",
    fields: { ...anAgentPlaybook(known), trigger: "", content: "changed", rationale: "" },
    ownerSees: false,
  }),
  "post /desk/undo": (known) => ({ path: "/desk/undo", fields: anAgentPlaybook(known), ownerSees: false }),
  "post /desk/bulk": (known) => ({ path: "/desk/bulk", fields: ticked(known), ownerSees: false }),
  "post /desk/bulk/confirm": (known) => ({
    path: "/desk/bulk/confirm",
    fields: ticked(known),
    ownerSees: false,
  }),
  "get /desk/revocations": () => ({ path: "/desk/revocations", ownerSees: true }),
  "post /desk/revocations/preview": () => ({
    path: "/desk/revocations/preview",
    fields: aUser,
    ownerSees: false,
  }),
  "post /desk/revocations": ({ strangersToken }) => ({
    path: "/desk/revocations",
    fields: { ...aUser, reason: "none of theirs", token: strangersToken },
    ownerSees: false,
  }),
  "get /desk/revocations/{id}": ({ revocationId }) => ({
    path: `/desk/revocations/${revocationId}`,
    ownerSees: true,
  }),
  "post /desk/revocations/{id}/lift": ({ revocationId }) => ({
    path: `/desk/revocations/${revocationId}/lift`,
    fields: {},
    ownerSees: false,
  }),
  "get /desk/webhook": () => ({ path: "/desk/webhook", ownerSees: true }),
  "post /desk/webhook": () => ({
    path: "/desk/webhook",
    fields: { url: "http://127.0.0.1:9/", "budget.reached": "on" },
    ownerSees: false,
  }),
  "post /desk/webhook/test": () => ({ path: "/desk/webhook/test", fields: {}, ownerSees: false }),
  "post /desk/webhook/rotate": () => ({ path: "/desk/webhook/rotate", fields: {}, ownerSees: false }),
  "post /desk/webhook/remove": () => ({ path: "/desk/webhook/remove", fields: {}, ownerSees: false }),
  "post /desk/webhook/resend": ({ webhookMessageId }) => ({
    path: "/desk/webhook/resend",
    fields: { message_id: webhookMessageId },
    ownerSees: false,
  }),
  "get /desk/user-playbooks": ({ userPlaybookId }) => ({
    path: `/desk/user-playbooks?id=${userPlaybookId}`,
    ownerSees: true,
  }),
  "post /desk/user-playbooks/save": (known) => ({
    path: "/desk/user-playbooks/save",
    fields: { ...aUserPlaybook(known), trigger: "", content: "changed", rationale: "" },
    ownerSees: false,
  }),
  "post /desk/user-playbooks/archive": (known) => ({
    path: "/desk/user-playbooks/archive",
    fields: { ...aUserPlaybook(known), change: "archive" },
    ownerSees: false,
  }),
  "post /desk/user-playbooks/review": (known) => ({
    path: "/desk/user-playbooks/review",
    fields: { ...aUserPlaybook(known), change: "keep" },
    ownerSees: false,
  }),
  "post /desk/user-playbooks/delete": (known) => ({
    path: "/desk/user-playbooks/delete",
    fields: aUserPlaybook(known),
    ownerSees: false,
  }),
  "get /desk/sessions": () => ({ path: `/desk/sessions?user=${USER}`, ownerSees: false }),
  "get /desk/sessions/{id}": () => ({ path: `/desk/sessions/${SESSION}`, ownerSees: true }),
  "get /desk/search": () => ({
    path: `/desk/search?q=${MARKER}&agent_version=${VERSION}&user_id=${USER}&session_id=${SESSION}`,
    ownerSees: true,
  }),
  "get /desk/keys": () => ({ path: "/desk/keys", ownerSees: true }),
  "post /desk/keys": () => ({
    path: "/desk/keys",
    fields: { once: `once_${"a".repeat(26)}`, name: "bot", principal_id: "bot", role_agent: "on" },
    ownerSees: false,
  }),
  "get /desk/keys/revoke": ({ keyId }) => ({ path: `/desk/keys/revoke?key=${keyId}`, ownerSees: true }),
  "post /desk/keys/revoke": ({ keyId }) => ({
    path: "/desk/keys/revoke",
    fields: { key: keyId },
    ownerSees: false,
  }),
  "get /desk/clusters": () => ({ path: `/desk/clusters?agent_version=${VERSION}`, ownerSees: true }),
  "get /desk/learning": () => ({ path: "/desk/learning", ownerSees: true }),
  "post /desk/learning/aggregate": () => ({
    path: "/desk/learning/aggregate",
    fields: { agent_version: VERSION },
    ownerSees: false,
  }),
  "get /desk/dead-letters": () => ({ path: "/desk/dead-letters", ownerSees: true }),
  "get /desk/dead-letters/replay": () => ({
    path: "/desk/dead-letters/replay?reason=unusable",
    ownerSees: true,
  }),
  "post /desk/dead-letters/replay": ({ deadLetterId }) => ({
    path: "/desk/dead-letters/replay",
    fields: { id: deadLetterId },
    ownerSees: false,
  }),
  "post /desk/dead-letters/replay-all": ({ deadLetterId }) => ({
    path: "/desk/dead-letters/replay-all",
    fields: { ids: JSON.stringify([deadLetterId]) },
    ownerSees: false,
  }),
  "get /desk/usage": () => ({ path: "/desk/usage", ownerSees: true }),
  "get /desk/settings": () => ({ path: "/desk/settings", ownerSees: false }),
  "post /desk/settings": () => ({
    path: "/desk/settings",
    fields: { hash: "0".repeat(64), window_size: "20" },
    ownerSees: false,
  }),
  "post /desk/settings/document": () => ({
    path: "/desk/settings/document",
    fields: { hash: "0".repeat(64), document: "{}" },
    ownerSees: false,
  }),
  "post /desk/settings/restore": () => ({
    path: "/desk/settings/restore",
    fields: { hash: "0".repeat(64), version: "0".repeat(64) },
    ownerSees: false,
  }),
};

describe("a page of the desk", () => {
  const ask = (browser: TestBrowser, { path, fields }: PageProbe) =>
    fields === undefined ? browser.open(path) : browser.submit(path, fields);

  it("has a probe, unless it shows the same to everybody, and every probe has a page", () => {
    const known = dashboardRoutes
      .filter(({ scope, isAsset }) => scope !== "public" && isAsset !== true)
      .map(({ method, path }) => `${method} ${path}`)
      // Signing out concerns the browser that asks for it alone.
      .filter((route) => route !== "post /sign-out");
    expect(Object.keys(pageProbes).sort()).toEqual(known.sort());
  });

  it.each(Object.entries(pageProbes).filter(([, probe]) => probe({} as Planted).ownerSees))(
    "shows its own org's marker: %s",
    async (_, probe) => {
      const browser = await new TestBrowser().signIn(a.key);
      expect((await ask(browser, probe(planted))).html).toContain(SECRET);
    },
  );

  it.each(Object.entries(pageProbes))("shows and yields nothing to another org: %s", async (_, probe) => {
    const browser = await new TestBrowser().signIn(b.key);
    const before = await snapshot(a.orgId);
    const { html } = await ask(browser, probe(planted));
    expect(html).not.toContain(SECRET);
    expect(html).not.toContain(a.orgId);
    expect(await snapshot(a.orgId)).toBe(before);
  });
});
