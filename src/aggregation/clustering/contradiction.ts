/** Rules that an embedding finds alike may want opposite things; such rules never share a cluster. */
import { directionsOf, opposes } from "../../platform/rules/polarity";
import { dot, meanVector, toUnit } from "./vector-math";

export interface ClusterRule {
  id: number;
  content: string;
  vector: Float32Array;
}

/** True where following one rule breaks the other, given that both are about the same situation. */
export const contradict = (left: string, right: string): boolean =>
  opposes(directionsOf(left), directionsOf(right));

/** Whom each disputed rule contradicts; undisputed rules have no entry. */
function opponentsOf(ordered: readonly ClusterRule[]): Map<number, Set<number>> {
  const read = ordered.map(({ id, content }) => ({ id, directions: directionsOf(content) }));
  const opponents = new Map<number, Set<number>>();
  const note = (one: number, other: number) => {
    const known = opponents.get(one);
    if (known === undefined) opponents.set(one, new Set([other]));
    else known.add(other);
  };
  for (const [position, left] of read.entries()) {
    for (let next = position + 1; next < read.length; next += 1) {
      const right = read[next];
      if (right === undefined || !opposes(left.directions, right.directions)) continue;
      note(left.id, right.id);
      note(right.id, left.id);
    }
  }
  return opponents;
}

/**
 * Splits a cluster so that no group holds a contradiction: disputed rules in id order, each to the first
 * group it agrees with; undisputed ones to the group most like them. Ids ascending, groups by first id;
 * the same for every input order.
 */
export function splitContradictions(rules: readonly ClusterRule[]): number[][] {
  const ordered = [...rules].sort((left, right) => left.id - right.id);
  const opponents = opponentsOf(ordered);
  if (opponents.size === 0) return ordered.length === 0 ? [] : [ordered.map(({ id }) => id)];
  const seeds: ClusterRule[][] = [];
  for (const rule of ordered) {
    const against = opponents.get(rule.id);
    if (against === undefined) continue;
    const home = seeds.find((group) => !group.some((member) => against.has(member.id)));
    if (home === undefined) seeds.push([rule]);
    else home.push(rule);
  }
  const groups = seeds.map((group) => [...group]);
  const directions = seeds.map((group) => meanVector(group.map(({ vector }) => toUnit(vector) ?? vector)));
  for (const rule of ordered) {
    if (opponents.has(rule.id)) continue;
    const scores = directions.map((mean) =>
      mean === null ? 0 : dot(toUnit(rule.vector) ?? rule.vector, mean),
    );
    groups[scores.indexOf(Math.max(...scores))]?.push(rule);
  }
  return groups
    .map((group) => group.map(({ id }) => id).sort((left, right) => left - right))
    .sort((left, right) => (left[0] ?? 0) - (right[0] ?? 0));
}
