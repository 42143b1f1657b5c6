/** The data sets of the clustering fixtures; scripts/clustering-fixtures/data.py makes the same vectors. */
import { readFileSync } from "node:fs";
import * as z from "zod";
import { loadModule } from "../../../scripts/wasm-module.mjs";
import type { ClusterPoint } from "../../../src/aggregation/clustering/average-linkage";
import { wasmKernel } from "../../../src/aggregation/clustering/spanning-tree/wasm";

const CENTRE_WEIGHT = 16;

const count = z.int().positive();
const partSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("blobs"), blobs: count, spread: z.int(), count }),
  z.object({ kind: z.literal("nested"), blobs: count, inner: count, spread: z.int(), count }),
  z.object({ kind: z.literal("arc"), spread: z.int(), count }),
  z.object({ kind: z.literal("copies"), count }),
  z.object({ kind: z.literal("noise"), count }),
  z.object({ kind: z.literal("zeros"), count }),
]);
type Part = z.infer<typeof partSchema>;

/** `label*count` for each run of equal labels; noise is -1. */
const labels = z.string().transform((runs) =>
  runs.split(" ").flatMap((run): number[] => {
    const [label, length] = run.split("*").map(Number);
    return Array.from({ length: length ?? 0 }, () => label ?? -1);
  }),
);

const fixtureSchema = z.object({
  madeBy: z.string(),
  versions: z.object({ hdbscan: z.string(), "scikit-learn": z.string() }),
  sets: z.array(
    z.object({
      name: z.string(),
      seed: z.int(),
      dimension: count,
      minClusterSize: count,
      similarity: z.number(),
      parts: z.array(partSchema),
      labels: z.record(z.string(), labels),
    }),
  ),
});
export type DataSet = z.infer<typeof fixtureSchema>["sets"][number];

export const fixtures = fixtureSchema.parse(
  JSON.parse(readFileSync(new URL("./fixtures/clustering.json", import.meta.url), "utf8")),
);

/** xorshift32 (G. Marsaglia, "Xorshift RNGs", 2003). */
export class Draws {
  constructor(private state: number) {}
  next(): number {
    let x = this.state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.state = x >>> 0;
    return this.state;
  }
  /** Sum of four bytes less its mean: nearly normal. */
  bell(): number {
    const x = this.next();
    return (x & 255) + ((x >>> 8) & 255) + ((x >>> 16) & 255) + (x >>> 24) - 510;
  }
  vector(dimension: number): number[] {
    return Array.from({ length: dimension }, () => this.bell());
  }
}

const scaled = (vector: readonly number[], factor: number) => vector.map((value) => factor * value);
const added = (left: readonly number[], right: readonly number[]) =>
  left.map((value, index) => value + (right[index] ?? 0));
const times = <Value>(length: number, make: (index: number) => Value): Value[] =>
  Array.from({ length }, (_, index) => make(index));

/** Rows of a blob: two of them have a cosine of about 256 / (256 + spread²). */
export const around = (draws: Draws, centre: readonly number[], spread: number, rows: number): number[][] =>
  times(rows, () => added(scaled(centre, CENTRE_WEIGHT), scaled(draws.vector(centre.length), spread)));

function rowsOfPart(draws: Draws, part: Part, dimension: number): number[][] {
  switch (part.kind) {
    case "blobs":
      return times(part.blobs, () => around(draws, draws.vector(dimension), part.spread, part.count)).flat();
    case "nested":
      return times(part.blobs, () => {
        const whole = draws.vector(dimension);
        return times(part.inner, () =>
          around(draws, added(scaled(whole, 2), draws.vector(dimension)), part.spread, part.count),
        ).flat();
      }).flat();
    case "arc": {
      const one = draws.vector(dimension);
      const other = draws.vector(dimension);
      return times(part.count, (step) =>
        added(
          added(scaled(one, part.count - 1 - step), scaled(other, step)),
          scaled(draws.vector(dimension), part.spread),
        ),
      );
    }
    case "copies": {
      const row = draws.vector(dimension);
      return times(part.count, () => row);
    }
    case "noise":
      return times(part.count, () => draws.vector(dimension));
    case "zeros":
      return times(part.count, () => times(dimension, () => 0));
  }
}

/** The rows with ids from 1 on. */
export function pointsOf({ seed, dimension, parts }: DataSet): ClusterPoint[] {
  const draws = new Draws(seed);
  return parts
    .flatMap((part) => rowsOfPart(draws, part, dimension))
    .map((row, index) => ({ id: index + 1, vector: Float32Array.from(row) }));
}

/** Labels of `rows` rows in groups of row indexes; -1 for the others. */
export function labelsOf(groups: readonly (readonly number[])[], rows: number): number[] {
  const found = times(rows, () => -1);
  for (const [label, group] of groups.entries()) for (const index of group) found[index] = label;
  return found;
}

/** Agreement of two labellings, 1 where equal, about 0 by chance (Hubert and Arabie 1985). Noise is one group. */
export function adjustedRandIndex(left: readonly number[], right: readonly number[]): number {
  const pairs = (rows: number) => (rows * (rows - 1)) / 2;
  const countBy = (keys: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts.values()].reduce((sum, rows) => sum + pairs(rows), 0);
  };
  const both = countBy(left.map((label, index) => `${label}/${right[index]}`));
  const one = countBy(left.map(String));
  const other = countBy(right.map(String));
  const expected = (one * other) / pairs(left.length);
  const most = (one + other) / 2;
  return most === expected ? 1 : (both - expected) / (most - expected);
}

/** The kernel of the deployment, loaded as plain Node can. */
export const nodeKernel = wasmKernel(loadModule());

/** The same rows in another order, the same for every run. */
export function shuffled<Value>(values: readonly Value[], draws: Draws): Value[] {
  const mixed = [...values];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = draws.next() % (last + 1);
    const kept = mixed[last];
    const moved = mixed[other];
    if (kept === undefined || moved === undefined) continue;
    mixed[last] = moved;
    mixed[other] = kept;
  }
  return mixed;
}
