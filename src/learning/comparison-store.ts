/** SQL of what new lessons are compared with: one user's CURRENT rules of one agent version. */
import * as z from "zod";
import type { Database } from "../db/client";
import { sql } from "../db/sql";
import { MAX_COMPARED } from "./bounds";

/** A stored rule as retrieval sees it. */
export interface Comparable {
  userPlaybookId: number;
  trigger: string;
  content: string;
  /** Of the bound model, or null where there is none yet. */
  vector: { hexBytes: string; dimension: number; scale: number } | null;
}

/** Characters of a text that are compared; rules added by hand may be long. */
const COMPARED_CHARS = 4_000;

const comparableRow = z
  .object({
    user_playbook_id: z.int(),
    trigger: z.string().nullable(),
    content: z.string(),
    hex_bytes: z.string().nullable(),
    dimension: z.int().nullable(),
    scale: z.number().nullable(),
  })
  .transform(
    (row): Comparable => ({
      userPlaybookId: row.user_playbook_id,
      trigger: row.trigger ?? "",
      content: row.content,
      vector:
        row.hex_bytes === null || row.dimension === null || row.scale === null
          ? null
          : { hexBytes: row.hex_bytes, dimension: row.dimension, scale: row.scale },
    }),
  );

/** The newest {@link MAX_COMPARED} rules, each with its vector of `model`. */
export const loadComparables = (
  db: Database,
  scope: { orgId: string; userId: string; agentVersion: string },
  model: string,
): Promise<Comparable[]> =>
  db.all(
    comparableRow,
    sql`SELECT p.user_playbook_id, substr(p.trigger, 1, ${COMPARED_CHARS}) AS trigger,
          substr(p.content, 1, ${COMPARED_CHARS}) AS content, iif(v.vector IS NULL, NULL, hex(v.vector)) AS hex_bytes, v.dimension, v.scale
        FROM user_playbooks p LEFT JOIN vectors v ON v.org_id = p.org_id AND v.kind = 'user_playbook'
          AND v.entity_id = p.user_playbook_id AND v.model = ${model}
        WHERE p.org_id = ${scope.orgId} AND p.user_id = ${scope.userId} AND p.agent_version = ${scope.agentVersion}
          AND p.status IS NULL
        ORDER BY p.created_at DESC, p.user_playbook_id DESC LIMIT ${MAX_COMPARED}`,
  );
