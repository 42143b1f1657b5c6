/** SQL of the first batch of an erasure, after which nothing of the user is shown or learned from any more. */
import * as z from "zod";
import { sendToRebuild } from "../aggregation/invalidations-store";
import type { Database } from "../db/client";
import { type Statement, sql } from "../db/sql";
import { dropWindows } from "../interactions/delete-store";
import { reached, tainted } from "../revocations/derived-store";
import type { RevocationTarget } from "../revocations/model";

const wholeUser = (userId: string): RevocationTarget => ({ kind: "user", userId, interactionIds: [] });

/** Bounds of what is read to judge texts; beyond them nothing is proven, and nothing is kept. */
const MAX_KEPT = 200;
const MAX_TEXTS = 4_000;
const MAX_TEXT_CHARS = 8_000;

/** What judging the rules of agents needs to know. */
export interface Descent {
  /** Approved rules in service that descend from the user's, each with its whole text. */
  approved: { id: number; version: number; text: string }[];
  /** Texts of their sources that stay, by rule. */
  rest: { agentPlaybookId: number; text: string }[];
  /** Everything the user said that their rules rest on, and the rules themselves. */
  users: string[];
  /** Whether a rule of theirs is gone or was rewritten, or more was found than was read: not all words are known. */
  isPartial: boolean;
  /** Versions that aggregate rules of the user. */
  agentVersions: string[];
}

const textOf = (alias: string, more: string): Statement => ({
  text: `concat_ws(char(10), ${["trigger", "content", "rationale", "expanded_terms"].map((column) => `${alias}.${column}`).join(", ")}${more})`,
  params: [],
});

const approvedRow = z.object({ id: z.int(), version: z.int(), text: z.string() });
const restRow = z.object({ agent_playbook_id: z.int(), text: z.string() });
const text = z.object({ text: z.string() });

/** Rows of one instant. */
export async function loadDescent(db: Database, orgId: string, userId: string): Promise<Descent> {
  const target = wholeUser(userId);
  const both = sql`WITH RECURSIVE ${tainted(orgId, target)}, ${reached(orgId)}`;
  const approved = sql`reached r CROSS JOIN agent_playbooks a ON a.org_id = ${orgId} AND a.agent_playbook_id = r.id
      AND a.status IS NULL AND a.playbook_status = 'approved'`;
  const [rules, rest, rulesOfUser, said, gone, versions] = await db.batch([
    sql`${both} SELECT a.agent_playbook_id AS id, a.version, ${textOf("a", ", a.playbook_metadata, a.tags")} AS text
        FROM ${approved} ORDER BY id LIMIT ${MAX_KEPT}`,
    sql`${both} SELECT a.agent_playbook_id, substr(${textOf("p", "")}, 1, ${MAX_TEXT_CHARS}) AS text FROM ${approved}
        CROSS JOIN agent_playbook_sources s ON s.org_id = a.org_id AND s.agent_playbook_id = a.agent_playbook_id
        CROSS JOIN user_playbooks p ON p.org_id = s.org_id AND p.user_playbook_id = s.user_playbook_id
        WHERE p.status IS NULL AND p.user_id IS NOT ${userId} AND s.user_playbook_id NOT IN (SELECT id FROM tainted)
        LIMIT ${MAX_TEXTS}`,
    sql`SELECT ${textOf("p", ", p.source_span, p.notes, p.user_id")} AS text
        FROM user_playbooks p INDEXED BY user_playbooks_of_user
        WHERE p.org_id = ${orgId} AND p.user_id = ${userId} LIMIT ${MAX_TEXTS + 1}`,
    sql`SELECT substr(i.content, 1, ${MAX_TEXT_CHARS}) AS text FROM (SELECT DISTINCT cited.value AS id
          FROM user_playbooks p INDEXED BY user_playbooks_of_user
          CROSS JOIN json_each(p.source_interaction_ids) cited WHERE p.org_id = ${orgId} AND p.user_id = ${userId}
          LIMIT ${MAX_TEXTS + 1}) wanted
        CROSS JOIN interactions i ON i.org_id = ${orgId} AND i.user_id = ${userId} AND i.interaction_id = wanted.id`,
    sql`WITH RECURSIVE ${tainted(orgId, target)} SELECT EXISTS (SELECT 1 FROM tainted t
          CROSS JOIN agent_playbook_sources s INDEXED BY agent_playbook_sources_by_user_playbook
            ON s.org_id = ${orgId} AND s.user_playbook_id = t.id
          WHERE NOT EXISTS (SELECT 1 FROM user_playbooks p WHERE p.org_id = ${orgId}
            AND p.user_playbook_id = t.id))
          OR EXISTS (SELECT 1 FROM tainted t CROSS JOIN lineage l INDEXED BY lineage_by_entity ON l.org_id = ${orgId}
            AND l.entity_type = 'user_playbook' AND l.entity_id = CAST(t.id AS TEXT) AND l.op = 'revise') AS gone`,
    sql`SELECT DISTINCT agent_version FROM user_playbooks INDEXED BY user_playbooks_by_user WHERE org_id = ${orgId}
          AND user_id = ${userId} AND status IS NULL`,
  ]);
  const { gone: isGone } = z.object({ gone: z.int() }).parse(gone?.rows[0]);
  const words = [...(rulesOfUser?.rows ?? []), ...(said?.rows ?? [])].map((row) => text.parse(row).text);
  return {
    approved: z.array(approvedRow).parse(rules?.rows ?? []),
    rest: z
      .array(restRow)
      .parse(rest?.rows ?? [])
      .map((row) => ({ agentPlaybookId: row.agent_playbook_id, text: row.text })),
    users: [userId, ...words],
    isPartial: isGone === 1 || [rulesOfUser, said].some((page) => (page?.rows.length ?? 0) > MAX_TEXTS),
    agentVersions: z
      .array(z.object({ agent_version: z.string() }))
      .parse(versions?.rows ?? [])
      .map((row) => row.agent_version),
  };
}

/** Every rule of the user and every one that came of them, before the batch cuts the threads. */
export function insertTargets(
  orgId: string,
  erasureId: string,
  userId: string,
  kept: readonly (readonly [agentPlaybookId: number, version: number])[],
): Statement[] {
  const target = wholeUser(userId);
  const into: Statement = {
    text: "INSERT INTO erasure_targets (org_id, erasure_id, kind, entity_id, models, kept_version)",
    params: [],
  };
  const models = (kind: string, id: string): Statement =>
    sql`(SELECT json_group_array(v.model) FROM vectors v WHERE v.org_id = ${orgId} AND v.kind = ${kind}
        AND v.entity_id = ${{ text: id, params: [] }})`;
  return [
    sql`${into} WITH RECURSIVE ${tainted(orgId, target)}, ${reached(orgId)}
        SELECT ${orgId}, ${erasureId}, 'agent_playbook', r.id, ${models("agent_playbook", "r.id")},
          (SELECT k.value->>1 FROM json_each(${JSON.stringify(kept)}) k WHERE k.value->>0 = r.id) FROM reached r`,
    sql`${into} WITH RECURSIVE ${tainted(orgId, target)}
        SELECT ${orgId}, ${erasureId}, 'user_playbook', t.id, ${models("user_playbook", "t.id")}, NULL
        FROM tainted t`,
  ];
}

/** The user's rules lose every word, are no sources any more, and leave every cluster, which is made again without them. */
export function silence(orgId: string, erasureId: string, userId: string, nowMs: number): Statement[] {
  const ids = sql`SELECT entity_id FROM erasure_targets WHERE org_id = ${orgId} AND erasure_id = ${erasureId}
      AND kind = 'user_playbook'`;
  const items = sql`org_id = ${orgId} AND agent_version IN (SELECT agent_version FROM aggregation_states
      WHERE org_id = ${orgId}) AND user_playbook_id IN (${ids})`;
  return [
    sql`UPDATE user_playbooks SET status = 'superseded', retired_at = ${Math.floor(nowMs / 1000)}, content = '',
          trigger = NULL, rationale = NULL, source_span = NULL, notes = NULL, expanded_terms = NULL, tags = NULL,
          source = NULL, playbook_name = '', search_text = '', updated_at_ms = max(${nowMs}, updated_at_ms + 1)
        WHERE org_id = ${orgId} AND user_id = ${userId}`,
    sql`DELETE FROM agent_playbook_sources WHERE org_id = ${orgId} AND user_playbook_id IN (${ids})`,
    ...sendToRebuild(
      orgId,
      sql`SELECT cluster_id FROM aggregation_items WHERE ${items} AND cluster_id IS NOT NULL`,
    ),
    sql`DELETE FROM aggregation_items WHERE ${items}`,
  ];
}

/** Whoever works on the user's stream loses the lease, and with it the right to write. */
export const stopLearning = (orgId: string, userId: string, atSec: number): Statement[] => [
  ...dropWindows(
    orgId,
    sql`SELECT ${userId}`,
    sql`SELECT w.window_id FROM windows w INDEXED BY windows_by_user WHERE w.org_id = ${orgId}
        AND w.user_id = ${userId} AND w.state IN ('open', 'computed')`,
    atSec,
  ),
  dropLeases(orgId, userId),
];

/** `stream:<user>` of extraction, and `tagging:["<user>",…` of tagging. */
export const dropLeases = (orgId: string, userId: string): Statement => {
  const tagging = `tagging:${JSON.stringify([userId]).slice(0, -1)},`;
  return sql`DELETE FROM leases WHERE org_id = ${orgId} AND (key = ${`stream:${userId}`}
      OR substr(key, 1, ${tagging.length}) = ${tagging})`;
};
