/** Rules and clusters as aggregation leaves them, with vectors of the bound model, for tests of the map. */
import { env } from "cloudflare:workers";
import { insertCluster } from "../../../src/aggregation/commit-store";
import { Database } from "../../../src/db/client";
import { type Statement, sql } from "../../../src/db/sql";
import { quantise } from "../../../src/platform/embedder/quantise";
import { insertAgentPlaybook, insertUserPlaybooks, writeVectors } from "../../../src/playbooks/store";
import { testServices } from "../../support/services";

export const db = new Database(env.DB);
const { model } = testServices().embedder;

export interface SeedRule {
  id: number;
  trigger?: string | null;
  content?: string;
  userId?: string;
  /** The direction its vector points to; none where null. */
  axis: number | null;
  /** `c1`, or none. */
  cluster?: string;
  status?: "archived";
}

const vectorOf = (axis: number): Float32Array => {
  const vector = new Float32Array(model.dimension);
  vector[axis % model.dimension] = 1;
  return vector;
};

/** An agent playbook and its cluster, without members. */
export async function seedCluster(
  orgId: string,
  clusterId: string,
  agentPlaybookId: number,
  more: {
    trigger?: string;
    content?: string;
    approval?: "pending" | "approved" | "rejected";
    version?: string;
  } = {},
): Promise<void> {
  const agentVersion = more.version ?? "v1";
  await db.batch([
    ...insertAgentPlaybook({
      orgId,
      agentPlaybookId,
      playbookName: "playbook",
      agentVersion,
      createdAt: 1,
      updatedAtMs: 1,
      content: more.content ?? `rule of ${clusterId}`,
      trigger: more.trigger ?? `asked of ${clusterId}`,
      rationale: null,
      playbookStatus: more.approval ?? "pending",
      playbookMetadata: "",
      status: null,
      tags: null,
      expandedTerms: null,
      flags: [],
      decidedBy: null,
      decidedAt: null,
      replaces: null,
    }),
    insertCluster(
      { orgId, agentVersion, clusterId },
      { agentPlaybookId, model: model.name, dimension: model.dimension, createdAt: 1 },
    ),
  ]);
}

export async function seedRules(
  orgId: string,
  rules: readonly SeedRule[],
  agentVersion = "v1",
): Promise<void> {
  const rows = rules.map(({ id, trigger, content, userId, status }) => ({
    orgId,
    userPlaybookId: id,
    userId: userId ?? `user-${id}`,
    agentVersion,
    requestId: `req-${id}`,
    playbookName: "playbook",
    createdAt: 1,
    updatedAtMs: 1,
    content: content ?? `content ${id}`,
    trigger: trigger === undefined ? `trigger ${id}` : trigger,
    rationale: null,
    status: status ?? null,
    source: null,
    sourceInteractionIds: [],
    sourceSpan: null,
    tags: null,
    notes: null,
    readerAngle: null,
    expandedTerms: null,
    flags: [],
    windowId: null,
  }));
  const vectors = rules.flatMap(({ id, axis }) => {
    if (axis === null) return [];
    const { bytes, scale } = quantise(vectorOf(axis));
    return [
      {
        orgId,
        kind: "user_playbook" as const,
        entityId: id,
        vector: { model: model.name, dimension: model.dimension, bytes: new Uint8Array(bytes), scale },
        nowMs: 1,
      },
    ];
  });
  const items: Statement = sql`INSERT INTO aggregation_items (org_id, agent_version, user_playbook_id, disposition,
        cluster_id, reason, attempt_count, last_attempt_at_ms)
      SELECT ${orgId}, ${agentVersion}, value->>0, 'cluster_member', value->>1, 'incremental', 1, 1
      FROM json_each(${JSON.stringify(rules.flatMap(({ id, cluster }) => (cluster === undefined ? [] : [[id, cluster]])))})`;
  const counts: Statement = sql`UPDATE clusters SET member_count = (SELECT count(*) FROM aggregation_items i
      WHERE i.org_id = clusters.org_id AND i.cluster_id = clusters.cluster_id) WHERE org_id = ${orgId}`;
  await db.batch([...insertUserPlaybooks(rows), ...writeVectors(vectors), items, counts]);
}
