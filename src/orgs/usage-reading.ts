/** An org's usage over the last days, as the page and the API tell it. */
import type { RequestScope } from "../http/route";
import { tokensOfDay } from "./store";
import { dayOf, untilNextDayMs } from "./usage";
import { lastDays, reportOf, type UsageReport } from "./usage-report";
import { type Counter, loadUsage } from "./usage-store";

export interface UsageReading extends UsageReport {
  counters: Counter[];
  today: {
    day: string;
    tokens: number;
    /** Tokens an org may spend a day. */
    cap: number;
    /** When the next UTC day begins, seconds. */
    resetsAt: number;
  };
}

/** @param dayCount how many days, the present one included */
export async function readUsage(
  { db, orgId, services }: Pick<RequestScope, "db" | "orgId" | "services">,
  dayCount: number,
): Promise<UsageReading> {
  const nowMs = services.clock.nowMs();
  const period = lastDays(nowMs, dayCount);
  const day = dayOf(nowMs);
  const [{ rows, counters }, tokens] = await Promise.all([
    loadUsage(db, orgId, period[0] ?? day, day),
    tokensOfDay(db, orgId, day),
  ]);
  const { MODEL_PRICES: prices, DAILY_TOKEN_CAP: cap } = services.settings;
  return {
    ...reportOf(rows, period, prices),
    counters,
    today: { day, tokens, cap, resetsAt: Math.round((nowMs + untilNextDayMs(nowMs)) / 1000) },
  };
}
