/** How much a document may hold (L803 to L807); its size and depth were looked at when it was read. */
import type { Json } from "../model";
import { type FindingCode, LIMITS } from "../spec";
import { pointerOf } from "../text/pointer";
import type { Pass } from "./index";
import { utf8Length } from "./read";
import type { Report } from "./report";
import { asList } from "./view";

export const checkLimits: Pass = (view, report) => {
  const { playbook, steps } = view;
  // An item step that is written inside its map is a step, too.
  const inline = steps.filter(({ map }) => map !== null).length;
  const count = asList(playbook.steps).length + inline;
  tooMany("L803", "/playbook/steps", count, LIMITS.steps, "steps", report);
  tooMany(
    "L806",
    "/playbook/triggers",
    asList(playbook.triggers).length,
    LIMITS.triggers,
    "triggers",
    report,
  );
  tooMany("L807", "/playbook/tools", asList(playbook.tools).length, LIMITS.tools, "tools", report);
  for (const { kind, step, pointer } of steps) {
    if (kind !== "decision") continue;
    const branches = asList(step.branches).length;
    tooMany("L804", `${pointer}/branches`, branches, LIMITS.branches, "branches", report);
  }
  checkTexts(view.document, [], report);
};

function tooMany(
  code: FindingCode,
  path: string,
  count: number,
  most: number,
  what: string,
  report: Report,
): void {
  if (count > most) report(code, path, `There are ${count} ${what}.`, { hint: `at most ${most}` });
}

/** `path` leads to the value and is back as it was on return. */
function checkTexts(value: Json, path: (string | number)[], report: Report): void {
  if (typeof value === "string") checkText(value, path, report);
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    path.push(name);
    if (typeof name === "string") checkText(name, path, report);
    checkTexts(member, path, report);
    path.pop();
  }
}

/** A UTF-16 code unit is at most three bytes, so that most texts need not be counted. */
function checkText(text: string, path: readonly (string | number)[], report: Report): void {
  if (text.length * 3 <= LIMITS.stringBytes || utf8Length(text) <= LIMITS.stringBytes) return;
  report("L805", pointerOf(path), "This text is too long.", {
    hint: `at most ${LIMITS.stringBytes} bytes of UTF-8`,
  });
}
