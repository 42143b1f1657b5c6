/** SQL of provenance: cited turns, and where a rule that cites none was learned. */
import * as z from "zod";
import type { Database } from "../../db/client";
import { type Statement, sql } from "../../db/sql";
import { MAX_ANSWER_BYTES } from "../../interactions/read-store";
import { mayLearnFrom } from "../../interactions/revoked-store";
import { type InteractionView, interactionRow } from "../../interactions/views";

const column = (name: string): Statement => ({ text: name, params: [] });

/** A turn of one user's stream. */
export type TurnPlace = readonly [userId: string, interactionId: number];

/**
 * Turns by user and id, oldest first, as many as one answer may hold. One that is gone, another user's, revoked, or
 * of a user who is being erased is left out.
 */
export const loadProvenTurns = (
  db: Database,
  orgId: string,
  places: readonly TurnPlace[],
): Promise<InteractionView[]> =>
  places.length === 0
    ? Promise.resolve([])
    : db.all(
        interactionRow,
        sql`SELECT interaction_id, user_id, request_id, created_at, role, content, details FROM (
              SELECT i.interaction_id, i.user_id, i.request_id, i.created_at, i.role, i.content, i.details,
                sum(octet_length(i.content) + octet_length(i.details)) OVER (ORDER BY i.interaction_id) AS bytes
              FROM json_each(${JSON.stringify(places)}) AS place CROSS JOIN interactions i ON i.org_id = ${orgId}
                AND i.user_id = place.value->>0 AND i.interaction_id = place.value->>1
              WHERE ${mayLearnFrom(orgId, column("i.user_id"), column("i.interaction_id"))})
            WHERE bytes <= ${MAX_ANSWER_BYTES} ORDER BY created_at, interaction_id`,
      );

/** A rule that names no turns, and what else is known of where it came from. */
export interface Untraced {
  userPlaybookId: number;
  userId: string | null;
  windowId: string | null;
  requestId: string;
}

const placeRow = z
  .object({
    user_playbook_id: z.int(),
    via: z.enum(["window", "request"]),
    user_id: z.string(),
    interaction_id: z.int(),
  })
  .transform((row) => ({
    userPlaybookId: row.user_playbook_id,
    via: row.via,
    place: [row.user_id, row.interaction_id] as const,
  }));

/** The turns of the window or the publish call that a rule came from, where they were its user's. */
export const loadLikelyPlaces = (db: Database, orgId: string, rules: readonly Untraced[], limit: number) =>
  rules.length === 0
    ? Promise.resolve([])
    : db.all(
        placeRow,
        sql`SELECT rule.value->>'userPlaybookId' AS user_playbook_id, 'window' AS via, w.user_id,
              turn.value AS interaction_id
            FROM json_each(${JSON.stringify(rules)}) AS rule CROSS JOIN windows w ON w.org_id = ${orgId}
              AND w.window_id = rule.value->>'windowId' CROSS JOIN json_each(w.manifest) AS turn
            WHERE w.state = 'applied' AND w.user_id = rule.value->>'userId'
            UNION ALL SELECT rule.value->>'userPlaybookId', 'request', i.user_id, i.interaction_id
            FROM json_each(${JSON.stringify(rules)}) AS rule CROSS JOIN requests r INDEXED BY requests_by_id
              ON r.org_id = ${orgId} AND r.request_id = rule.value->>'requestId'
            CROSS JOIN interactions i ON i.org_id = r.org_id AND i.user_id = r.user_id
              AND i.interaction_id BETWEEN r.min_seq AND r.max_seq
            WHERE r.user_id = coalesce(rule.value->>'userId', r.user_id) LIMIT ${limit}`,
      );
