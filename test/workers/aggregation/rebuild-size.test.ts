/** The commit of a rebuild at its largest: 20,000 user playbooks, 400 clusters, 400 rules that go. */

import { expect, test } from "vitest";
import * as z from "zod";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { sql } from "../../../src/db/sql";
import { operationOf, pairs, staged, startRebuild } from "./rebuild-support";
import { makeWorld, seedRules } from "./support";

const ROWS = 20_000;
const CLUSTERS = 400;

test("twenty thousand rows and four hundred rules change places in one batch", async () => {
  const world = makeWorld();
  const { db, orgId } = world;
  await seedRules(world, pairs(1));
  const operationId = await startRebuild(world);
  const numbers = (count: number) =>
    sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  const draft = sql`json_object('orgId', ${orgId}, 'agentPlaybookId', 1000 + i, 'playbookName', 'playbook',
    'agentVersion', 'v1', 'createdAt', 1, 'updatedAtMs', 1, 'content', 'New rule ' || i, 'playbookStatus', 'pending',
    'playbookMetadata', '{}', 'flags', '[]', 'scope', '', 'searchText', '')`;
  await db.batch([
    sql`${numbers(ROWS)} INSERT INTO user_playbooks (org_id, user_playbook_id, user_id, agent_version, request_id,
        playbook_name, created_at, updated_at_ms, content, source_interaction_ids, flags, scope, search_text)
      SELECT ${orgId}, 100 + i, 'u' || (i % 50), 'v1', 'r', 'playbook', 1, 1, 'Rule ' || i, '[]', '[]', '', '' FROM n
      WHERE i <= ${ROWS - 2}`,
    sql`INSERT INTO aggregation_items (org_id, agent_version, user_playbook_id, disposition, cluster_id, reason,
        attempt_count, last_attempt_at_ms)
      SELECT ${orgId}, 'v1', user_playbook_id, 'residual', NULL, 'new', 0, 0 FROM user_playbooks WHERE org_id = ${orgId}`,
    sql`${numbers(CLUSTERS)} INSERT INTO agent_playbooks (org_id, agent_playbook_id, playbook_name, agent_version,
        created_at, updated_at_ms, content, playbook_status, playbook_metadata, flags, version, scope, search_text)
      SELECT ${orgId}, i, 'playbook', 'v1', 1, 1, 'Old rule ' || i, 'pending', '', '[]', 1, '', '' FROM n`,
    sql`INSERT INTO agent_playbook_sources (org_id, agent_playbook_id, user_playbook_id, source_interaction_ids)
      SELECT ${orgId}, 1 + user_playbook_id % CAST(${CLUSTERS} AS INTEGER), user_playbook_id, '[]' FROM user_playbooks
      WHERE org_id = ${orgId}`,
    sql`INSERT INTO rebuilds (org_id, operation_id, agent_version, row_count, last_agent_playbook_id,
        last_invalidation, is_planned)
      VALUES (${orgId}, ${operationId}, 'v1', ${ROWS}, ${CLUSTERS}, 0, 1)`,
    sql`INSERT INTO rebuild_rows (org_id, operation_id, user_playbook_id, updated_at_ms, cluster_id, reason)
      SELECT ${orgId}, ${operationId}, user_playbook_id, updated_at_ms, 'c' || (1 + user_playbook_id % CAST(${CLUSTERS} AS INTEGER)),
        'waiting_for_company' FROM user_playbooks WHERE org_id = ${orgId}`,
    sql`${numbers(CLUSTERS)} INSERT INTO rebuild_clusters (org_id, operation_id, cluster_id, position, tries, outcome,
        agent_playbook_id, draft, vector, scale, embedding_model, embedding_dimension, model_name, provider,
        lineage_id, vector_job_id)
      SELECT ${orgId}, ${operationId}, 'c' || i, i, 0, 'generated', 1000 + i, ${draft}, zeroblob(512), 1.0, 'words-v1',
        512, 'm', 'p', 'lin' || ${orgId} || i, 'job' || ${orgId} || i FROM n`,
    sql`UPDATE operations SET progress_done = ${CLUSTERS}, progress_total = ${CLUSTERS + 1} WHERE org_id = ${orgId}`,
  ]);
  await runAggregationTurn(world.services, orgId, "v1");
  expect(await operationOf(world, operationId)).toMatchObject({
    status: "succeeded",
    counts: { playbooks_generated: CLUSTERS, attachments: ROWS, supersessions: CLUSTERS },
  });
  const [counted] = await db.all(
    z.object({ current: z.int(), gone: z.int(), members: z.int(), sources: z.int(), successors: z.int() }),
    sql`SELECT (SELECT count(*) FROM agent_playbooks WHERE org_id = ${orgId} AND status IS NULL) AS current,
        (SELECT count(*) FROM agent_playbooks WHERE org_id = ${orgId} AND status = 'superseded') AS gone,
        (SELECT count(*) FROM agent_playbooks WHERE org_id = ${orgId} AND superseded_by = 1000 + agent_playbook_id)
          AS successors,
        (SELECT sum(member_count) FROM clusters WHERE org_id = ${orgId}) AS members,
        (SELECT count(*) FROM agent_playbook_sources WHERE org_id = ${orgId} AND agent_playbook_id > 1000) AS sources`,
  );
  expect(counted).toEqual({
    current: CLUSTERS,
    gone: CLUSTERS,
    successors: CLUSTERS,
    members: ROWS,
    sources: ROWS,
  });
  expect(await staged(world)).toEqual({ rebuilds: 0, rows: 0, clusters: 0 });
}, 120_000);
