/** SQL behind the review gate: what the CURRENT sources of a rule are and where their turns were said. */
import * as z from "zod";
import type { Database } from "../db/client";
import { sql } from "../db/sql";
import type { GateThresholds, SourceEvidence, Support } from "./gate";
import { flags } from "./model";

/** Sources that are read in full; above it, one of every user still is, up to the number that is needed. */
const MAX_SOURCES_READ = 200;
const MAX_TURNS_READ = 20;
const MAX_WORDING_CHARS = 2_000;

const sourceRow = z
  .object({
    user_playbook_id: z.int(),
    user_id: z.string().nullable(),
    wording: z.string(),
    said_at: z.int(),
    sessions: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))),
    flags: z.string().transform((text) => z.array(z.enum(flags)).parse(JSON.parse(text))),
  })
  .transform(
    (row): SourceEvidence => ({
      userPlaybookId: row.user_playbook_id,
      userId: row.user_id,
      wording: row.wording,
      saidAtSec: row.said_at,
      sessions: row.sessions,
      flags: row.flags,
    }),
  );

const flagRow = z.object({ flag: z.enum(flags) });
const countRow = z.object({ sources: z.int() });

/**
 * What the rows among `ids` that are CURRENT have to say. A source's words are the quotation that proves it, or
 * the rule itself where nothing is quoted.
 */
export async function loadGateSupport(
  db: Database,
  orgId: string,
  ids: readonly number[],
  { minDistinctUsersSensitive }: GateThresholds,
): Promise<Support> {
  // The order of these joins is fixed: without statistics the planner may begin with every row of the org.
  const current = sql`FROM json_each(${JSON.stringify(ids)}) AS wanted CROSS JOIN user_playbooks p
      ON p.org_id = ${orgId} AND p.user_playbook_id = wanted.value`;
  const limit = Math.max(MAX_SOURCES_READ, minDistinctUsersSensitive);
  const turns = sql`FROM (SELECT value FROM json_each(s.source_interaction_ids) LIMIT ${MAX_TURNS_READ}) AS cited
    CROSS JOIN interactions t ON t.org_id = s.org_id AND t.user_id = s.user_id AND t.interaction_id = cited.value`;
  const [read, flagged, counted] = await db.batch([
    sql`SELECT s.user_playbook_id, s.user_id, s.flags,
          substr(coalesce(nullif(s.source_span, ''), s.content), 1, ${MAX_WORDING_CHARS}) AS wording,
          coalesce((SELECT min(t.created_at) ${turns}), s.created_at) AS said_at,
          (SELECT json_group_array(DISTINCT r.session_id) ${turns}
            CROSS JOIN requests r ON r.org_id = t.org_id AND r.request_id = t.request_id) AS sessions
        FROM (SELECT p.org_id, p.user_playbook_id, p.user_id, p.flags, p.source_span, p.content, p.created_at,
            p.source_interaction_ids,
            row_number() OVER (PARTITION BY p.user_id ORDER BY p.user_playbook_id) AS turn_of_user
          ${current} WHERE p.status IS NULL) AS s
        ORDER BY s.turn_of_user, s.user_playbook_id LIMIT ${limit}`,
    sql`SELECT DISTINCT f.value AS flag ${current} CROSS JOIN json_each(p.flags) AS f WHERE p.status IS NULL`,
    sql`SELECT count(*) AS sources ${current} WHERE p.status IS NULL`,
  ]);
  return {
    sources: (read?.rows ?? []).map((row) => sourceRow.parse(row)),
    sourceFlags: (flagged?.rows ?? []).map((row) => flagRow.parse(row).flag),
    sourceCount: countRow.parse(counted?.rows[0]).sources,
  };
}
