import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlaybookDocument } from "../../../../src/documents/model";
import { compileProgram, reducerOf } from "../../../../src/documents/run";
import { REASON_CODES } from "../../../../src/documents/spec";
import { documents } from "../support/graphs";
import { frozen, jsonOf } from "./driver";
import { type Played, playOut } from "./world";

const EVERY_WAY = [
  "approval_expired",
  "approval_rejected",
  "guardrail_llm_cost",
  "guardrail_run_duration",
  "operator_cancelled",
  "step_failed",
  "terminator",
  "tool_not_allowed",
  "wait_timeout",
];
const GRAPHS = 10_000;
const choices = fc.array(fc.nat(999), { minLength: 12, maxLength: 12 });
const anyDocument = fc.oneof(
  documents({ maxSteps: 8 }),
  documents({ maxSteps: 8, requiresApprovalFor: ["email.*", "tool:note", "artifact:note"] }),
);

/** Ended at a terminator of the document, or for a reason that is on the list. */
function expectStated({ playbook }: PlaybookDocument, { state, records }: Played): void {
  const { outcome } = state;
  if (!outcome) throw new Error("the run has not ended");
  expect(REASON_CODES).toContain(outcome.reasonCode);
  const terminator = playbook.steps.find(({ id }) => id === outcome.terminatorId);
  expect(outcome.reasonCode === "terminator").toBe(terminator?.kind === "terminator");
  expect(records.filter(({ type }) => /^run\.(completed|failed|cancelled)$/.test(type))).toHaveLength(1);
  expect(Object.keys(state.timers)).toEqual([]);
  expect(Object.values(state.gates).filter(({ status }) => status === "open")).toEqual([]);
  expect(state.agenda).toEqual([]);
}

describe(`${GRAPHS} random valid graphs`, () => {
  it("end at a terminator or for a stated reason, identically on replay", { timeout: 240_000 }, () => {
    const reached = new Map<string, number>();
    fc.assert(
      fc.property(anyDocument, choices, (document, drawn) => {
        const reducer = reducerOf(compileProgram(document));
        const played = playOut(reducer, drawn);
        expectStated(document, played);
        expect(reducer.fold(played.events)).toEqual(played.state);
        const reason = played.state.outcome?.reasonCode ?? "";
        reached.set(reason, (reached.get(reason) ?? 0) + 1);
      }),
      { numRuns: GRAPHS, seed: 20_260_101 },
    );
    // The world is no friendlier than it should be: it reaches every way to end that these documents have.
    expect([...reached.keys()].sort()).toEqual(EVERY_WAY);
  });

  it("can be rebuilt after any event, and no state that was given away is written to", () => {
    fc.assert(
      fc.property(anyDocument, choices, fc.nat(999), (document, drawn, at) => {
        const reducer = reducerOf(compileProgram(document));
        const { events, records, state } = playOut(reducer, drawn);
        const cut = at % (events.length + 1);
        let rebuilt = frozen(jsonOf(reducer.fold(events.slice(0, cut))));
        const rest = events.slice(cut).flatMap(({ atMs, event }) => {
          const applied = reducer.apply(rebuilt, frozen(jsonOf(event)), atMs);
          rebuilt = frozen(jsonOf(applied.state));
          return applied.records;
        });
        expect(rebuilt).toEqual(state);
        expect(rest).toEqual(rest.length === 0 ? [] : records.slice(-rest.length));
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});
