/** SQL of what a stored rule is judged by: the window it was learned from, and the turns that must still be there. */
import * as z from "zod";
import type { Database } from "../../db/client";
import { guard, inList, type Statement, sql } from "../../db/sql";
import { mayLearnFrom } from "../../interactions/revoked-store";

/** The turns of a window that was learned from to its end; null for another user's, or one that never was. */
export async function finalizedManifest(
  db: Database,
  { orgId, userId, windowId }: { orgId: string; userId: string; windowId: string },
): Promise<number[] | null> {
  const row = await db.first(
    z.object({ manifest: z.string() }),
    sql`SELECT manifest FROM windows WHERE org_id = ${orgId} AND window_id = ${windowId}
          AND user_id = ${userId} AND state = 'applied'`,
  );
  return row === null ? null : z.array(z.int()).parse(JSON.parse(row.manifest));
}

/** Guard `sources`: the turns that a new wording rests on (distinct ids) are there, and none is revoked. */
export const turnsGuard = (orgId: string, userId: string, interactionIds: readonly number[]): Statement =>
  guard(
    "sources",
    sql`SELECT count(*) = ${interactionIds.length} FROM interactions WHERE org_id = ${orgId}
        AND user_id = ${userId} AND ${inList("interaction_id", interactionIds)}
        AND ${mayLearnFrom(orgId, userId, { text: "interaction_id", params: [] })}`,
  );
