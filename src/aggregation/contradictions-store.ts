/** SQL of finding and noting which pending rules speak against approved ones. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, type Statement, sql } from "../db/sql";
import { type Flag, flags } from "../playbooks/model";
import type { ComparableRule } from "./opposition";

/** Approved rules of one version that are compared: the newest. */
const MAX_APPROVED_RULES = 2_000;
const PAGE_ROWS = 500;

const versionRow = z.object({ agent_version: z.string() });

/**
 * Versions of the rules `ids`. Where one of them is gone its version is not known: those that hold a flagged
 * rule are added then.
 */
export async function versionsOf(db: Database, orgId: string, ids: readonly number[]): Promise<string[]> {
  const rows = await db.all(
    versionRow,
    sql`SELECT DISTINCT agent_version FROM agent_playbooks WHERE org_id = ${orgId} AND ${inList("agent_playbook_id", ids)}
        UNION SELECT DISTINCT agent_version FROM agent_playbooks WHERE org_id = ${orgId} AND playbook_status = 'pending'
          AND status IS NULL AND flags LIKE '%"contradicts_approved"%'
          AND (SELECT count(*) FROM agent_playbooks WHERE org_id = ${orgId} AND ${inList("agent_playbook_id", ids)})
            < ${new Set(ids).size}`,
  );
  return rows.map((row) => row.agent_version);
}

const comparableRow = z
  .object({ agent_playbook_id: z.int(), trigger: z.string().nullable(), content: z.string() })
  .transform(
    (row): ComparableRule => ({
      agentPlaybookId: row.agent_playbook_id,
      trigger: row.trigger,
      content: row.content,
    }),
  );

export const loadApprovedRules = (
  db: Database,
  orgId: string,
  agentVersion: string,
): Promise<ComparableRule[]> =>
  db.all(
    comparableRow,
    sql`SELECT agent_playbook_id, trigger, content FROM agent_playbooks WHERE org_id = ${orgId}
        AND agent_version = ${agentVersion} AND playbook_status = 'approved' AND status IS NULL
        ORDER BY agent_playbook_id DESC LIMIT ${MAX_APPROVED_RULES}`,
  );

export interface PendingRule extends ComparableRule {
  version: number;
  flags: Flag[];
}

const pendingRow = z
  .object({
    agent_playbook_id: z.int(),
    trigger: z.string().nullable(),
    content: z.string(),
    version: z.int(),
    flags: z.string().transform((text) => z.array(z.enum(flags)).parse(JSON.parse(text))),
  })
  .transform(
    (row): PendingRule => ({
      agentPlaybookId: row.agent_playbook_id,
      trigger: row.trigger,
      content: row.content,
      version: row.version,
      flags: row.flags,
    }),
  );

/** Pending CURRENT rules of a version, by id, page by page. */
export async function* pendingRules(
  db: Database,
  orgId: string,
  agentVersion: string,
): AsyncGenerator<PendingRule[]> {
  for (let after = 0, isMore = true; isMore; ) {
    const page = await db.all(
      pendingRow,
      sql`SELECT agent_playbook_id, trigger, content, version, flags FROM agent_playbooks WHERE org_id = ${orgId}
          AND agent_version = ${agentVersion} AND playbook_status = 'pending' AND status IS NULL
          AND agent_playbook_id > ${after} ORDER BY agent_playbook_id LIMIT ${PAGE_ROWS}`,
    );
    if (page.length > 0) yield page;
    after = page.at(-1)?.agentPlaybookId ?? after;
    isMore = page.length === PAGE_ROWS;
  }
}

/**
 * Notes what a pending rule speaks against, if it still is as `rule` shows it: its flags, and the rule that
 * approving it would replace unless one is named already. Changes nothing otherwise.
 */
export const noteOpposition = (
  orgId: string,
  rule: Pick<PendingRule, "agentPlaybookId" | "version">,
  noted: { flags: readonly Flag[]; opposedId: number | null },
  nowMs: number,
): Statement =>
  sql`UPDATE agent_playbooks SET flags = ${JSON.stringify(noted.flags)},
        replaces = coalesce(replaces, ${noted.opposedId}), version = version + 1,
        updated_at_ms = max(${nowMs}, updated_at_ms + 1)
      WHERE org_id = ${orgId} AND agent_playbook_id = ${rule.agentPlaybookId} AND version = ${rule.version}
        AND playbook_status = 'pending' AND status IS NULL`;
