/** Where an instant lies in rows whose ids grow with their time: a binary search in seeks, for tables without an index of times. */
import { type Statement, sql } from "./sql";

const raw = (text: string): Statement => ({ text, params: [] });

/** Tables whose ids are given in order of `created_at`. */
const IDS = { requests: "max_seq", user_playbooks: "user_playbook_id" } as const;

/**
 * Scalar: the least id of the org from which on rows are no older than `sinceSec`; one behind the last where all are.
 * About two seeks for each doubling of the ids.
 */
export const firstIdSince = (table: keyof typeof IDS, orgId: string, sinceSec: number): Statement => {
  const [rows, id] = [raw(table), raw(IDS[table])];
  const isOlder = sql`coalesce((SELECT created_at < ${sinceSec} FROM ${rows} WHERE org_id = ${orgId}
      AND ${id} >= (low + high) / 2 ORDER BY ${id} LIMIT 1), 0)`;
  return sql`(WITH RECURSIVE cut (low, high) AS (
      SELECT 0, coalesce((SELECT max(${id}) FROM ${rows} WHERE org_id = ${orgId}), 0) + 1
      UNION ALL SELECT iif(${isOlder}, (low + high) / 2 + 1, low), iif(${isOlder}, high, (low + high) / 2)
        FROM cut WHERE low < high)
    SELECT low FROM cut WHERE low >= high)`;
};
