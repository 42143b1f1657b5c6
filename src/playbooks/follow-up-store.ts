/** Bulk forms of outbox and lineage rows: a call may add a thousand rules, a batch holds fewer statements. */
import * as z from "zod";
import type { Database } from "../db/client";
import type { Topic } from "../db/outbox";
import { guard, type Statement, sql } from "../db/sql";
import { jsonPages } from "./bulk";
import type { RuleKind } from "./vector-store";

/** How long the sweep waits for the first, accelerated delivery (as `db/outbox`). */
const FIRST_RESEND_MS = 60_000;

export const insertWork = (
  orgId: string,
  rows: readonly { id: string; topic: Topic; key: readonly (string | number)[] }[],
  nowMs: number,
): Statement[] =>
  jsonPages(rows.map(({ id, topic, key }) => [id, topic, JSON.stringify(key)])).map(
    (page) => sql`INSERT INTO outbox (id, org_id, topic, key, attempts, due_at_ms)
      SELECT value->>0, ${orgId}, value->>1, value->>2, 0, ${nowMs + FIRST_RESEND_MS} FROM json_each(${page})
      WHERE true ON CONFLICT (id) DO NOTHING`,
  );

export interface LineageRow {
  eventId: string;
  entityId: number;
}

export const insertLineage = (
  orgId: string,
  kind: RuleKind,
  rows: readonly LineageRow[],
  actor: string,
  requestKey: string,
  createdAt: number,
): Statement[] =>
  jsonPages(rows.map(({ eventId, entityId }) => [eventId, String(entityId)])).map(
    (
      page,
    ) => sql`INSERT INTO lineage (org_id, event_id, entity_type, entity_id, op, source_ids, actor, request_id,
        created_at)
      SELECT ${orgId}, value->>0, ${kind}, value->>1, 'create', '[]', ${actor}, ${requestKey}, ${createdAt}
      FROM json_each(${page}) WHERE true ON CONFLICT (org_id, event_id) DO NOTHING`,
  );

/** A rule that was rewritten since is no longer what the call asked for. */
const notRewritten: Statement = sql`NOT EXISTS (SELECT 1 FROM lineage AS later WHERE later.org_id = lineage.org_id
  AND later.entity_type = lineage.entity_type AND later.entity_id = lineage.entity_id AND later.op = 'revise')`;

const livingOf: Record<RuleKind, (orgId: string, requestKey: string) => Statement> = {
  user_playbook: (orgId, requestKey) =>
    sql`SELECT count(*) AS found FROM lineage JOIN user_playbooks AS rule
          ON rule.org_id = ${orgId} AND rule.user_playbook_id = CAST(lineage.entity_id AS INTEGER)
        WHERE lineage.org_id = ${orgId} AND lineage.request_id = ${requestKey}
          AND lineage.entity_type = 'user_playbook' AND lineage.op = 'create'
          AND (rule.status IS NULL OR rule.status NOT IN ('merged', 'superseded')) AND ${notRewritten}`,
  agent_playbook: (orgId, requestKey) =>
    sql`SELECT count(*) AS found FROM lineage JOIN agent_playbooks AS rule
          ON rule.org_id = ${orgId} AND rule.agent_playbook_id = CAST(lineage.entity_id AS INTEGER)
        WHERE lineage.org_id = ${orgId} AND lineage.request_id = ${requestKey}
          AND lineage.entity_type = 'agent_playbook' AND lineage.op = 'create'
          AND (rule.status IS NULL OR rule.status NOT IN ('merged', 'superseded')) AND ${notRewritten}`,
};

/** How many rules that a call made are still there, as it asked for them. */
export async function countLiving(
  db: Database,
  orgId: string,
  kind: RuleKind,
  requestKey: string,
): Promise<number> {
  const row = await db.first(z.object({ found: z.int() }), livingOf[kind](orgId, requestKey));
  return row?.found ?? 0;
}

/** Guard `request_new`: nothing that this call would make is there already. */
export const notYetAdded = (orgId: string, kind: RuleKind, requestKey: string): Statement =>
  guard("request_new", sql`SELECT found = 0 FROM (${livingOf[kind](orgId, requestKey)})`);
