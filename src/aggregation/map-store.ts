/** SQL of the map of a version's clusters: its newest rules with their vectors, and who owns each cluster. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, type Statement, sql } from "../db/sql";
import { type ApprovalStatus, approvalStatuses } from "../playbooks/model";
import { currentRules } from "./store";
import { decodeVector } from "./vectors";

/** Text and vector of one page; D1 answers at most a few megabytes well. */
const PAGE_ROWS = 500;

/** A user playbook as a point: its texts cut, its owner left out. */
export interface MappedRule {
  userPlaybookId: number;
  trigger: string;
  content: string;
  /** Null for a rule that belongs to no cluster. */
  clusterId: string | null;
  /** Why it belongs to none, a closed code; null where nobody has looked at it yet. */
  reason: string | null;
  /** Null where the bound model has not embedded it. */
  vector: Float32Array | null;
}

/** The newest CURRENT rules of a version, at most `limit`, newest first. Each text is cut to `maxChars`. */
export async function loadMappedRules(
  db: Database,
  orgId: string,
  agentVersion: string,
  options: { space: { model: string; dimension: number }; limit: number; maxChars: number },
): Promise<MappedRule[]> {
  const { space, limit, maxChars } = options;
  const rules: MappedRule[] = [];
  for (let before = Number.MAX_SAFE_INTEGER, isMore = true; isMore && rules.length < limit; ) {
    const rows = await db.all(
      z.object({
        id: z.int(),
        trigger: z.string(),
        content: z.string(),
        cluster_id: z.string().nullable(),
        reason: z.string().nullable(),
        hex_vector: z.string().nullable(),
        scale: z.number().nullable(),
      }),
      sql`SELECT p.user_playbook_id AS id, substr(coalesce(p.trigger, ''), 1, ${maxChars}) AS trigger,
            substr(p.content, 1, ${maxChars}) AS content,
            iif(i.disposition = 'cluster_member', i.cluster_id, NULL) AS cluster_id, i.reason,
            hex(v.vector) AS hex_vector, v.scale
          FROM user_playbooks p
          LEFT JOIN aggregation_items i ON i.org_id = p.org_id AND i.agent_version = p.agent_version
            AND i.user_playbook_id = p.user_playbook_id
          LEFT JOIN vectors v ON v.org_id = p.org_id AND v.kind = 'user_playbook'
            AND v.entity_id = p.user_playbook_id AND v.model = ${space.model} AND v.dimension = ${space.dimension}
          WHERE ${currentRules(orgId, agentVersion)} AND p.user_playbook_id < ${before}
          ORDER BY p.user_playbook_id DESC LIMIT ${Math.min(PAGE_ROWS, limit - rules.length)}`,
    );
    for (const row of rows) {
      rules.push({
        userPlaybookId: row.id,
        trigger: row.trigger,
        content: row.content,
        clusterId: row.cluster_id,
        reason: row.reason,
        vector: decodeVector(row.hex_vector, row.scale, space.dimension),
      });
    }
    before = rows.at(-1)?.id ?? before;
    isMore = rows.length === PAGE_ROWS;
  }
  return rules;
}

/** A cluster with the rule that speaks for it. */
export interface MappedCluster {
  clusterId: string;
  agentPlaybookId: number;
  trigger: string;
  content: string;
  approval: ApprovalStatus;
  /** All members, those beyond the map included. */
  members: number;
  /** Distinct users behind its CURRENT members, of which the first 1,000 are looked at. */
  users: number;
}

const MAX_COUNTED_MEMBERS = 1_000;

/** Active clusters by id whose rule still exists. */
export const loadMappedClusters = (
  db: Database,
  orgId: string,
  clusterIds: readonly string[],
  maxChars: number,
): Promise<MappedCluster[]> => {
  const users: Statement = sql`(SELECT count(DISTINCT user_id) FROM (SELECT p.user_id FROM aggregation_items i
      CROSS JOIN user_playbooks p ON p.org_id = i.org_id AND p.user_playbook_id = i.user_playbook_id
      WHERE i.org_id = c.org_id AND i.cluster_id = c.cluster_id AND p.status IS NULL
      LIMIT ${MAX_COUNTED_MEMBERS}))`;
  return db.all(
    z
      .object({
        cluster_id: z.string(),
        agent_playbook_id: z.int(),
        trigger: z.string(),
        content: z.string(),
        playbook_status: z.enum(approvalStatuses),
        member_count: z.int(),
        users: z.int(),
      })
      .transform((row) => ({
        clusterId: row.cluster_id,
        agentPlaybookId: row.agent_playbook_id,
        trigger: row.trigger,
        content: row.content,
        approval: row.playbook_status,
        members: row.member_count,
        users: row.users,
      })),
    sql`SELECT c.cluster_id, c.agent_playbook_id, substr(coalesce(a.trigger, ''), 1, ${maxChars}) AS trigger,
          substr(a.content, 1, ${maxChars}) AS content, a.playbook_status, c.member_count, ${users} AS users
        FROM clusters c CROSS JOIN agent_playbooks a ON a.org_id = c.org_id
          AND a.agent_playbook_id = c.agent_playbook_id
        WHERE c.org_id = ${orgId} AND ${inList("c.cluster_id", clusterIds)} AND c.state = 'active'
        ORDER BY c.cluster_id`,
  );
};
