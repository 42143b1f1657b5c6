/** The spending cap: every model call is counted, and an org that has spent its day is refused. */
import type { Database } from "../db/client";
import type { Clock } from "../platform/clock";
import type { Log } from "../platform/log";
import { type Reasoner, ReasonerError, spentBy } from "../platform/reasoner";
import { addUsage, tokensOfDay, type Usage } from "./store";

/** The UTC day an instant falls on, `YYYY-MM-DD`. */
export const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);

/** Milliseconds until the next UTC day begins. */
export const untilNextDayMs = (nowMs: number): number => 86_400_000 - (nowMs % 86_400_000);

export interface MeterContext {
  db: Database;
  orgId: string;
  clock: Clock;
  log: Log;
  dailyTokenCap: number;
  /** Adapters that cost no tokens are not counted. */
  isFree: boolean;
}

type Spent = Pick<Usage, "provider" | "model" | "inputTokens" | "outputTokens">;

/** An answer that was paid for is never lost over its bill: a failed count is logged. */
async function count(
  context: MeterContext,
  task: string,
  { provider, model, inputTokens, outputTokens }: Spent,
) {
  const day = dayOf(context.clock.nowMs());
  const usage = { orgId: context.orgId, day, task, provider, model, inputTokens, outputTokens };
  try {
    await context.db.run(addUsage(usage));
  } catch {
    context.log.error("usage.not_counted", usage);
  }
}

/**
 * A reasoner that counts what it spends, failed answers included.
 * @throws ReasonerError `refused` with code `daily_cap` once the org's tokens of the day are spent
 */
export function metered(reasoner: Reasoner, context: MeterContext): Reasoner {
  if (context.isFree) return reasoner;
  return {
    async run(task, input, signal) {
      const nowMs = context.clock.nowMs();
      if ((await tokensOfDay(context.db, context.orgId, dayOf(nowMs))) >= context.dailyTokenCap) {
        throw new ReasonerError(
          "refused",
          "daily_cap",
          "The org has spent its model tokens of this UTC day; raise DAILY_TOKEN_CAP or wait for the next day.",
          untilNextDayMs(nowMs),
        );
      }
      try {
        const answer = await reasoner.run(task, input, signal);
        await count(context, task, answer);
        return answer;
      } catch (error) {
        const spent = spentBy(error);
        if (spent !== null) await count(context, task, spent);
        throw error;
      }
    },
  };
}
