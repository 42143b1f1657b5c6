/** SQL of how much was published, by day. */
import { firstIdSince } from "../db/first-since";
import { type Statement, sql } from "../db/sql";

/** Turns of each UTC day from `fromDay` on, days counted since the epoch: of requests that are still there, as published. */
export const turnsByDay = (orgId: string, fromDay: number): Statement => {
  const sinceSec = fromDay * 86_400;
  return sql`SELECT created_at / 86400 AS day, sum(max_seq - min_seq + 1) AS count FROM requests
      WHERE org_id = ${orgId} AND max_seq >= ${firstIdSince("requests", orgId, sinceSec)}
        AND created_at >= ${sinceSec} GROUP BY day`;
};
