/** SQL of tags: which of a user's rules were never tagged, and what they were given. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Statement, sql } from "../db/sql";

const untaggedRow = z
  .object({
    user_playbook_id: z.int(),
    updated_at_ms: z.int(),
    trigger: z.string().nullable(),
    content: z.string(),
    rationale: z.string().nullable(),
  })
  .transform((row) => ({
    userPlaybookId: row.user_playbook_id,
    updatedAtMs: row.updated_at_ms,
    trigger: row.trigger ?? "",
    content: row.content,
    rationale: row.rationale ?? "",
  }));
export type UntaggedRule = z.infer<typeof untaggedRow>;

/** CURRENT rules that were never tagged, oldest first. */
export const untaggedRules = (
  db: Database,
  { orgId, userId, agentVersion }: { orgId: string; userId: string; agentVersion: string },
  limit: number,
): Promise<UntaggedRule[]> =>
  db.all(
    untaggedRow,
    sql`SELECT user_playbook_id, updated_at_ms, trigger, content, rationale FROM user_playbooks
        WHERE org_id = ${orgId} AND user_id = ${userId} AND agent_version = ${agentVersion} AND status IS NULL
          AND tags IS NULL ORDER BY created_at, user_playbook_id LIMIT ${limit}`,
  );

/**
 * Gives rules their tags (none: tagged, nothing fitted). A rule that was rewritten, tagged, retired or deleted
 * since it was read keeps what it has. The time of the last change stays: the rule says what it said.
 */
export const setTags = (
  orgId: string,
  tagged: readonly { userPlaybookId: number; updatedAtMs: number; tags: readonly string[] }[],
): Statement =>
  sql`UPDATE user_playbooks SET tags = given.value->>'tags'
      FROM json_each(${JSON.stringify(tagged.map((rule) => ({ ...rule, tags: JSON.stringify(rule.tags) })))}) AS given
      WHERE user_playbooks.org_id = ${orgId} AND user_playbook_id = given.value->>'userPlaybookId'
        AND updated_at_ms = given.value->>'updatedAtMs' AND tags IS NULL AND status IS NULL`;
