/** The spending cap: every model call is counted, and an org that has spent its day is refused. */
import type { Database } from "../db/client";
import type { Clock } from "../platform/clock";
import { type Reasoner, ReasonerError } from "../platform/reasoner/port";
import { addUsage, tokensOfDay } from "./store";

/** The UTC day an instant falls on, `YYYY-MM-DD`. */
export const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);

/** Milliseconds until the next UTC day begins. */
export const untilNextDayMs = (nowMs: number): number => 86_400_000 - (nowMs % 86_400_000);

/**
 * A reasoner that counts what it spends. Answers that cost no tokens are not counted.
 * @throws ReasonerError `refused` with code `daily_cap` once the org's tokens of the day are spent
 */
export function metered(
  reasoner: Reasoner,
  context: { db: Database; orgId: string; clock: Clock; dailyTokenCap: number; isFree: boolean },
): Reasoner {
  if (context.isFree) return reasoner;
  return {
    async run(task, input, signal) {
      const day = dayOf(context.clock.nowMs());
      if ((await tokensOfDay(context.db, context.orgId, day)) >= context.dailyTokenCap) {
        throw new ReasonerError(
          "refused",
          "daily_cap",
          "The org has spent its model tokens of this UTC day; raise DAILY_TOKEN_CAP or wait for the next day.",
          untilNextDayMs(context.clock.nowMs()),
        );
      }
      const answer = await reasoner.run(task, input, signal);
      const { provider, model, inputTokens, outputTokens } = answer;
      await context.db.run(
        addUsage({ orgId: context.orgId, day, task, provider, model, inputTokens, outputTokens }),
      );
      return answer;
    },
  };
}
