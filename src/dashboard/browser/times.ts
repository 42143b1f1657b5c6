/** Instants in words near to the reader: "3 minutes ago"; the exact one stays in the title. */
const STEPS: readonly [limitSec: number, unit: Intl.RelativeTimeFormatUnit, unitSec: number][] = [
  [60, "second", 1],
  [3_600, "minute", 60],
  [86_400, "hour", 3_600],
  [14 * 86_400, "day", 86_400],
];

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

function wordsOf(then: Date, nowMs: number): string {
  const seconds = Math.round((then.getTime() - nowMs) / 1000);
  const step = STEPS.find(([limitSec]) => Math.abs(seconds) < limitSec);
  return step === undefined ? absolute.format(then) : relative.format(Math.round(seconds / step[2]), step[1]);
}

export function wordTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll("time")) {
    const then = new Date(element.dateTime);
    if (!Number.isNaN(then.getTime())) element.textContent = wordsOf(then, Date.now());
  }
}
