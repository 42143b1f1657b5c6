/** Rules, clusters and turns put straight into the database, each test in an org of its own. */
import { env } from "cloudflare:workers";
import { Database } from "../../../src/db/client";
import type { Statement } from "../../../src/db/sql";
import { type AgentPlaybookChange, changeAgentPlaybook } from "../../../src/playbooks/change-agent";
import type { NewAgentPlaybook, NewUserPlaybook, PlaybookSource } from "../../../src/playbooks/model";
import {
  insertAgentPlaybook,
  insertSources,
  insertUserPlaybooks,
  loadAgentPlaybooks,
} from "../../../src/playbooks/store";
import { principal, scopeOf } from "./client";

export const db = new Database(env.DB);
/** The clock of `roomServices`. */
export const NOW_MS = 1_700_000_000_000;
export const NOW_SEC = NOW_MS / 1000;

let orgs = 0;

/** A fresh org and two who may review in it. */
export function newOrg() {
  orgs += 1;
  const orgId = `decisions-${orgs}`;
  return { orgId, anna: principal("anna", "reviewer", orgId), boris: principal("boris", "reviewer", orgId) };
}

export const agentRule = (
  orgId: string,
  agentPlaybookId: number,
  overrides: Partial<NewAgentPlaybook> = {},
): NewAgentPlaybook => ({
  orgId,
  agentPlaybookId,
  playbookName: "",
  agentVersion: "v1",
  createdAt: NOW_SEC - 1000,
  updatedAtMs: NOW_MS - 1_000_000,
  content: `Do thing ${agentPlaybookId}.`,
  trigger: `When thing ${agentPlaybookId} comes up`,
  rationale: null,
  playbookStatus: "pending",
  playbookMetadata: "{}",
  status: null,
  tags: null,
  expandedTerms: null,
  flags: [],
  decidedBy: null,
  decidedAt: null,
  replaces: null,
  ...overrides,
});

export const userRule = (
  orgId: string,
  userPlaybookId: number,
  overrides: Partial<NewUserPlaybook> = {},
): NewUserPlaybook => ({
  orgId,
  userPlaybookId,
  userId: `user-${userPlaybookId}`,
  agentVersion: "v1",
  requestId: "req",
  playbookName: "",
  createdAt: NOW_SEC - 2000,
  updatedAtMs: NOW_MS - 2_000_000,
  content: `Rule of ${userPlaybookId}.`,
  trigger: null,
  rationale: null,
  status: null,
  source: null,
  sourceInteractionIds: [],
  sourceSpan: null,
  tags: null,
  notes: null,
  readerAngle: null,
  expandedTerms: null,
  flags: [],
  windowId: null,
  ...overrides,
});

const raw = (text: string, ...params: (string | number | null)[]): Statement => ({ text, params });

/** A cluster of a rule, with its members' items and CURRENT rules. */
export const clusterOf = (
  orgId: string,
  agentPlaybookId: number,
  clusterId: string,
  members: readonly number[],
): Statement[] => [
  ...insertUserPlaybooks(members.map((id) => userRule(orgId, id))),
  ...insertSources(
    orgId,
    agentPlaybookId,
    members.map((userPlaybookId): PlaybookSource => ({ userPlaybookId, sourceInteractionIds: [] })),
  ),
  raw(
    `INSERT INTO clusters (org_id, cluster_id, agent_version, agent_playbook_id, member_count, embedding_model,
       embedding_dimension, state, created_at) VALUES (?, ?, 'v1', ?, ?, 'words-a', 64, 'active', 5)`,
    orgId,
    clusterId,
    agentPlaybookId,
    members.length,
  ),
  ...members.map((id) => memberOf(orgId, clusterId, id)),
];

export const memberOf = (orgId: string, clusterId: string, userPlaybookId: number): Statement =>
  raw(
    `INSERT INTO aggregation_items (org_id, agent_version, user_playbook_id, disposition, cluster_id, reason,
       attempt_count, last_attempt_at_ms) VALUES (?, 'v1', ?, 'cluster_member', ?, 'incremental', 1, 7)`,
    orgId,
    userPlaybookId,
    clusterId,
  );

/** Stores rules with the vectors' and clusters' statements given beside them. */
export async function put(rules: readonly NewAgentPlaybook[], ...more: Statement[]): Promise<void> {
  await db.batch([...rules.flatMap(insertAgentPlaybook), ...more]);
}

/** All rows of a table in an org, in the order of `by`. */
export async function rowsOf(
  table: string,
  orgId: string,
  by: string,
): Promise<Record<string, string | number | null>[]> {
  const { results } = await env.DB.prepare(`SELECT * FROM ${table} WHERE org_id = ? ORDER BY ${by}`)
    .bind(orgId)
    .all<Record<string, string | number | null>>();
  return results;
}

/** A database whose `nth` batch (of those that hold `holding`) is disturbed. */
export class DisturbedDatabase extends Database {
  private seen = 0;
  constructor(
    private readonly nth: number,
    private readonly disturb: { before?: () => Promise<unknown>; failBefore?: true; failAfter?: true },
    private readonly holding = "",
  ) {
    super(env.DB);
  }
  override async batch(statements: Parameters<Database["batch"]>[0]) {
    if (!statements.some(({ text }) => text.includes(this.holding))) return super.batch(statements);
    this.seen += 1;
    if (this.seen !== this.nth) return super.batch(statements);
    await this.disturb.before?.();
    if (this.disturb.failBefore === true) throw new Error("connection lost before");
    const results = await super.batch(statements);
    if (this.disturb.failAfter === true) throw new Error("connection lost after");
    return results;
  }
}

/** An org with one rule that anna has decided on; what it was like before. */
export async function decided(overrides: Partial<NewAgentPlaybook>, change: AgentPlaybookChange) {
  const org = newOrg();
  await put([agentRule(org.orgId, 1, overrides)]);
  const before = await loadAgentPlaybooks(db, org.orgId, [1]);
  const row = await changeAgentPlaybook(scopeOf(org.anna), 1, change);
  return { ...org, before: before[0], version: row?.version ?? 0 };
}
