/** Which old requests may go: whole ones, in arrival order, and nothing that learning still needs. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseOldest, type Needed, type OldRequest } from "../../../src/interactions/retention";

const request = (minSeq: number, maxSeq: number, more: Partial<OldRequest> = {}): OldRequest => ({
  userId: "ada",
  minSeq,
  maxSeq,
  isLearnable: true,
  ...more,
});
const needs = (needed: Partial<Needed> = {}) =>
  new Map([["ada", { keepFromSeq: 100, windows: [], ...needed }]]);
const seqsOf = (requests: readonly OldRequest[]) => requests.map(({ maxSeq }) => maxSeq);

describe("the oldest requests that may go", () => {
  test("are those before the last window of context, and those that nothing learns from", () => {
    const requests = [
      request(1, 5),
      request(6, 99),
      request(98, 100),
      request(101, 103),
      request(104, 110, { isLearnable: false }),
    ];
    expect(seqsOf(chooseOldest(requests, needs(), 1_000).chosen)).toEqual([5, 99, 110]);
  });

  test("leave out what a window under way shows", () => {
    const requests = [request(1, 5), request(6, 10), request(11, 20), request(21, 25)];
    const { chosen } = chooseOldest(requests, needs({ windows: [[8, 12]] }), 1_000);
    expect(seqsOf(chosen)).toEqual([5, 25]);
  });

  test("leave out users of whom nothing is known", () => {
    expect(chooseOldest([request(1, 5, { userId: "bo" })], needs(), 10)).toEqual({
      chosen: [],
      lookedToSeq: 5,
    });
  });

  test("end where enough turns are chosen, and the rest is looked at later", () => {
    const requests = [request(1, 4), request(5, 8), request(9, 12)];
    expect(chooseOldest(requests, needs(), 5)).toEqual({ chosen: requests.slice(0, 2), lookedToSeq: 8 });
    expect(chooseOldest(requests, needs(), 0)).toEqual({ chosen: [], lookedToSeq: 0 });
  });

  test("never hold a needed turn, keep their order, and pass the count by less than a request", () => {
    const streams = fc.array(
      fc.record({ userId: fc.constantFrom("a", "b", "c"), turns: fc.nat(6), isLearnable: fc.boolean() }),
      { maxLength: 40 },
    );
    const needed = fc.record({
      keepFromSeq: fc.nat(120),
      windows: fc.array(
        fc.tuple(fc.nat(120), fc.nat(20)).map(([first, more]) => [first, first + more] as const),
        { maxLength: 3 },
      ),
    });
    fc.assert(
      fc.property(streams, fc.tuple(needed, needed), fc.nat(100), (stream, [ofA, ofB], count) => {
        let next = 1;
        const requests = stream.map(({ userId, turns, isLearnable }): OldRequest => {
          const minSeq = next;
          next += turns + 1;
          return { userId, minSeq, maxSeq: next - 1, isLearnable };
        });
        const neededOf = new Map([
          ["a", ofA],
          ["b", ofB],
        ]);
        const { chosen, lookedToSeq } = chooseOldest(requests, neededOf, count);
        const sizes = chosen.map(({ minSeq, maxSeq }) => maxSeq - minSeq + 1);
        const total = sizes.reduce((sum, size) => sum + size, 0);
        expect(total - (sizes.at(-1) ?? 0)).toBeLessThan(Math.max(count, 1));
        expect(requests.filter((old) => chosen.includes(old))).toEqual(chosen);
        for (const old of requests) {
          const of = neededOf.get(old.userId);
          const isNeeded =
            of === undefined ||
            (old.isLearnable && old.maxSeq >= of.keepFromSeq) ||
            of.windows.some(([first, last]) => old.minSeq <= last && first <= old.maxSeq);
          // Everything up to the last request that was looked at is either needed or chosen.
          expect(chosen.includes(old)).toBe(!isNeeded && old.maxSeq <= lookedToSeq);
        }
      }),
    );
  });
});
