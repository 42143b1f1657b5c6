/** SQL of what a turn reads: rules with their vectors, centroids, existing rules. */
import * as z from "zod";
import type { Database } from "../db/client";
import { inList, sql } from "../db/sql";
import type { ApprovalStatus } from "../playbooks/model";
import { userPlaybookRow } from "../playbooks/store";
import type { ClusterCentroid, ExistingRule, Member } from "./model";
import { currentRules } from "./store";
import { decodeVector } from "./vectors";

/** Text and vector of one page; D1 answers at most a few megabytes well. */
const MEMBER_PAGE_ROWS = 250;
const vectorColumns = { hex_vector: z.string().nullable(), scale: z.number().nullable() };
const rawRow = z.looseObject(vectorColumns);

/** CURRENT, non-blank rows by id; `vector` is null where the bound model has not embedded the row yet. */
export async function loadMembers(
  db: Database,
  orgId: string,
  agentVersion: string,
  wanted: readonly number[],
  space: { model: string; dimension: number },
): Promise<{ row: Member["row"]; vector: Float32Array | null }[]> {
  const members: { row: Member["row"]; vector: Float32Array | null }[] = [];
  for (let first = 0; first < wanted.length; first += MEMBER_PAGE_ROWS) {
    const page = wanted.slice(first, first + MEMBER_PAGE_ROWS);
    const rows = await db.all(
      rawRow,
      sql`SELECT p.*, hex(v.vector) AS hex_vector, v.scale AS scale FROM user_playbooks p
          LEFT JOIN vectors v ON v.org_id = p.org_id AND v.kind = 'user_playbook'
            AND v.entity_id = p.user_playbook_id AND v.model = ${space.model} AND v.dimension = ${space.dimension}
          WHERE ${currentRules(orgId, agentVersion)} AND ${inList("p.user_playbook_id", page)}
          ORDER BY p.user_playbook_id`,
    );
    for (const { hex_vector, scale, ...row } of rows) {
      members.push({
        row: userPlaybookRow.parse(row),
        vector: decodeVector(hex_vector, scale, space.dimension),
      });
    }
  }
  return members;
}

const CENTROID_PAGE_ROWS = 1_000;

/** Active clusters of the version that lie in this space, with their CURRENT rules' vectors, in id order. */
export async function loadCentroids(
  db: Database,
  orgId: string,
  agentVersion: string,
  space: { model: string; dimension: number },
): Promise<ClusterCentroid[]> {
  const centroids: ClusterCentroid[] = [];
  for (let after = "", isMore = true; isMore; ) {
    const rows = await db.all(
      z.object({ cluster_id: z.string(), agent_playbook_id: z.int(), ...vectorColumns }),
      sql`SELECT c.cluster_id, c.agent_playbook_id, hex(v.vector) AS hex_vector, v.scale FROM clusters c
          JOIN agent_playbooks a ON a.org_id = c.org_id AND a.agent_playbook_id = c.agent_playbook_id AND a.status IS NULL
          JOIN vectors v ON v.org_id = c.org_id AND v.kind = 'agent_playbook' AND v.entity_id = c.agent_playbook_id
            AND v.model = ${space.model} AND v.dimension = ${space.dimension}
          WHERE c.org_id = ${orgId} AND c.agent_version = ${agentVersion} AND c.state = 'active'
            AND c.embedding_model = ${space.model} AND c.embedding_dimension = ${space.dimension}
            AND c.cluster_id > ${after} ORDER BY c.cluster_id LIMIT ${CENTROID_PAGE_ROWS}`,
    );
    for (const row of rows) {
      const vector = decodeVector(row.hex_vector, row.scale, space.dimension);
      if (vector === null) continue;
      centroids.push({
        clusterId: row.cluster_id,
        agentPlaybookId: row.agent_playbook_id,
        agentVersion,
        ...space,
        vector,
      });
    }
    after = rows.at(-1)?.cluster_id ?? after;
    isMore = rows.length === CENTROID_PAGE_ROWS;
  }
  return centroids;
}

/** Those of the ids that a cluster bears. */
export async function loadTakenIds(
  db: Database,
  orgId: string,
  clusterIds: readonly string[],
): Promise<Set<string>> {
  if (clusterIds.length === 0) return new Set();
  const rows = await db.all(
    z.object({ cluster_id: z.string() }),
    sql`SELECT cluster_id FROM clusters WHERE org_id = ${orgId} AND ${inList("cluster_id", clusterIds)}`,
  );
  return new Set(rows.map((row) => row.cluster_id));
}

const MAX_EXISTING_RULES = 500;

/** The newest CURRENT rules of the version in these states of approval, with their vectors (14.1, 8). */
export async function loadExistingRules(
  db: Database,
  orgId: string,
  agentVersion: string,
  space: { model: string; dimension: number },
  approvals: readonly ApprovalStatus[] = ["approved", "pending"],
): Promise<ExistingRule[]> {
  const rows = await db.all(
    z.object({
      agent_playbook_id: z.int(),
      trigger: z.string().nullable(),
      content: z.string(),
      playbook_status: z.string(),
      is_invalidated: z.int(),
      ...vectorColumns,
    }),
    sql`SELECT a.agent_playbook_id, a.trigger, a.content, a.playbook_status, hex(v.vector) AS hex_vector, v.scale,
          EXISTS (SELECT 1 FROM clusters c WHERE c.org_id = a.org_id AND c.agent_playbook_id = a.agent_playbook_id
            AND c.state = 'rebuilding') AS is_invalidated
        FROM agent_playbooks a LEFT JOIN vectors v ON v.org_id = a.org_id AND v.kind = 'agent_playbook'
          AND v.entity_id = a.agent_playbook_id AND v.model = ${space.model} AND v.dimension = ${space.dimension}
        WHERE a.org_id = ${orgId} AND a.agent_version = ${agentVersion} AND a.status IS NULL
          AND ${inList("a.playbook_status", approvals)}
        ORDER BY a.agent_playbook_id DESC LIMIT ${MAX_EXISTING_RULES}`,
  );
  return rows.map((row) => ({
    agentPlaybookId: row.agent_playbook_id,
    trigger: row.trigger ?? "",
    content: row.content,
    isApproved: row.playbook_status === "approved",
    isInvalidated: row.is_invalidated === 1,
    vector: decodeVector(row.hex_vector, row.scale, space.dimension),
  }));
}

/** A rule that a person rejected and whose sources hold all of `members`; null where there is none. */
export const findRejectedRuleOf = (
  db: Database,
  orgId: string,
  agentVersion: string,
  members: readonly number[],
): Promise<{ agent_playbook_id: number } | null> =>
  db.first(
    z.object({ agent_playbook_id: z.int() }),
    sql`SELECT s.agent_playbook_id FROM agent_playbook_sources s
        JOIN agent_playbooks a ON a.org_id = s.org_id AND a.agent_playbook_id = s.agent_playbook_id
        WHERE s.org_id = ${orgId} AND a.agent_version = ${agentVersion} AND a.status IS NULL
          AND a.playbook_status = 'rejected' AND ${inList("s.user_playbook_id", members)}
        GROUP BY s.agent_playbook_id HAVING count(*) = ${members.length} ORDER BY s.agent_playbook_id LIMIT 1`,
  );
