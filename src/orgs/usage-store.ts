/** SQL of what an org has spent and counted, over days. */
import * as z from "zod";
import type { Database } from "../db/client";
import { sql } from "../db/sql";

/** Rows of one reading: 90 days of every task under some models. */
const MAX_USAGE_ROWS = 20_000;
const MAX_COUNTERS = 200;

/** Calls and tokens of one day, task and model. */
export interface UsageRow {
  /** UTC, `YYYY-MM-DD`. */
  day: string;
  task: string;
  provider: string;
  model: string;
  calls: number;
  inputTokens: number;
  outputTokens: number;
}

/** How often something named happened, such as `dropped:missing_evidence`. */
export interface Counter {
  name: string;
  count: number;
}

const usageRow = z
  .object({
    day: z.string(),
    task: z.string(),
    provider: z.string(),
    model: z.string(),
    calls: z.int(),
    input_tokens: z.int(),
    output_tokens: z.int(),
  })
  .transform(
    ({ input_tokens: inputTokens, output_tokens: outputTokens, ...row }): UsageRow => ({
      ...row,
      inputTokens,
      outputTokens,
    }),
  );

/** Rows from `fromDay` to `toDay`, in order of days; counters summed over them, the most frequent first. */
export async function loadUsage(
  db: Database,
  orgId: string,
  fromDay: string,
  toDay: string,
): Promise<{ rows: UsageRow[]; counters: Counter[] }> {
  const [rows, counters] = await db.batch([
    sql`SELECT day, task, provider, model, calls, input_tokens, output_tokens FROM usage_days
        WHERE org_id = ${orgId} AND day BETWEEN ${fromDay} AND ${toDay}
        ORDER BY day, task, provider, model LIMIT ${MAX_USAGE_ROWS}`,
    sql`SELECT name, sum(count) AS count FROM counters WHERE org_id = ${orgId}
          AND day BETWEEN ${fromDay} AND ${toDay}
        GROUP BY name ORDER BY count DESC, name LIMIT ${MAX_COUNTERS}`,
  ]);
  return {
    rows: z.array(usageRow).parse(rows?.rows ?? []),
    counters: z.array(z.object({ name: z.string(), count: z.int() })).parse(counters?.rows ?? []),
  };
}
