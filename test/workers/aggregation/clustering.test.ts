/** Clustering of many rows inside workerd: the compiled module loads, a turn uses it, timers fire meanwhile. */
import { expect, test } from "vitest";
import { clusterPoints, DENSITY_ROWS } from "../../../src/aggregation/clustering/clusters";
import { clusteringHost } from "../../../src/aggregation/clustering/host";
import { growSpanningTree } from "../../../src/aggregation/clustering/spanning-tree/grow";
import { plainKernel } from "../../../src/aggregation/clustering/spanning-tree/plain";
import { runAggregationTurn } from "../../../src/aggregation/turn";
import { agentRules, clusters, items, makeWorld, type SeedRule, seedRules } from "./support";

const DIMENSION = 256;

/** Rows in groups of five around axes of their own; each differs a little. */
const rowsOf = (rows: number): Float32Array[] =>
  Array.from({ length: rows }, (_, row) => {
    const vector = new Float32Array(DIMENSION).fill(0.001);
    const group = Math.floor(row / 5);
    vector[group % DIMENSION] = 1;
    vector[(group + 1 + Math.floor(group / DIMENSION)) % DIMENSION] = 0.9;
    vector[(7 * row) % DIMENSION] = (vector[(7 * row) % DIMENSION] ?? 0) + 0.05 + (row % 5) * 0.01;
    return vector;
  });

test("the module that is bound here grows the same tree as the plain one", async () => {
  const vectors = rowsOf(200);
  const found = await growSpanningTree(vectors, clusteringHost.kernel, clusteringHost.pause);
  expect(found).toEqual(await growSpanningTree(vectors, plainKernel, clusteringHost.pause));
});

test("timers fire while rows are clustered, so the lease's beat goes on", async () => {
  const points = rowsOf(3_000).map((vector, index) => ({ id: index + 1, vector }));
  let isDone = false;
  let beats = 0;
  const beat = setInterval(() => {
    if (!isDone) beats += 1;
  }, 0);
  const found = await clusterPoints(points, { similarity: 0.6, minClusterSize: 2 }, clusteringHost);
  isDone = true;
  clearInterval(beat);
  expect(found.length).toBeGreaterThan(0);
  expect(beats).toBeGreaterThanOrEqual(2);
});

/** Two users' rules about each of `topics` things that share no word. */
const pairsOfRules = (topics: number): SeedRule[] =>
  Array.from({ length: topics * 2 }, (_, index) => {
    const letters = String.fromCharCode(97 + (Math.floor(index / 2) % 26), 97 + Math.floor(index / 52));
    // Many words, since the test's embedder may give two words one axis.
    const words = (stems: string) =>
      stems
        .split(" ")
        .map((stem) => `${stem}${letters}k`)
        .join(" ");
    return {
      id: index + 1,
      userId: `user-${index % 2}`,
      trigger: words("zor gli bax fum dro wex"),
      content: `Use ${words("pol tiv ruk nar sym hof")}.`,
    };
  });

test("a turn over 50 rules and more finds each pair that two users taught, in whatever order they came", async () => {
  const topics = DENSITY_ROWS / 2 + 3;
  for (const rules of [pairsOfRules(topics), pairsOfRules(topics).reverse()]) {
    const world = makeWorld();
    await seedRules(world, rules);
    for (let turns = 0; turns < 5; turns += 1) {
      const { nextInMs } = await runAggregationTurn(world.services, world.orgId, "v1");
      if (nextInMs === null) break;
      world.clock.advance(nextInMs);
    }
    expect((await clusters(world)).map(({ members }) => members)).toEqual(
      Array.from({ length: topics }, () => 2),
    );
    expect(await agentRules(world)).toHaveLength(topics);
    const pairOf = new Map<string | null, number[]>();
    for (const { id, cluster_id } of await items(world))
      pairOf.set(cluster_id, [...(pairOf.get(cluster_id) ?? []), id]);
    for (const [one = 0, other = 0] of pairOf.values()) expect([one % 2, other]).toEqual([1, one + 1]);
  }
});
