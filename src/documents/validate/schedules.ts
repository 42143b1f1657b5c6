/** Schedule triggers: the pattern, its zone, how often, and what changes of the clocks do to it (T311 to T315). */

import { neverFires, smallestGapMs } from "../../schedules/cron/calendar";
import { dstNotes } from "../../schedules/cron/dst-notes";
import { type Cron, parseCron } from "../../schedules/cron/parse";
import { isTimeZone } from "../../schedules/cron/zone";
import { DEFAULTS, LIMITS } from "../spec";
import { SECOND_MS } from "../text/duration";
import { suggest } from "../text/suggest";
import type { Pass, ValidateOptions } from "./index";
import type { Report } from "./report";
import { asText, type TriggerView } from "./view";
import { shown } from "./words";

/** Changes of the clocks are looked for from here when nobody says when now is: rules change seldom. */
const REFERENCE_MS = Date.UTC(2026, 0, 1);

export const checkSchedules: Pass = ({ triggers }, report, options) => {
  for (const view of triggers) if (view.kind === "schedule") checkSchedule(view, report, options);
};

function checkSchedule({ trigger, pointer }: TriggerView, report: Report, options: ValidateOptions): void {
  const zone = trigger.timezone === undefined ? DEFAULTS.timezone : asText(trigger.timezone);
  const isZone = zone !== null && isTimeZone(zone);
  if (zone !== null && !isZone) reportZone(zone, `${pointer}/timezone`, report);
  const text = asText(trigger.cron);
  if (text === null) return;
  const path = `${pointer}/cron`;
  const reading = parseCron(text);
  if (!reading.ok) {
    report("T311", path, reading.fault.message, { hint: reading.fault.hint });
    return;
  }
  if (neverFires(reading.cron)) {
    report("T312", path, `${shown(text)} never fires: there is no such day.`, { hint: "a day that exists" });
    return;
  }
  checkGap(reading.cron, path, report, options);
  if (isZone) reportChanges(reading.cron, zone, path, report, options);
}

function reportZone(zone: string, path: string, report: Report): void {
  const near = suggest(zone, Intl.supportedValuesOf("timeZone"));
  report("T313", path, `There is no time zone ${shown(zone)}.`, {
    hint: near === null ? 'a name such as "Europe/London"' : `did you mean "${near}"?`,
  });
}

function checkGap(cron: Cron, path: string, report: Report, options: ValidateOptions): void {
  const floorSeconds = Math.max(LIMITS.cronMinGapSeconds, options.cronMinGapSeconds ?? 0);
  const gapSeconds = smallestGapMs(cron) / SECOND_MS;
  if (gapSeconds >= floorSeconds) return;
  report("T314", path, `It fires again after ${gapSeconds} s.`, {
    hint: `at least ${floorSeconds} s in between`,
  });
}

function reportChanges(
  cron: Cron,
  zone: string,
  path: string,
  report: Report,
  options: ValidateOptions,
): void {
  const [first] = dstNotes(cron, zone, options.nowMs ?? REFERENCE_MS);
  if (!first) return;
  const when = `${first.localTime.replace("T", " ")} in ${zone}`;
  const message =
    first.kind === "skipped"
      ? `${when} does not exist: the clocks go forward, and it fires as they do.`
      : `${when} comes twice: the clocks go back, and it fires the first time only.`;
  report("T315", path, message, { hint: "a time of the day at which clocks are not changed" });
}
