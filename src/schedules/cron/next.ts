/**
 * When a pattern fires next in a time zone, through changes of the clocks: a fixed local time that is skipped fires
 * once at the jump, one that comes twice fires the first time; patterns that run on follow the clock's hand.
 */
import { nextLocalTime } from "./calendar";
import type { Cron } from "./parse";
import { firstChange, instantsOf, offsetMs } from "./zone";

const MINUTE_MS = 60_000;
/** Longer than any change of the clocks, so that beyond it from a local time no clock shows that time. */
const NEAR_MS = 2 * 86_400_000;
/** The calendar that is counted here ends with the year 2999, and `Intl` counts years before the first one another way. */
const FIRST_MS = Date.UTC(1000, 0, 1);
const LAST_MS = Date.UTC(2999, 11, 28);

/**
 * The first firing strictly after an instant, in milliseconds since 1970.
 * @returns null when there is none before the year 3000, or the instant is not in the years 1000 to 2999
 * @throws RangeError when there is no such zone (`isTimeZone`)
 */
export function nextFiring(cron: Cron, zone: string, afterMs: number): number | null {
  // Also false for NaN.
  if (!(afterMs >= FIRST_MS && afterMs <= LAST_MS)) return null;
  const next = cron.followsElapsedTime ? nextShown(cron, zone, afterMs) : nextFixed(cron, zone, afterMs);
  if (next !== null && next <= afterMs) throw new RangeError(`"${cron.text}" would fire again at ${next}.`);
  return next;
}

/**
 * The next instant at which the clock shows a time of the pattern. Between two changes of the clocks, local times and
 * instants differ by a constant, so each stretch is searched on its own; far from the pattern's days none is looked at.
 */
function nextShown(cron: Cron, zone: string, afterMs: number): number | null {
  // Seconds and parts of them never make a minute fire again.
  let fromMs = Math.floor(afterMs) + 1;
  for (;;) {
    const offset = offsetMs(zone, fromMs);
    const local = nextLocalTime(cron, fromMs + offset);
    if (local === null) return null;
    const candidateMs = local - offset;
    const change = firstChange(zone, fromMs, Math.min(candidateMs, fromMs + NEAR_MS));
    if (change !== null) fromMs = change;
    else if (candidateMs <= fromMs + NEAR_MS) return candidateMs;
    else fromMs = Math.max(fromMs + NEAR_MS, candidateMs - NEAR_MS);
  }
}

/** Local times in their order are firings in their order, so the first one that is late enough is the next. */
function nextFixed(cron: Cron, zone: string, afterMs: number): number | null {
  let local = nextLocalTime(cron, Math.floor(afterMs + offsetMs(zone, afterMs)));
  while (local !== null) {
    const time = instantsOf(zone, local);
    const firingMs = time.kind === "skipped" ? time.jumpMs : time.atMs;
    if (firingMs > afterMs) return firingMs;
    local = nextLocalTime(cron, local + MINUTE_MS);
  }
  return null;
}
