/** Every duration of a document (S451, S452), and how long a gate may stand (S444). */
import type { JsonObject } from "../model";
import { LIMITS } from "../spec";
import { formatDuration, parseDuration, SECOND_MS } from "../text/duration";
import { childPointer } from "../text/pointer";
import type { Pass } from "./index";
import type { Report } from "./report";
import { isObject } from "./view";
import { shown } from "./words";

const MEMBERS = {
  agent: ["timeout"],
  tool: ["timeout"],
  decision: [],
  wait: ["duration", "timeout"],
  map: [],
  approval: ["timeout"],
  terminator: [],
} as const;

export const checkDurations: Pass = ({ steps, tools }, report) => {
  for (const { tool, pointer } of tools) readAt(tool, "timeout", pointer, report);
  for (const { kind, step, pointer } of steps) {
    if (kind === null) continue;
    for (const member of MEMBERS[kind]) {
      const ms = readAt(step, member, pointer, report);
      if (kind === "approval" && ms !== null)
        checkGate(ms, childPointer(pointer, member), step.timeout, report);
    }
    if ((kind === "agent" || kind === "tool") && isObject(step.retry)) {
      for (const member of ["delay", "maxDelay"]) readAt(step.retry, member, `${pointer}/retry`, report);
    }
  }
};

/** @returns milliseconds, or null when there is nothing to read */
function readAt(object: JsonObject, member: string, pointer: string, report: Report): number | null {
  const text = object[member];
  if (typeof text !== "string") return null;
  const reading = parseDuration(text);
  if (reading.ok) return reading.ms;
  const { kind, message, hint } = reading.fault;
  report(kind === "malformed" ? "S451" : "S452", childPointer(pointer, member), message, { hint });
  return null;
}

function checkGate(ms: number, path: string, text: JsonObject[string] | undefined, report: Report): void {
  const [leastMs, mostMs] = [
    LIMITS.gateTimeoutMinSeconds * SECOND_MS,
    LIMITS.gateTimeoutMaxSeconds * SECOND_MS,
  ];
  if (ms >= leastMs && ms <= mostMs) return;
  report("S444", path, `A gate cannot stand for ${shown(text)}.`, {
    hint: `${formatDuration(leastMs)} to ${formatDuration(mostMs)}`,
  });
}
