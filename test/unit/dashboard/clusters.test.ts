/** The map of clusters: projection, layout, marks, and what is put where. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dot } from "../../../src/aggregation/clustering/vector-math";
import type { MappedCluster, MappedRule } from "../../../src/aggregation/map-store";
import {
  fitToPlot,
  labelPlaceOf,
  PLOT_HEIGHT,
  PLOT_WIDTH,
  spreadOut,
} from "../../../src/dashboard/clusters/layout";
import { mapOf } from "../../../src/dashboard/clusters/map";
import { MAX_MARKS, markOf, outlines } from "../../../src/dashboard/clusters/marks";
import { fitPlane, fittingRows, projectOnto, sampleOf } from "../../../src/dashboard/clusters/projection";
import { standingOf, tipOf } from "../../../src/dashboard/clusters/words";

const DIMENSION = 24;
const rowOf = fc
  .array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: DIMENSION, maxLength: DIMENSION })
  .map((values) => Float32Array.from(values));
const axis = (at: number, length = 1): Float32Array => {
  const vector = new Float32Array(DIMENSION);
  vector[at] = length;
  return vector;
};
const distance = ([x, y]: readonly [number, number], [u, v]: readonly [number, number]): number =>
  Math.hypot(x - u, y - v);

describe("the plane", () => {
  it("has two axes that are of unit length, or of none, and at right angles", () => {
    fc.assert(
      fc.property(fc.array(rowOf, { minLength: 1, maxLength: 12 }), (rows) => {
        const plane = fitPlane(rows);
        if (plane === null) throw new Error("there are rows");
        for (const direction of plane.axes) {
          const length = dot(direction, direction);
          expect(length === 0 || Math.abs(length - 1) < 1e-2).toBe(true);
        }
        expect(Math.abs(dot(plane.axes[0], plane.axes[1]))).toBeLessThan(1e-2);
      }),
    );
  });

  it("shows two points on a line at their true distance", () => {
    const rows = [axis(3, 2), axis(3, -2)];
    const plane = fitPlane(rows);
    if (plane === null) throw new Error("there are rows");
    const [left, right] = rows.map((row) => projectOnto(plane, row));
    expect(distance(left ?? [0, 0], right ?? [0, 0])).toBeCloseTo(4, 4);
    expect(plane.axes[1].every((value) => value === 0)).toBe(true);
  });

  it("turns no other way when the same rows come in another order", () => {
    const rows = [axis(0, 3), axis(1, 2), axis(2, 1), axis(5, -2)];
    const there = fitPlane(rows);
    const back = fitPlane([...rows].reverse());
    if (there === null || back === null) throw new Error("there are rows");
    for (const row of rows) {
      const [x, y] = projectOnto(there, row);
      const [u, v] = projectOnto(back, row);
      expect([u, v]).toEqual([expect.closeTo(x, 4), expect.closeTo(y, 4)]);
    }
  });

  it("keeps groups apart that differ, whatever noise is louder within them", () => {
    const noise = (group: number, seed: number) => {
      const vector = axis(group, 1);
      // Loud in a direction that all groups share, so that it separates none of them.
      vector[20] = seed % 2 === 0 ? 3 : -3;
      return vector;
    };
    const groups = [0, 1, 2, 3].map((group) => Array.from({ length: 6 }, (_, seed) => noise(group, seed)));
    const plane = fitPlane(fittingRows(groups, groups.flat()));
    if (plane === null) throw new Error("there are rows");
    const centres = groups.map((group) => projectOnto(plane, group[0] ?? new Float32Array(DIMENSION)));
    for (const [position, centre] of centres.entries()) {
      for (const member of groups[position] ?? []) {
        expect(distance(projectOnto(plane, member), centre)).toBeLessThan(1e-3);
      }
    }
  });

  it("is fitted to the centres of three groups or more, and to all rows of fewer", () => {
    const all = [axis(0), axis(1), axis(2)];
    expect(fittingRows([[axis(0)], [axis(1)]], all)).toBe(all);
    expect(fittingRows([[axis(0)], [axis(1)], [axis(2)]], all)).toHaveLength(3);
    expect(fittingRows([[axis(0)], [axis(1)], []], all)).toBe(all);
  });

  it("is none without rows or over rows of different lengths, and flat over equal ones", () => {
    expect(fitPlane([])).toBeNull();
    expect(fitPlane([axis(0), new Float32Array(3)])).toBeNull();
    const flat = fitPlane([axis(1), axis(1), axis(1)]);
    expect(flat?.axes.every((direction) => direction.every((value) => value === 0))).toBe(true);
  });

  it("is fitted to a sample of many rows that reaches from the first to the last", () => {
    const sample = sampleOf(Array.from({ length: 2_000 }, (_, position) => position));
    expect(sample).toHaveLength(200);
    expect([sample[0], sample.at(-1)]).toEqual([0, 1_990]);
    expect(sampleOf([1, 2, 3])).toEqual([1, 2, 3]);
  });
});

describe("the layout", () => {
  const points = fc.array(
    fc.tuple(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    ),
    { maxLength: 60 },
  );

  it("keeps every point on the plot, also many at one place", () => {
    fc.assert(
      fc.property(points, fc.nat(300), (some, copies) => {
        const all = [...some, ...Array.from({ length: copies }, () => some[0] ?? ([0, 0] as const))];
        for (const { x, y } of spreadOut(fitToPlot(all))) {
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x).toBeLessThanOrEqual(PLOT_WIDTH);
          expect(y).toBeGreaterThanOrEqual(0);
          expect(y).toBeLessThanOrEqual(PLOT_HEIGHT);
        }
      }),
    );
  });

  it("shows equal distances as equal, whatever their direction", () => {
    const [origin, right, above] = fitToPlot([
      [0, 0],
      [2, 0],
      [0, 2],
    ]);
    expect((right?.x ?? 0) - (origin?.x ?? 0)).toBeCloseTo((origin?.y ?? 0) - (above?.y ?? 0), 6);
  });

  it("sets points of one place side by side, and moves none when another joins them", () => {
    const five = Array.from({ length: 5 }, () => ({ x: 100, y: 100 }));
    const places = spreadOut(five);
    expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBe(5);
    expect(spreadOut([...five, { x: 100, y: 100 }]).slice(0, 5)).toEqual(places);
  });

  it("puts what has no extent into the middle", () => {
    expect(fitToPlot([[7, 7]])).toEqual([{ x: PLOT_WIDTH / 2, y: PLOT_HEIGHT / 2 }]);
    expect(fitToPlot([])).toEqual([]);
  });

  it("puts a cluster's number above its points", () => {
    expect(
      labelPlaceOf([
        { x: 100, y: 80 },
        { x: 200, y: 60 },
      ]),
    ).toEqual({ x: 150, y: 50 });
  });
});

it("every mark is another pair of shape and colour, and the first six differ in both", () => {
  const marks = Array.from({ length: MAX_MARKS }, (_, position) => markOf(position));
  expect(new Set(marks.map(({ shape, colour }) => `${shape} ${colour}`)).size).toBe(MAX_MARKS);
  expect(new Set(marks.slice(0, 6).map(({ shape }) => shape)).size).toBe(6);
  expect(new Set(marks.slice(0, 6).map(({ colour }) => colour)).size).toBe(6);
  expect(outlines.every((outline) => /^[MLAZHVCmlazhvc\d\s,.-]+$/.test(outline))).toBe(true);
});

describe("the map", () => {
  const rule = (
    userPlaybookId: number,
    clusterId: string | null,
    more: Partial<MappedRule> = {},
  ): MappedRule => ({
    userPlaybookId,
    trigger: `asked ${userPlaybookId}`,
    content: "be brief",
    clusterId,
    reason: clusterId === null ? "waiting_for_company" : "incremental",
    vector: axis(userPlaybookId % DIMENSION),
    ...more,
  });
  const owner = (clusterId: string): MappedCluster => ({
    clusterId,
    agentPlaybookId: 1,
    trigger: "asked",
    content: "be brief",
    approval: "pending",
    members: 2,
    users: 2,
  });

  it("numbers clusters by size, and puts rules without one last", () => {
    const rules = [rule(9, null), rule(8, "b"), rule(7, "a"), rule(6, "b"), rule(5, "c")];
    const map = mapOf(rules, ["a", "b", "c"].map(owner), false);
    expect(map.clusters.map(({ clusterId, number }) => [clusterId, number])).toEqual([
      ["b", 1],
      ["a", 2],
      ["c", 3],
    ]);
    expect(map.rules.map(({ userPlaybookId }) => userPlaybookId)).toEqual([8, 6, 7, 5, 9]);
    expect(map.rules.every(({ place }) => place !== null)).toBe(true);
  });

  it("gives no place to a rule without a vector, and no cluster to one whose cluster is gone", () => {
    const map = mapOf([rule(2, "gone"), rule(1, null, { vector: null })], [], false);
    expect(map.rules.map(({ cluster, place }) => [cluster, place === null])).toEqual([
      [null, false],
      [null, true],
    ]);
  });

  it("counts clusters beyond the marks without naming them", () => {
    const count = MAX_MARKS + 3;
    const rules = Array.from({ length: count }, (_, position) => rule(position + 1, `c${position + 100}`));
    const map = mapOf(
      rules,
      rules.map(({ clusterId }) => owner(clusterId ?? "")),
      false,
    );
    expect(map.clusters).toHaveLength(MAX_MARKS);
    expect(map.otherClusters).toBe(3);
    expect(map.rules.filter(({ cluster }) => cluster === "other")).toHaveLength(3);
  });

  it("says of a rule when, what, and where it stands or why nowhere", () => {
    const [member, lone] = mapOf([rule(2, "a"), rule(1, null, { trigger: " " })], [owner("a")], false).rules;
    if (member === undefined || lone === undefined) throw new Error("there are two rules");
    expect(tipOf(member)).toBe("When asked 2\nDo be brief\n(#2, in cluster 1)");
    expect(tipOf(lone)).toContain("When always\n");
    expect(standingOf(lone)).toBe("in no cluster: waits for another rule like it");
    expect(standingOf({ cluster: null, reason: "constructor" })).toBe("in no cluster");
  });
});
