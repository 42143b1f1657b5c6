/** What a vector expects of its runs against what was seen. A key that is absent is not checked. */
import { entryOf, mergedTrace, type Observed, type ObservedRun } from "../host/observe";
import type { Json } from "../model";
import { peakInFlight } from "./in-flight";
import { findForbidden, matchExactly, matchInOrder } from "./match-trace";
import { type Bindings, matchValue, NO_BINDINGS } from "./placeholders";
import type { RunExpectation } from "./vector";

export interface Checked {
  expect: RunExpectation;
  /** In group `triggers`, traces and outputs are those of all runs (ruling 14). */
  allRuns: boolean;
  /** Calls are counted in the straight run alone. */
  countsAttempts: boolean;
}

/** Every expectation that does not hold, in words. */
export function checkObserved(observed: Observed, { expect, allRuns, countsAttempts }: Checked): string[] {
  const check = new Check(observed, allRuns);
  for (const { step, action, message } of observed.scriptFaults) {
    check.failures.push(`script step ${step} (${action}): ${message}`);
  }
  check.outcome(expect);
  check.trace(expect);
  check.values(expect);
  if (expect.toolCalls && observed.toolCalls) check.toolCalls(expect.toolCalls, observed.toolCalls);
  if (countsAttempts) check.attempts(expect.attempts ?? {});
  return check.failures;
}

/** The run of the vector, or of group `triggers` the newest that no other run started. */
const targetOf = ({ runs, targetRunId }: Observed): ObservedRun | undefined =>
  runs.find(({ runId }) => runId === targetRunId);

class Check {
  readonly failures: string[] = [];
  private bindings: Bindings = NO_BINDINGS;
  private readonly target: ObservedRun | undefined;
  private readonly runs: readonly ObservedRun[];

  constructor(
    private readonly observed: Observed,
    allRuns: boolean,
  ) {
    this.target = targetOf(observed);
    this.runs = allRuns ? observed.runs : this.target ? [this.target] : [];
  }

  outcome(expect: RunExpectation): void {
    const { refusal, runs } = this.observed;
    const view = this.target?.view;
    const refused = refusal ? { status: "refused", reasonCode: refusal.code ?? null } : null;
    this.same("status", expect.status, view?.status ?? refused?.status ?? null);
    this.same("reasonCode", expect.reasonCode, view?.outcome?.reasonCode ?? refused?.reasonCode ?? null);
    this.same("reason", expect.reason, view?.outcome?.reason ?? null);
    this.same("terminatorId", expect.terminatorId, view?.outcome?.terminatorId ?? null);
    this.same("activeMs", expect.activeMs, view?.activeMs ?? null);
    const { spentMicroCents } = expect;
    if (typeof spentMicroCents === "object") {
      const spent = view?.spentMicroCents ?? 0;
      if (spent > spentMicroCents.max) {
        this.failures.push(`spentMicroCents: expected at most ${spentMicroCents.max}, seen ${spent}`);
      }
    } else this.same("spentMicroCents", spentMicroCents, view?.spentMicroCents ?? null);
    this.same("runs", expect.runs, runs.length);
    this.same(
      "runStatuses",
      expect.runStatuses,
      runs.map((run) => run.view.status),
    );
  }

  trace(expect: RunExpectation): void {
    const events = mergedTrace(this.runs).map(({ record }) => entryOf(record));
    if (expect.trace) {
      const match = expect.traceExact ? matchExactly : matchInOrder;
      const result = match(expect.trace, events, this.bindings);
      if (result.ok) this.bindings = result.bindings;
      else this.failures.push(`trace: ${result.message}`);
    }
    const forbidden = findForbidden(expect.never ?? [], events, this.bindings);
    if (forbidden) this.failures.push(`never: ${forbidden}`);
    if (expect.hostTrace) {
      const host = this.observed.hostRecords.map(entryOf);
      const result = matchInOrder(expect.hostTrace, host, this.bindings);
      if (!result.ok) this.failures.push(`hostTrace: ${result.message}`);
    }
  }

  values(expect: RunExpectation): void {
    for (const [stepId, wanted] of Object.entries(expect.outputs ?? {})) {
      this.value(`outputs.${stepId}`, wanted, this.outputOf(stepId));
    }
    for (const [stepId, wanted] of Object.entries(expect.artifacts ?? {})) {
      const seen = this.lastWith(stepId)?.view.steps[stepId]?.artifacts;
      const shown = seen?.map(({ type, body }): Json => ({ type, body }));
      this.value(`artifacts.${stepId}`, wanted, shown);
    }
    this.counts("maxInFlight", expect.maxInFlight, (mapId) =>
      Math.max(0, ...this.runs.map(({ document, records }) => peakInFlight(mapId, document, records))),
    );
    this.counts("conditionEvaluations", expect.conditionEvaluations, (stepId) =>
      this.runs.reduce((sum, { view }) => sum + (view.conditionEvaluations[stepId] ?? 0), 0),
    );
  }

  toolCalls(
    wanted: readonly { tool: string; input?: Json }[],
    seen: readonly { tool: string; input: Json }[],
  ): void {
    for (let index = 0; index < Math.max(wanted.length, seen.length); index++) {
      const [expected, call] = [wanted[index], seen[index]];
      const isTool = expected !== undefined && expected.tool === call?.tool;
      const learnt =
        isTool && expected.input !== undefined
          ? matchValue(expected.input, call?.input, this.bindings)
          : null;
      if (isTool && (expected.input === undefined || learnt)) {
        this.bindings = learnt ?? this.bindings;
        continue;
      }
      this.failures.push(
        `toolCalls: expected ${text(expected) ?? "no more"} as call ${index + 1}, seen ${text(call) ?? "none"}`,
      );
      return;
    }
  }

  counts(name: string, wanted: Record<string, number> | undefined, seenOf: (key: string) => number): void {
    for (const [key, count] of Object.entries(wanted ?? {})) this.same(`${name}.${key}`, count, seenOf(key));
  }

  /** Whether a call that `crashAfterEffect` makes a recovery repeat counts again, the format leaves open. */
  attempts(wanted: Record<string, number>): void {
    for (const [tool, count] of Object.entries(wanted)) {
      const { distinct, all } = this.observed.attempts[tool] ?? { distinct: 0, all: 0 };
      if (count !== distinct) this.same(`attempts.${tool}`, count, all);
    }
  }

  private outputOf(stepId: string): Json | undefined {
    const run = this.lastWith(stepId);
    if (!run) return undefined;
    const { outcome, steps } = run.view;
    if (Object.hasOwn(steps, stepId)) return steps[stepId]?.output;
    return outcome?.output;
  }

  /** The last of the runs in which the step has ended; a terminator ends with its run. */
  private lastWith(stepId: string): ObservedRun | undefined {
    return this.runs.findLast(
      ({ view }) => Object.hasOwn(view.steps, stepId) || view.outcome?.terminatorId === stepId,
    );
  }

  private value(name: string, wanted: Json, seen: Json | undefined): void {
    const learnt = matchValue(wanted, seen, this.bindings);
    if (learnt) this.bindings = learnt;
    else this.failures.push(`${name}: expected ${text(wanted)}, seen ${text(seen) ?? "nothing"}`);
  }

  private same(name: string, wanted: Json | undefined, seen: Json): void {
    if (wanted === undefined) return;
    if (JSON.stringify(wanted) !== JSON.stringify(seen)) {
      this.failures.push(`${name}: expected ${text(wanted)}, seen ${text(seen)}`);
    }
  }
}

const SHOWN = 400;
function text(value: unknown): string | undefined {
  const json = JSON.stringify(value);
  return json !== undefined && json.length > SHOWN ? `${json.slice(0, SHOWN)}…` : json;
}
