/** Short documents and scripts for tests of the virtual host. */
import { entryOf, type Observed } from "../../../../../src/documents/host/observe";
import { simulationSchema } from "../../../../../src/documents/host/script";
import { type SimulationResult, simulate } from "../../../../../src/documents/host/simulate";
import type { PlaybookDocument } from "../../../../../src/documents/model";
import { playbook } from "../../triggers/support/triggers";

export const AT = "2026-01-01T00:00:00Z";
export const DONE = { id: "done", kind: "terminator", reason: "Done." };

/** A playbook of these steps, started by the webhook `payments` `charge.failed`. */
export const withSteps = (letter: string, steps: object[], changes: object = {}, requires: object = {}) =>
  playbook(
    letter,
    [{ kind: "webhook", source: "payments", event: "charge.failed" }],
    {
      tools: [{ name: "fetch" }, { name: "send" }],
      guardrails: { maxRunDurationSeconds: 3600, maxLlmCostCents: 100, requiresApprovalFor: [] },
      steps,
      ...changes,
    },
    requires,
  );

export const tool = (id: string, next: string, more: object = {}): object => ({
  id,
  kind: "tool",
  tool: "fetch",
  next,
  ...more,
});

interface Parts {
  harness?: object;
  script?: object[];
  start?: object;
}

/** The first document runs, by hand. */
export const run = (documents: PlaybookDocument | PlaybookDocument[], parts: Parts = {}): SimulationResult =>
  play(documents, { ...parts, start: { trigger: { kind: "manual" }, ...parts.start } });

/** All are published, and the script starts runs. */
export function play(documents: PlaybookDocument | PlaybookDocument[], parts: Parts = {}): SimulationResult {
  const { harness = {}, script = [], start = {} } = parts;
  const value = { start: { at: AT, ...start }, harness, script };
  return simulate({
    ...simulationSchema.parse(JSON.parse(JSON.stringify(value))),
    documents: Array.isArray(documents) ? documents : [documents],
  });
}

export const webhook = (more: object = {}): object => ({
  kind: "webhook",
  source: "payments",
  event: "charge.failed",
  ...more,
});

/** Of one run: its records as `type:subject@milliseconds after the start`. */
export const timed = ({ runs }: Observed, index = 0): string[] =>
  (runs[index]?.records ?? []).map((record) => `${entryOf(record)}@${record.atMs - Date.parse(AT)}`);

export const statuses = ({ runs }: Observed): string[] => runs.map(({ view }) => view.status);
export const faults = ({ scriptFaults }: Observed): string[] => scriptFaults.map(({ message }) => message);
