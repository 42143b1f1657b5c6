/** Fingerprints, centroids, cool-downs, pages and the intake floor. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Centroid, matchCentroid } from "../../../src/aggregation/centroids";
import { fingerprintOf } from "../../../src/aggregation/clustering/fingerprint";
import { idsToStage, raisedFloor } from "../../../src/aggregation/intake";
import { coolDownMs, dueAtMs, pageResiduals } from "../../../src/aggregation/residuals";

test("a fingerprint sorts ids as numbers, not as text, and ignores their order", async () => {
  // SHA-256 of "2,9,10"
  expect(await fingerprintOf([10, 9, 2])).toBe(await fingerprintOf([2, 9, 10]));
  expect(await fingerprintOf([2, 9, 10])).toMatch(/^[0-9a-f]{16}$/);
  expect(await fingerprintOf([10, 2, 9])).toBe("73078315e2b4bc52");
  expect(await fingerprintOf([2, 910])).not.toBe(await fingerprintOf([2, 9, 10]));
});

const space = { agentVersion: "v1", model: "m", dimension: 2 };
const centroid = (clusterId: string, values: number[], change: Partial<Centroid> = {}): Centroid => ({
  clusterId,
  ...space,
  vector: Float32Array.from(values),
  ...change,
});

test("the nearest centroid wins; equal ones by cluster id", () => {
  const vector = Float32Array.of(1, 0);
  const centroids = [centroid("b", [1, 0.1]), centroid("c", [2, 0]), centroid("a", [1, 0])];
  expect(matchCentroid(vector, space, centroids, 0.5)?.clusterId).toBe("a");
  expect(matchCentroid(vector, space, centroids.slice(0, 1), 0.5)?.clusterId).toBe("b");
});

test("below the threshold, of another version, model or dimension, or without direction: no match", () => {
  const vector = Float32Array.of(1, 0);
  for (const other of [
    centroid("a", [0.1, 1]),
    centroid("a", [1, 0], { agentVersion: "v2" }),
    centroid("a", [1, 0], { model: "n" }),
    centroid("a", [1, 0, 0], { dimension: 3 }),
    centroid("a", [0, 0]),
  ]) {
    expect(matchCentroid(vector, space, [other], 0.5)).toBeNull();
  }
  expect(matchCentroid(Float32Array.of(0, 0), space, [centroid("a", [1, 0])], 0)).toBeNull();
});

test("cool-downs double from a minute and end at an hour", () => {
  expect([0, 1, 2, 3, 6, 7, 8, 100].map(coolDownMs)).toEqual([
    0, 60_000, 120_000, 240_000, 1_920_000, 3_600_000, 3_600_000, 3_600_000,
  ]);
});

const item = fc
  .record({
    waitsForCompany: fc.boolean(),
    attemptCount: fc.integer({ min: 0, max: 12 }),
    lastAttemptAtMs: fc.integer({ min: 0, max: 5_000_000 }),
  })
  // Who waits for company was looked at before.
  .map((entry) => ({ ...entry, waitsForCompany: entry.waitsForCompany && entry.attemptCount > 0 }));
const itemLists = fc
  .array(item, { maxLength: 40 })
  .map((list) => list.map((entry, index) => ({ userPlaybookId: index + 1, ...entry })));

test("a page takes what is due and whom its news may help, fills its budget, and starves neither half", () => {
  fc.assert(
    fc.property(itemLists, fc.integer({ min: 1, max: 20 }), (items, budget) => {
      const nowMs = 5_000_000;
      const page = pageResiduals(items, nowMs, budget);
      const isDue = (entry: (typeof items)[number]) => dueAtMs(entry) <= nowMs;
      const hasNews = items.some((entry) => !entry.waitsForCompany && isDue(entry));
      const due = items.filter((entry) => isDue(entry) || (hasNews && entry.waitsForCompany));
      const fresh = due.filter(({ attemptCount }) => attemptCount === 0);
      expect(page.every((entry) => due.includes(entry))).toBe(true);
      expect(new Set(page).size).toBe(page.length);
      expect(page).toHaveLength(Math.min(budget, due.length));
      const freshTaken = page.filter(({ attemptCount }) => attemptCount === 0).length;
      expect(freshTaken).toBeGreaterThanOrEqual(Math.min(fresh.length, Math.ceil(budget / 2)));
      expect(page.length - freshTaken).toBeGreaterThanOrEqual(
        Math.min(due.length - fresh.length, Math.floor(budget / 2)),
      );
    }),
  );
});

test("fresh items come in id order, retries by their oldest attempt", () => {
  const items = [
    { userPlaybookId: 4, waitsForCompany: false, attemptCount: 1, lastAttemptAtMs: 20 },
    { userPlaybookId: 3, waitsForCompany: false, attemptCount: 0, lastAttemptAtMs: 0 },
    { userPlaybookId: 2, waitsForCompany: false, attemptCount: 2, lastAttemptAtMs: 10 },
    { userPlaybookId: 1, waitsForCompany: false, attemptCount: 0, lastAttemptAtMs: 0 },
  ];
  expect(pageResiduals(items, 10_000_000, 9).map(({ userPlaybookId }) => userPlaybookId)).toEqual([
    1, 3, 2, 4,
  ]);
});

test("the floor never falls, and rises to the oldest of the newest rows", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 1_000 })),
      fc.integer({ min: 0, max: 1_000 }),
      fc.integer({ min: 1, max: 30 }),
      (ids, floor, window) => {
        const raised = raisedFloor(floor, ids, window);
        expect(raised).toBeGreaterThanOrEqual(floor);
        if (raised > floor) expect(ids.filter((id) => id >= raised)).toHaveLength(window);
      },
    ),
  );
});

test("the newest rows at or above the floor are staged first, within the budget", () => {
  expect(idsToStage([5, 1, 9, 7], 5, 2)).toEqual([9, 7]);
  expect(idsToStage([5, 1, 9, 7], 5, 10)).toEqual([9, 7, 5]);
  expect(idsToStage([5], 0, -1)).toEqual([]);
});
