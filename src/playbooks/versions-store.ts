/** SQL that finds the agent versions of an org: by leaps in an index, never by reading every rule. */
import * as z from "zod";
import type { Database } from "../db/client";
import { sql } from "../db/sql";

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
    sql`WITH RECURSIVE found (version) AS (
          SELECT min(agent_version) FROM user_playbooks WHERE org_id = ${orgId}
          UNION ALL
          SELECT (SELECT min(p.agent_version) FROM user_playbooks p WHERE p.org_id = ${orgId}
            AND p.agent_version > found.version) FROM found WHERE found.version IS NOT NULL)
        SELECT version FROM found WHERE version IS NOT NULL LIMIT ${MAX_VERSIONS}`,
    sql`SELECT agent_version AS version FROM user_playbooks WHERE org_id = ${orgId}
        ORDER BY user_playbook_id DESC LIMIT 1`,
  ]);
  const named = z.array(z.object({ version: z.string() }));
  return {
    versions: named.parse(all?.rows ?? []).map(({ version }) => version),
    newest: named.parse(newest?.rows ?? [])[0]?.version ?? null,
  };
}
