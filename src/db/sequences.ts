/** Public integer ids: per org and name, reserved in blocks so that a batch knows its own ids. */
import * as z from "zod";
import type { Database } from "./client";
import { type Statement, sql } from "./sql";

export type SequenceName = "interaction" | "user_playbook" | "agent_playbook";

/** Advances a sequence inside a batch; the block ends just below the new `next`. */
export const advanceSequence = (orgId: string, name: SequenceName, count: number): Statement =>
  sql`INSERT INTO sequences (org_id, name, next) VALUES (${orgId}, ${name}, ${count + 1})
      ON CONFLICT (org_id, name) DO UPDATE SET next = next + ${count} RETURNING next - ${count} AS first`;

/** @returns the first of `count` consecutive ids; a block that is never used leaves a gap. */
export async function reserveIds(
  db: Database,
  orgId: string,
  name: SequenceName,
  count: number,
): Promise<number> {
  const row = await db.first(z.object({ first: z.int() }), advanceSequence(orgId, name, count));
  if (row === null) throw new Error(`sequence ${name} gave no block`);
  return row.first;
}
