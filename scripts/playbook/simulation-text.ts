/** What a simulation shows: the trace with virtual times, gates, cost and outcome. Pure. */

import { entryOf, type ObservedRun } from "../../src/documents/host/observe";
import type { SimulationResult } from "../../src/documents/host/simulate";
import type { JsonObject } from "../../src/documents/model";
import { MICRO_CENTS_PER_CENT } from "../../src/documents/spec";
import { formatDuration, SECOND_MS } from "../../src/documents/text/duration";
import { formatInstant } from "../../src/documents/text/instant";
import { onTerminal } from "./findings-text";

/** `+1h200ms`: how long after the start. */
export function offsetText(ms: number): string {
  const restMs = ms % SECOND_MS;
  const whole = ms - restMs;
  if (whole === 0) return restMs === 0 ? "+0s" : `+${restMs}ms`;
  return `+${formatDuration(whole)}${restMs === 0 ? "" : `${restMs}ms`}`;
}

/** Cents with as many places as micro-cents need. */
const centsText = (microCents: number): string => {
  const [whole = "0", fraction = ""] = (microCents / MICRO_CENTS_PER_CENT).toFixed(6).split(".");
  const places = fraction.replace(/0+$/, "");
  return places === "" ? whole : `${whole}.${places}`;
};

/** Ids and hashes are for programs, and the step stands beside them. */
const UNSAID = /Id$|Hash$|^sha256$|^step$/;

/** What a record's data says to a person, in one line: `decision approve, by op-1`. */
const dataText = (data: JsonObject = {}): string =>
  Object.entries(data)
    .filter(([name]) => !UNSAID.test(name))
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");

/** Columns: when, what happened to what, and what is known of it. */
function traceLines({ records }: ObservedRun, startMs: number): string[] {
  const rows = records.map((record) => [
    offsetText(record.atMs - startMs),
    onTerminal(entryOf(record)),
    onTerminal(dataText(record.data)),
  ]);
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const [whenWidth, entryWidth] = [widthOf(0), widthOf(1)];
  return rows.map(([when = "", entry = "", data = ""]) =>
    `  ${when.padStart(whenWidth)}  ${entry.padEnd(entryWidth)}  ${data}`.trimEnd(),
  );
}

/** What became of each gate that opened. */
function gateLines({ view, records }: ObservedRun, startMs: number): string[] {
  return view.gates.map(({ gateId, gate, deadlineMs, open }) => {
    const end = records.findLast(
      ({ type, data }) => data?.gateId === gateId && /^gate\.(decided|expired|cancelled)$/.test(type),
    );
    const decision = end?.type === "gate.decided" ? end.data?.decision : undefined;
    const how = typeof decision === "string" ? decision : (end?.type.slice("gate.".length) ?? "");
    const now = open || end === undefined ? "open" : `${how} at ${offsetText(end.atMs - startMs)}`;
    return `  ${onTerminal(gate)}: ${now}, deadline ${offsetText(deadlineMs - startMs)}`;
  });
}

function runLines(run: ObservedRun, startMs: number): string[] {
  const { document, view, runId, parentRunId } = run;
  const { playbook } = document;
  const { maxLlmCostCents, maxRunDurationSeconds } = playbook.guardrails;
  const gates = gateLines(run, startMs);
  const { outcome } = view;
  return [
    `run ${runId} of ${onTerminal(playbook.manifest.slug)} ${onTerminal(playbook.version)}${parentRunId === null ? "" : `, for an item of ${parentRunId}`}`,
    ...traceLines(run, startMs),
    ...(gates.length === 0 ? [] : ["gates", ...gates]),
    `cost     ${centsText(view.spentMicroCents)} of ${maxLlmCostCents} cents`,
    `active   ${view.activeMs / SECOND_MS} of ${maxRunDurationSeconds} s`,
    outcome === null
      ? `status   ${view.status}${view.currentSteps.length === 0 ? "" : `, at ${onTerminal(view.currentSteps.join(", "))}`}`
      : `outcome  ${outcome.status}, ${outcome.reasonCode}: ${onTerminal(outcome.reason)}`,
    ...(outcome === null || outcome.output === null
      ? []
      : [`output   ${onTerminal(JSON.stringify(outcome.output))}`]),
    "",
  ];
}

/** The whole as people read it. */
export function simulationLines(result: SimulationResult, startMs: number): string[] {
  const { runs, refusal, unscripted, scriptFaults } = result;
  return [
    `start    ${formatInstant(startMs)}`,
    "",
    ...runs.flatMap((run) => runLines(run, startMs)),
    ...(refusal === null
      ? []
      : [`The start was refused: ${refusal.status}${refusal.code === undefined ? "" : ` ${refusal.code}`}.`]),
    ...(refusal?.faults ?? []).map(
      ({ pointer, message }) => `  ${onTerminal(pointer)}: ${onTerminal(message)}`,
    ),
    ...(unscripted.length === 0
      ? []
      : [`The harness answers nothing for ${onTerminal(unscripted.join(", "))}.`]),
    ...scriptFaults.map(({ step, action, message }) => `/script/${step} ${action}: ${onTerminal(message)}`),
  ];
}

/** The same for programs. */
export function simulationJson(result: SimulationResult, startMs: number): object {
  const { runs, hostRecords, toolCalls, attempts, scriptFaults, refusal, unscripted, endedAtMs } = result;
  const at = (atMs: number) => ({ at: formatInstant(atMs), offset: offsetText(atMs - startMs) });
  return {
    startedAt: formatInstant(startMs),
    endedAt: formatInstant(endedAtMs),
    runs: runs.map(({ runId, playbookId, parentRunId, view, records }) => ({
      runId,
      playbookId,
      parentRunId,
      status: view.status,
      outcome: view.outcome,
      activeMs: view.activeMs,
      spentMicroCents: view.spentMicroCents,
      gates: view.gates.map(({ deadlineMs, ...gate }) => ({ ...gate, deadline: at(deadlineMs) })),
      trace: records.map(({ atMs, ...record }) => ({ ...at(atMs), ...record })),
    })),
    hostTrace: hostRecords.map(({ atMs, ...record }) => ({ ...at(atMs), ...record })),
    ...{ toolCalls, attempts, unscripted, refusal, scriptFaults },
  };
}
