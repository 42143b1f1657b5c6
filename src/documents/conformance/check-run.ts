/**
 * One runtime or trigger vector, three ways: straight, with a crash after every stored event, and as a replay. The
 * traces must be equal and what is expected must hold in each (rulings 1 and 2).
 */
import { HostFault } from "../host/durable";
import { mergedTrace, type Observed, observe, observeReplay } from "../host/observe";
import { Play, type PlayInput } from "../host/play";
import { type Compile, compiler } from "../host/reducer";
import type { TraceRecord } from "../run/model";
import { firstDivergence } from "./match-trace";
import { checkObserved } from "./run-expectations";
import type { RunExpectation } from "./vector";

export interface RunFailure {
  /** `straight`, `crash after event 3 of 10`, `crash after every event`, `replay`. */
  way: string;
  message: string;
}

export interface RunCheck {
  failures: RunFailure[];
  /** How often the vector was run, replays included. */
  runs: number;
  notes: string[];
  straight: Observed | null;
}

/** Which runs of a vector are made. */
export type Ways = "all" | "straight";

/** @param compile the reducer under test */
export function checkRun(
  input: PlayInput,
  expect: RunExpectation,
  allRuns: boolean,
  ways: Ways = "all",
  compile: Compile = compiler(),
): RunCheck {
  const check = new RunWays(input, expect, allRuns, compile);
  const straight = check.straight();
  if (!straight) return { ...check.result(), straight: null };
  if (ways === "all") {
    check.replay(straight);
    check.crashes(straight);
  }
  return { ...check.result(), straight: observe(straight) };
}

class RunWays {
  private readonly failures: RunFailure[] = [];
  private runs = 0;
  private maxEvents = 0;
  private readonly notes: string[] = [];

  constructor(
    private readonly input: PlayInput,
    private readonly expect: RunExpectation,
    private readonly allRuns: boolean,
    private readonly compile: Compile,
  ) {}

  result(): Omit<RunCheck, "straight"> {
    return { failures: this.failures, runs: this.runs, notes: this.notes };
  }

  /** Null when the host could not play the script to its end. */
  straight(): Play | null {
    return this.guard("straight", () => {
      const play = new Play(this.input, { compile: this.compile, crashes: null, strict: true }).run();
      this.hold("straight", observe(play), true);
      return play;
    });
  }

  replay(straight: Play): void {
    this.guard("replay", () => {
      const { observed, diverged } = observeReplay(straight, this.compile);
      for (const message of diverged) this.failures.push({ way: "replay", message });
      if (this.isSameTrace("replay", observe(straight), observed)) this.hold("replay", observed, false);
    });
  }

  /** Each event once, then all of them in one run. Of several crash runs that fail, the first is told in full. */
  crashes(straight: Play): void {
    const expected = observe(straight);
    const count = straight.durable.stored;
    // A recovery that stores again and again what was stored before must come to an end.
    this.maxEvents = 2 * count + 20;
    const failedBefore = this.failures.length;
    let others = 0;
    const places = crashPlaces(count);
    for (const after of places) {
      if (this.failures.length === failedBefore) {
        this.crash(`crash after event ${after} of ${count}`, new Set([after]), expected);
      } else if (!this.quietly(() => this.crash("", new Set([after]), expected))) others += 1;
    }
    if (others > 0) {
      this.failures.push({
        way: "crash",
        message: `the same vector fails after ${others} more of ${places.length} events`,
      });
    }
    if (count > 0) this.crash("crash after every event", "every", expected);
    if (places.length < count) {
      this.notes.push(
        `of its ${count} events ${places.length} had a crash run of their own, and all of them one together`,
      );
    }
  }

  private crash(way: string, crashes: ReadonlySet<number> | "every", expected: Observed): void {
    this.guard(way, () => {
      const options = { compile: this.compile, crashes, strict: false, maxEvents: this.maxEvents };
      const play = new Play(this.input, options).run();
      const observed = observe(play);
      if (this.isSameTrace(way, expected, observed)) this.hold(way, observed, false);
    });
  }

  /** Whether something passes; what it finds is not kept. */
  private quietly(action: () => void): boolean {
    const before = this.failures.length;
    action();
    return this.failures.splice(before).length === 0;
  }

  private hold(way: string, observed: Observed, countsAttempts: boolean): void {
    const { expect, allRuns } = this;
    for (const message of checkObserved(observed, { expect, allRuns, countsAttempts })) {
      this.failures.push({ way, message });
    }
  }

  private isSameTrace(way: string, expected: Observed, seen: Observed): boolean {
    const divergence =
      firstDivergence(linesOf(expected), linesOf(seen)) ??
      firstDivergence(hostLinesOf(expected), hostLinesOf(seen)) ??
      firstDivergence(endsOf(expected), endsOf(seen));
    if (divergence) this.failures.push({ way, message: `not the straight run's trace: ${divergence}` });
    return divergence === null;
  }

  private guard<Value>(way: string, action: () => Value): Value | null {
    this.runs += 1;
    try {
      return action();
    } catch (error) {
      const isExpected = error instanceof HostFault;
      const message = error instanceof Error ? error.message : String(error);
      this.failures.push({
        way,
        message: isExpected ? message : `it broke down: ${message}${placeOf(error)}`,
      });
      return null;
    }
  }
}

/** How many events all crash runs of a vector may replay and play together: the square of what a vector should need. */
const CRASH_WORK = 300 * 300;

/** Each event from the first to the last; of very many, as many as there is time for, evenly spread. */
export function crashPlaces(count: number): number[] {
  const places = Math.min(count, Math.max(2, Math.floor(CRASH_WORK / Math.max(1, count))));
  return Array.from({ length: places }, (_, index) =>
    places === count ? index + 1 : 1 + Math.round((index * (count - 1)) / (places - 1)),
  );
}

/** Where it broke down: the first line of the stack that is not of a package. */
function placeOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? "").split("\n").slice(1) : [];
  const line = stack.find((text) => !text.includes("node_modules"));
  return line === undefined ? "" : ` (${line.trim()})`;
}

const lineOf = (record: TraceRecord, run: number): string => {
  const subject = record.subject === undefined ? "" : `:${record.subject}`;
  return `${record.type}${subject} of run ${run + 1} at ${record.atMs} ${JSON.stringify(record.data ?? {})}`;
};
const linesOf = ({ runs }: Observed): string[] =>
  mergedTrace(runs).map(({ record, runIndex }) => lineOf(record, runIndex));

const hostLinesOf = ({ hostRecords }: Observed): string[] =>
  hostRecords.map((record) => `${record.type}:${record.subject ?? ""} at ${record.atMs}`);

/** What the records do not say: outcome, money, time, outputs. */
const endsOf = ({ runs }: Observed): string[] =>
  runs.map(({ runId, view }) => `${runId} ${JSON.stringify(view)}`);
