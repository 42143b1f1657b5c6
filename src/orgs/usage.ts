/** The spending cap: every model call is counted, and an org that has spent its day is refused. */
import type { Database } from "../db/client";
import type { WorkMessage } from "../db/outbox";
import type { Clock } from "../platform/clock";
import type { Log } from "../platform/log";
import { type Reasoner, ReasonerError, spentBy } from "../platform/reasoner";
import { addUsage, tokensOfDay, type Usage } from "./store";
import { announce } from "./webhooks/announce";

/** The UTC day an instant falls on, `YYYY-MM-DD`. */
export const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);

/** Milliseconds until the next UTC day begins. */
export const untilNextDayMs = (nowMs: number): number => 86_400_000 - (nowMs % 86_400_000);

export interface MeterContext {
  db: Database;
  orgId: string;
  clock: Clock;
  log: Log;
  /** Sends work messages now. */
  send(messages: readonly WorkMessage[]): Promise<void>;
  dailyTokenCap: number;
  /** Adapters that cost no tokens are not counted. */
  isFree: boolean;
}

type Spent = Pick<Usage, "provider" | "model" | "inputTokens" | "outputTokens">;

/** What an org had spent of a day when it was looked at. */
interface Day {
  day: string;
  tokens: number;
}

const reached = ({ orgId, clock, dailyTokenCap }: MeterContext, { day, tokens }: Day) =>
  announce(
    orgId,
    { type: "budget.reached", key: [day], data: { day, tokens, cap: dailyTokenCap } },
    clock.nowMs(),
  );

/**
 * An answer that was paid for is never lost over its bill: a failed count is logged. The count that reaches the
 * cap says so; where calls at once reach it together, the next refusal does.
 */
async function count(
  context: MeterContext,
  task: string,
  { provider, model, inputTokens, outputTokens }: Spent,
  before: Day,
) {
  const day = dayOf(context.clock.nowMs());
  const usage = { orgId: context.orgId, day, task, provider, model, inputTokens, outputTokens };
  const tokens = (day === before.day ? before.tokens : 0) + inputTokens + outputTokens;
  try {
    if (tokens < context.dailyTokenCap) {
      await context.db.run(addUsage(usage));
      return;
    }
    const told = await reached(context, { day, tokens });
    await context.db.batch([addUsage(usage), ...told.statements]);
    await context.send([told.message]).catch(() => context.log.warn("usage.send_failed"));
  } catch {
    context.log.error("usage.not_counted", usage);
  }
}

/** A refusal is never another fault because it could not be announced: the next one announces it again. */
async function announceRefusal(context: MeterContext, spent: Day): Promise<void> {
  try {
    const told = await reached(context, spent);
    const [written] = await context.db.batch(told.statements);
    if (written?.changes === 1) await context.send([told.message]);
  } catch {
    context.log.warn("usage.not_announced", { orgId: context.orgId });
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
      const day = dayOf(nowMs);
      const before: Day = { day, tokens: await tokensOfDay(context.db, context.orgId, day) };
      if (before.tokens >= context.dailyTokenCap) {
        await announceRefusal(context, before);
        throw new ReasonerError(
          "refused",
          "daily_cap",
          "The org has spent its model tokens of this UTC day; raise DAILY_TOKEN_CAP or wait for the next day.",
          untilNextDayMs(nowMs),
        );
      }
      try {
        const answer = await reasoner.run(task, input, signal);
        await count(context, task, answer, before);
        return answer;
      } catch (error) {
        const spent = spentBy(error);
        if (spent !== null) await count(context, task, spent, before);
        throw error;
      }
    },
  };
}
