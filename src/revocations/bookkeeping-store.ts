/** SQL of what follows when rules have left service: agent playbooks lose support. */
import * as z from "zod";
import type { Database } from "../db/client";
import { guard, inList, type Statement, sql } from "../db/sql";
import { jsonPages } from "../playbooks/bulk";
import type { AgentPlaybook, Flag } from "../playbooks/model";
import { agentPlaybookColumns, agentPlaybookRow } from "../playbooks/store";
import { isLiving } from "./open-store";

/** Rules that a revocation has touched, in the order of their lineage. */
export interface TouchedPage {
  /** Lineage row of the last one. */
  lastRow: number;
  userPlaybookIds: number[];
  agentPlaybookIds: number[];
  /** Agent playbooks among them that were approved until then. */
  reopenedIds: number[];
}

const eventRow = z.object({
  row: z.int(),
  entity_type: z.string(),
  entity_id: z.coerce.number(),
  from_status: z.string().nullable(),
});

/** The next rules after a lineage row, as many as the page may hold; null where there are none. */
export async function loadTouched(
  db: Database,
  orgId: string,
  revocationId: string,
  afterRow: number,
  limits: { rules: number; agentPlaybooks: number },
): Promise<TouchedPage | null> {
  const found = await db.all(
    eventRow,
    sql`SELECT row, entity_type, entity_id, from_status FROM lineage INDEXED BY lineage_by_request
        WHERE org_id = ${orgId} AND request_id = ${revocationId} AND row > ${afterRow} ORDER BY row LIMIT ${limits.rules}`,
  );
  const isAgents = (event: z.output<typeof eventRow>) => event.entity_type === "agent_playbook";
  const oneTooMany = found.filter(isAgents)[limits.agentPlaybooks];
  const events = oneTooMany === undefined ? found : found.slice(0, found.indexOf(oneTooMany));
  const last = events.at(-1);
  if (last === undefined) return null;
  const { user_playbook: users = [], agent_playbook: agents = [] } = Object.groupBy(
    events,
    (event) => event.entity_type,
  );
  return {
    lastRow: last.row,
    userPlaybookIds: users.map((event) => event.entity_id),
    agentPlaybookIds: agents.map((event) => event.entity_id),
    reopenedIds: agents.filter((event) => event.from_status === "approved").map((event) => event.entity_id),
  };
}

/** Agent versions whose aggregation has worked with these rules. */
export async function versionsOf(db: Database, orgId: string, userPlaybookIds: readonly number[]) {
  const rows = await db.all(
    z.object({ agent_version: z.string() }),
    sql`SELECT DISTINCT agent_version FROM user_playbooks INDEXED BY user_playbooks_by_id WHERE org_id = ${orgId}
        AND ${inList("user_playbook_id", userPlaybookIds)} ORDER BY agent_version`,
  );
  return rows.map((row) => row.agent_version);
}

/** An agent playbook with what it rests on now. */
export interface SupportedRule {
  rule: AgentPlaybook;
  /** Every source it was ever made from. */
  sourceIds: number[];
  /** CURRENT sources, and the distinct users behind them. */
  sources: number;
  users: number;
}

const supportRow = z.object({
  agent_playbook_id: z.int(),
  source_ids: z.string().transform((text) => z.array(z.int()).parse(JSON.parse(text))),
  sources: z.int(),
  users: z.int(),
});

/** Living rules by id, each with its support; rows of one instant. */
export async function loadSupported(
  db: Database,
  orgId: string,
  agentPlaybookIds: readonly number[],
): Promise<SupportedRule[]> {
  if (agentPlaybookIds.length === 0) return [];
  const mine = sql`a.org_id = ${orgId} AND ${inList("a.agent_playbook_id", agentPlaybookIds)}
      AND ${isLiving("a.status")}`;
  const [rules, support] = await db.batch([
    sql`SELECT ${agentPlaybookColumns} FROM agent_playbooks a WHERE ${mine}`,
    sql`SELECT a.agent_playbook_id, count(p.user_playbook_id) AS sources, count(DISTINCT p.user_id) AS users,
          json_group_array(s.user_playbook_id) FILTER (WHERE s.user_playbook_id IS NOT NULL) AS source_ids
        FROM agent_playbooks a
        LEFT JOIN agent_playbook_sources s ON s.org_id = a.org_id AND s.agent_playbook_id = a.agent_playbook_id
        LEFT JOIN user_playbooks p ON p.org_id = s.org_id AND p.user_playbook_id = s.user_playbook_id
          AND p.status IS NULL
        WHERE ${mine} GROUP BY a.agent_playbook_id`,
  ]);
  const byId = new Map(
    z
      .array(supportRow)
      .parse(support?.rows ?? [])
      .map((row) => [row.agent_playbook_id, row]),
  );
  return z
    .array(agentPlaybookRow)
    .parse(rules?.rows ?? [])
    .map((rule) => {
      const { sources = 0, users = 0, source_ids: sourceIds = [] } = byId.get(rule.agentPlaybookId) ?? {};
      return { rule, sources, users, sourceIds };
    });
}

export interface SupportChange {
  agentPlaybookId: number;
  /** As it was read. */
  version: number;
  flags: readonly Flag[];
  metadata: string;
}

/** Writes support. Guard `version`: every row is as it was read. */
export const writeSupport = (orgId: string, changes: readonly SupportChange[], nowMs: number): Statement[] =>
  changes.length === 0
    ? []
    : [
        guard(
          "version",
          sql`SELECT count(*) = ${changes.length} FROM json_each(${JSON.stringify(
            changes.map(({ agentPlaybookId, version }) => [agentPlaybookId, version]),
          )}) c CROSS JOIN agent_playbooks a ON a.org_id = ${orgId} AND a.agent_playbook_id = c.value->>0
            AND a.version = c.value->>1`,
        ),
        ...jsonPages(
          changes.map(({ agentPlaybookId, flags: after, metadata }) => [
            agentPlaybookId,
            JSON.stringify(after),
            metadata,
          ]),
        ).map(
          // The plus keeps the planner from walking the org.
          (page) => sql`UPDATE agent_playbooks SET flags = c.value->>1, playbook_metadata = c.value->>2,
              version = version + 1, updated_at_ms = max(${nowMs}, updated_at_ms + 1)
            FROM json_each(${page}) c WHERE +agent_playbooks.org_id = ${orgId} AND agent_playbooks.row =
              (SELECT a.row FROM agent_playbooks a WHERE a.org_id = ${orgId} AND a.agent_playbook_id = c.value->>0)`,
        ),
      ];
