/** The minute's look for stalled learning: turns that wait and of which nothing comes. */
import type { Statement } from "../db/sql";
import { tokensOfDay } from "../orgs/store";
import { dayOf } from "../orgs/usage";
import { announce } from "../orgs/webhooks/announce";
import type { Services } from "../services";
import { findStalls, type Stall } from "./stall-store";

/** Waiting or failing for so long is a stall; a hiccup of a model is over sooner. */
const STALLED_MS = 15 * 60_000;
/** Due rows looked at in a minute. */
const LOOKED_AT = 500;
/** Orgs told in one batch of two statements each. */
const PAGE = 50;

type StallServices = Pick<Services, "database" | "clock" | "settings" | "send">;

/** The UTC hour an instant falls in, such as `2030-01-01T12`. */
const hourOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 13);

/**
 * Since when the org has really stalled: after a day that ended over its budget, the wait begins at midnight.
 * @returns null where it has not stalled
 */
async function stalledSince(
  { database, settings }: StallServices,
  { orgId, sinceMs }: Stall,
  nowMs: number,
): Promise<number | null> {
  const midnightMs = nowMs - (nowMs % 86_400_000);
  if (sinceMs >= midnightMs) return sinceMs;
  const spent = await tokensOfDay(database(orgId), orgId, dayOf(midnightMs - 1));
  if (spent < settings.DAILY_TOKEN_CAP) return sinceMs;
  return nowMs - midnightMs < STALLED_MS ? null : midnightMs;
}

/** Tells every org whose learning has stalled so, once an hour while it lasts. */
export async function announceStalls(services: StallServices): Promise<void> {
  const nowMs = services.clock.nowMs();
  const db = services.database("");
  const stalls = await findStalls(db, nowMs, nowMs - STALLED_MS, LOOKED_AT);
  for (let first = 0; first < stalls.length; first += PAGE) {
    const statements: Statement[] = [];
    const messages = [];
    for (const stall of stalls.slice(first, first + PAGE)) {
      const sinceMs = await stalledSince(services, stall, nowMs);
      if (sinceMs === null) continue;
      const { orgId, streams, lastError } = stall;
      const data = {
        streams,
        oldest_seconds: Math.floor((nowMs - sinceMs) / 1000),
        last_error: lastError,
      };
      const told = await announce(orgId, { type: "learning.stalled", key: [hourOf(nowMs)], data }, nowMs);
      statements.push(...told.statements);
      messages.push(told.message);
    }
    if (statements.length === 0) continue;
    const results = await db.batch(statements);
    // Who was told this hour already has no new row: nothing is sent for them.
    await services.send(messages.filter((_, position) => (results[2 * position + 1]?.changes ?? 0) > 0));
  }
}
