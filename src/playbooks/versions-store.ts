/** SQL that finds the agent versions of an org: by leaps in an index, never by reading every rule. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Statement, sql } from "../db/sql";

/** Versions a picker offers at most. */
const MAX_VERSIONS = 200;

export interface AgentVersions {
  /** In order of their names; the first 200. */
  versions: string[];
  /** The one whose users taught the newest rule; null where nobody taught any. */
  newest: string | null;
}

/** Versions that have user playbooks, whatever their status. */
export async function listAgentVersions(db: Database, orgId: string): Promise<AgentVersions> {
  const [all, newest] = await db.batch([
    versionsIn(sql`user_playbooks`, orgId),
    sql`SELECT agent_version AS version FROM user_playbooks WHERE org_id = ${orgId}
        ORDER BY user_playbook_id DESC LIMIT 1`,
  ]);
  return { versions: namesOf(all?.rows), newest: namesOf(newest?.rows)[0] ?? null };
}

/** Versions that have rules of either kind, whatever their status; `newest` is an agent playbook's where nobody taught any. */
export async function listRuleVersions(db: Database, orgId: string): Promise<AgentVersions> {
  const [learned, made] = await Promise.all([
    listAgentVersions(db, orgId),
    db.batch([
      versionsIn(sql`agent_playbooks`, orgId),
      sql`SELECT agent_version AS version FROM agent_playbooks WHERE org_id = ${orgId}
          ORDER BY agent_playbook_id DESC LIMIT 1`,
    ]),
  ]);
  const all = new Set([...learned.versions, ...namesOf(made[0]?.rows)]);
  return {
    versions: [...all].sort().slice(0, MAX_VERSIONS),
    newest: learned.newest ?? namesOf(made[1]?.rows)[0] ?? null,
  };
}

/** One seek per version. */
const versionsIn = (table: Statement, orgId: string): Statement =>
  sql`WITH RECURSIVE found (version) AS (
        SELECT min(agent_version) FROM ${table} WHERE org_id = ${orgId}
        UNION ALL
        SELECT (SELECT min(p.agent_version) FROM ${table} p WHERE p.org_id = ${orgId}
          AND p.agent_version > found.version) FROM found WHERE found.version IS NOT NULL)
      SELECT version FROM found WHERE version IS NOT NULL LIMIT ${MAX_VERSIONS}`;

const namesOf = (rows: readonly unknown[] = []): string[] =>
  z
    .array(z.object({ version: z.string() }))
    .parse(rows)
    .map(({ version }) => version);
