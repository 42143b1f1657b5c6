/** Levels and counts of a whole run of the corpus. */

import type { VectorResult } from "./run-vector";
import { VECTOR_GROUPS, type VectorGroup } from "./vector";

export const LEVELS = [1, 2, 3] as const;
export type Level = (typeof LEVELS)[number];

export interface GroupCount {
  level: Level;
  /** `broken`: vectors that do not even say their group. */
  group: VectorGroup | "broken";
  passed: number;
  failed: number;
}

export interface Summary {
  /** By level, then by group; what has no vectors is left out. */
  groups: GroupCount[];
  passed: number;
  failed: number;
  /** How many runs were made. */
  runs: number;
  /** The highest level that has vectors and no failure at it or below; 0 when there is none. */
  level: Level | 0;
}

export function summarize(results: readonly VectorResult[]): Summary {
  const groups = LEVELS.flatMap((level) =>
    [...VECTOR_GROUPS, "broken" as const].map((group): GroupCount => {
      const own = results.filter((result) => result.level === level && (result.group ?? "broken") === group);
      const passed = own.filter(({ failures }) => failures.length === 0).length;
      return { level, group, passed, failed: own.length - passed };
    }),
  ).filter(({ passed, failed }) => passed + failed > 0);
  const passed = results.filter(({ failures }) => failures.length === 0).length;
  return {
    groups,
    passed,
    failed: results.length - passed,
    runs: results.reduce((sum, { runs }) => sum + runs, 0),
    level: reachedLevel(results),
  };
}

function reachedLevel(results: readonly VectorResult[]): Level | 0 {
  let reached: Level | 0 = 0;
  for (const level of LEVELS) {
    const own = results.filter((result) => result.level === level);
    if (own.some(({ failures }) => failures.length > 0)) return reached;
    if (own.length > 0) reached = level;
  }
  return reached;
}
