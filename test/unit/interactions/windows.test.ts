import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { selectWindow, type WindowFacts } from "../../../src/interactions/windows";
import type { WindowPolicy } from "../../../src/orgs/config";

interface SimRequest {
  eligible: boolean;
  force: boolean;
  skipAggregation: boolean;
  policy: WindowPolicy;
  /** Which of its turns still exist. */
  turns: boolean[];
}

interface SimTurn {
  seq: number;
  request: SimRequest;
  maxSeq: number;
}

interface SimWindow {
  newIds: number[];
  manifest: number[];
  force: boolean;
  skipAggregation: boolean;
}

/** Surviving eligible turns in arrival order. */
function streamOf(requests: readonly SimRequest[]): SimTurn[] {
  let next = 1;
  return requests.flatMap((request) => {
    const first = next;
    next += request.turns.length;
    return request.turns.flatMap((survives, at) =>
      survives && request.eligible ? [{ seq: first + at, request, maxSeq: next - 1 }] : [],
    );
  });
}

/** The same outcome told differently: turns arrive one by one, and a window closes when it is ripe. */
function simulate(stream: readonly SimTurn[]): SimWindow[] {
  const windows: SimWindow[] = [];
  let waiting: SimTurn[] = [];
  let seen: SimTurn[] = [];
  stream.forEach((turn, at) => {
    waiting.push(turn);
    const policy = waiting[0]?.request.policy ?? turn.request.policy;
    const old = Math.min(seen.length, policy.windowSize);
    const needed =
      windows.length === 0 ? policy.windowSize : Math.max(policy.strideSize, policy.windowSize - old);
    const endsForced = turn.request.force && stream[at + 1]?.request !== turn.request;
    if (waiting.length < needed && !endsForced) return;
    const taken = waiting;
    windows.push({
      newIds: taken.map(({ seq }) => seq),
      manifest: [...seen, ...taken].slice(-policy.windowSize).map(({ seq }) => seq),
      force: stream.some(({ seq, request }) => request.force && seq >= (taken[0]?.seq ?? 0)),
      skipAggregation: taken.some(({ request }) => request.skipAggregation),
    });
    seen = [...seen, ...taken];
    waiting = [];
  });
  return windows;
}

/** What the store reads around a cursor. */
function factsAt(stream: readonly SimTurn[], afterSeq: number, started: boolean): WindowFacts | null {
  const fresh = stream.filter(({ seq }) => seq > afterSeq);
  const first = fresh[0];
  if (first === undefined) return null;
  const { policy } = first.request;
  return {
    started,
    policy,
    context: stream
      .filter(({ seq }) => seq <= afterSeq)
      .slice(-policy.windowSize)
      .map(({ seq }) => seq),
    fresh: fresh
      .slice(0, policy.windowSize)
      .map(({ seq, request }) => ({ seq, skipAggregation: request.skipAggregation })),
    barrierSeq: fresh.find(({ request }) => request.force)?.maxSeq ?? null,
  };
}

function drain(stream: readonly SimTurn[]): SimWindow[] {
  const windows: SimWindow[] = [];
  let afterSeq = 0;
  for (;;) {
    const facts = factsAt(stream, afterSeq, windows.length > 0);
    const selection = facts === null ? null : selectWindow(facts);
    if (selection === null || selection.kind === "none") return windows;
    const { newIds, manifest, force, skipAggregation } = selection;
    windows.push({ newIds, manifest, force, skipAggregation });
    afterSeq = selection.endSeq;
  }
}

const policy = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 })).map(
  ([left, right]): WindowPolicy => ({
    windowSize: Math.max(left, right),
    strideSize: Math.min(left, right),
  }),
);

const request: fc.Arbitrary<SimRequest> = fc.record({
  eligible: fc.nat(4).map((value) => value !== 0),
  force: fc.nat(5).map((value) => value === 0),
  skipAggregation: fc.boolean(),
  policy,
  turns: fc.array(
    fc.nat(6).map((value) => value !== 0),
    { minLength: 1, maxLength: 9 },
  ),
});

const standard: WindowPolicy = { windowSize: 10, strideSize: 8 };
const turns = (count: number, options: Partial<SimRequest> = {}): SimRequest => ({
  eligible: true,
  force: false,
  skipAggregation: false,
  policy: standard,
  turns: new Array<boolean>(count).fill(true),
  ...options,
});
const ids = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe("windows", () => {
  test("agree with a turn-by-turn simulation for every stream", () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 14 }), (requests) => {
        const stream = streamOf(requests);
        expect(drain(stream)).toEqual(simulate(stream));
      }),
      { numRuns: 500 },
    );
  });

  test("take every turn in as new at most once, in order, and leave out none between", () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 14 }), (requests) => {
        const stream = streamOf(requests).map(({ seq }) => seq);
        const taken = drain(streamOf(requests)).flatMap(({ newIds }) => newIds);
        expect(taken).toEqual(stream.slice(0, taken.length));
      }),
    );
  });

  test("trap 1: the first needs a whole window of turns, not a stride", () => {
    expect(drain(streamOf([turns(9)]))).toEqual([]);
    expect(drain(streamOf([turns(10)])).map(({ newIds }) => newIds)).toEqual([ids(1, 10)]);
  });

  test("trap 1: a later one needs a stride of new turns and shows the turns before them again", () => {
    expect(drain(streamOf([turns(17)]))).toHaveLength(1);
    const [, second] = drain(streamOf([turns(18)]));
    expect(second?.newIds).toEqual(ids(11, 18));
    expect(second?.manifest).toEqual(ids(9, 18));
  });

  test("trap 1: too little old context raises what is needed above the stride", () => {
    const stream = [turns(1, { force: true }), turns(8)];
    expect(drain(streamOf(stream))).toHaveLength(1);
    expect(drain(streamOf([...stream, turns(1)]))).toHaveLength(2);
  });

  test("trap 2: a backlog is drained window after window, never only its newest turns", () => {
    expect(drain(streamOf([turns(34)])).map(({ newIds }) => newIds)).toEqual([
      ids(1, 10),
      ids(11, 18),
      ids(19, 26),
      ids(27, 34),
    ]);
  });

  test("trap 3: a forced request takes in what came before it and nothing after it", () => {
    const windows = drain(streamOf([turns(2), turns(1, { force: true }), turns(6)]));
    expect(windows.map(({ newIds }) => newIds)).toEqual([ids(1, 3)]);
    expect(windows[0]?.force).toBe(true);
  });

  test("trap 3: after a forced window of three the next needs eight", () => {
    const forced = turns(3, { force: true });
    expect(drain(streamOf([forced, turns(7)]))).toHaveLength(1);
    expect(drain(streamOf([forced, turns(8)]))).toHaveLength(2);
  });

  test("trap 4: the first new turn's own policy decides, whatever later ones were admitted under", () => {
    const quick: WindowPolicy = { windowSize: 3, strideSize: 2 };
    expect(drain(streamOf([turns(2, { policy: quick }), turns(1)])).map(({ newIds }) => newIds)).toEqual([
      ids(1, 3),
    ]);
    expect(drain(streamOf([turns(2), turns(5, { policy: quick })]))).toEqual([]);
  });

  test("trap 5: ineligible turns neither count nor show", () => {
    const [window] = drain(streamOf([turns(5), turns(20, { eligible: false }), turns(5)]));
    expect(window?.manifest).toEqual([...ids(1, 5), ...ids(26, 30)]);
  });

  test("skip aggregation when any new turn's request asked for it, and only then", () => {
    const windows = drain(streamOf([turns(10, { skipAggregation: true }), turns(8)]));
    expect(windows.map(({ skipAggregation }) => skipAggregation)).toEqual([true, false]);
  });

  test("refuse a policy whose stride exceeds its window", () => {
    const facts = { started: false, context: [], fresh: [], barrierSeq: null };
    expect(() => selectWindow({ ...facts, policy: { windowSize: 2, strideSize: 3 } })).toThrow(RangeError);
    expect(() => selectWindow({ ...facts, policy: { windowSize: 2, strideSize: 0 } })).toThrow(RangeError);
  });
});
