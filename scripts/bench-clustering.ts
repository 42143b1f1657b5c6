/**
 * `npm run bench:clustering [-- ROWS …]`: CPU and memory of clustering rows of 256 dimensions, each size in a
 * process of its own. Exits 1 where one takes more than 30 s of CPU or 64 MB.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ClusterPoint } from "../src/aggregation/clustering/average-linkage";
import { clusterPoints } from "../src/aggregation/clustering/clusters";
import { wasmKernel } from "../src/aggregation/clustering/spanning-tree/wasm";
import { loadModule } from "./wasm-module.mjs";

const SIZES = [2_000, 5_000, 10_000, 20_000];
const DIMENSION = 256;
const MAX_CPU_SEC = 30;
const MAX_MB = 64;
const BLOB_ROWS = 8;
const SETTINGS = { similarity: 0.505, minClusterSize: 2 };

/** Mulberry32: 32 bits of state, uniform in 0..1. */
function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Half of the rows in blobs of eight, the others alone: about what a rule base looks like. */
function pointsOf(rows: number): ClusterPoint[] {
  const next = draws(rows);
  const fresh = () => Float32Array.from({ length: DIMENSION }, () => next() + next() - 1);
  const points: ClusterPoint[] = [];
  while (points.length < rows) {
    const centre = fresh();
    const isBlob = points.length < rows / 2;
    for (let row = 0; row < (isBlob ? BLOB_ROWS : 1) && points.length < rows; row += 1) {
      const own = fresh();
      const vector = isBlob ? own.map((value, index) => (centre[index] ?? 0) + value * 0.6) : own;
      points.push({ id: points.length + 1, vector });
    }
  }
  return points;
}

/** Megabytes in use: the heap and what lies outside it, which is array buffers and the memory of WebAssembly. */
function usedMb(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

/** Milliseconds of CPU, those of the engine's own threads included. */
function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** A collection, so that the garbage of making the rows is not counted as clustering's. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

async function measure(rows: number): Promise<void> {
  const kernel = wasmKernel(loadModule());
  const points = pointsOf(rows);
  collectGarbage();
  let peakMb = usedMb();
  let pauses = 0;
  let longestMs = 0;
  let since = process.cpuUsage();
  const sample = () => {
    peakMb = Math.max(peakMb, usedMb());
  };
  const pause = async () => {
    longestMs = Math.max(longestMs, cpuMsSince(since));
    pauses += 1;
    sample();
    await new Promise((resolve) => setTimeout(resolve, 0));
    since = process.cpuUsage();
  };
  const before = process.cpuUsage();
  const clusters = await clusterPoints(points, SETTINGS, { kernel, pause });
  const cpuSec = cpuMsSince(before) / 1000;
  longestMs = Math.max(longestMs, cpuMsSince(since));
  sample();
  console.log(
    [
      rows.toString().padStart(6),
      cpuSec.toFixed(1).padStart(8),
      peakMb.toFixed(1).padStart(9),
      pauses.toString().padStart(7),
      longestMs.toFixed(0).padStart(11),
      clusters.length.toString().padStart(9),
    ].join(""),
  );
  if (cpuSec > MAX_CPU_SEC || peakMb > MAX_MB) {
    console.error(`over the budget of ${MAX_CPU_SEC} s of CPU and ${MAX_MB} MB`);
    process.exitCode = 1;
  }
}

/** Runs this file once for each size. */
function measureEach(sizes: readonly number[]): void {
  console.log("  rows   CPU s   peak MB pauses stretch ms clusters");
  for (const rows of sizes) {
    const { status } = spawnSync(
      process.execPath,
      [...process.execArgv, fileURLToPath(import.meta.url), "--one", String(rows)],
      { stdio: "inherit" },
    );
    if (status !== 0) process.exitCode = 1;
  }
}

const [mode, ...rest] = process.argv.slice(2);
if (mode === "--one") await measure(Number(rest[0]));
else measureEach(mode === undefined ? SIZES : [mode, ...rest].map(Number));
