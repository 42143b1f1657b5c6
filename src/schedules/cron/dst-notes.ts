/** What changes of the clocks do to a pattern in the two years to come, for whoever writes it. */
import { nextLocalTime } from "./calendar";
import type { Cron } from "./parse";
import { firstChange, offsetMs } from "./zone";

const DAY_MS = 86_400_000;
const AHEAD_MS = 731 * DAY_MS;
/** No zone of this century changes its clocks and back within it. */
const STEP_MS = 6 * DAY_MS;

/** A fixed local time that one change of the clocks leaves out or repeats. */
export interface DstNote {
  kind: "skipped" | "repeated";
  /** `2026-03-29T01:30`: the first such time of that change. */
  localTime: string;
  /** The change of the clocks, in milliseconds since 1970: the firing, if the time is skipped. */
  changeMs: number;
}

/**
 * One note for each change of the clocks, from an instant on, that meets the pattern. None for patterns that follow
 * elapsed time.
 * @throws RangeError when there is no such zone
 */
export function dstNotes(cron: Cron, zone: string, fromMs: number): DstNote[] {
  if (cron.followsElapsedTime) return [];
  return changesSince(zone, new Date(fromMs).getUTCFullYear())
    .filter(({ atMs }) => atMs > fromMs && atMs <= fromMs + AHEAD_MS)
    .flatMap(({ atMs, localBefore, localAfter }) => {
      const local = nextLocalTime(cron, Math.min(localBefore, localAfter));
      if (local === null || local >= Math.max(localBefore, localAfter)) return [];
      const kind = localBefore < localAfter ? "skipped" : "repeated";
      return [{ kind, localTime: new Date(local).toISOString().slice(0, 16), changeMs: atMs }];
    });
}

interface Change {
  atMs: number;
  /** What the clocks would show at that instant if they were not changed, and what they do show. */
  localBefore: number;
  localAfter: number;
}

/** Finding the changes of some years takes a thousand times as long as using them. */
const changesByZoneAndYear = new Map<string, readonly Change[]>();
const MAX_REMEMBERED = 1000;

/** The changes of a zone's clocks in a year and the three after it. */
function changesSince(zone: string, year: number): readonly Change[] {
  const key = `${zone.toLowerCase()} ${year}`;
  const known = changesByZoneAndYear.get(key);
  if (known) return known;
  const changes: Change[] = [];
  const endMs = Date.UTC(year + 4, 0, 1);
  let atMs = firstChange(zone, Date.UTC(year, 0, 1), endMs, STEP_MS);
  while (atMs !== null) {
    const localBefore = atMs + offsetMs(zone, atMs - 1);
    changes.push({ atMs, localBefore, localAfter: atMs + offsetMs(zone, atMs) });
    atMs = firstChange(zone, atMs, endMs, STEP_MS);
  }
  if (changesByZoneAndYear.size >= MAX_REMEMBERED) changesByZoneAndYear.clear();
  changesByZoneAndYear.set(key, changes);
  return changes;
}
