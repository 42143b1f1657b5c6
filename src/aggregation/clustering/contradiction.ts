/** Rules that an embedding finds alike may want opposite things; such rules never share a cluster. */
import { directionsOf, opposes } from "../../platform/rules/polarity";
import { cosine } from "./vector-math";

export interface ClusterRule {
  id: number;
  content: string;
  vector: Float32Array;
}

/** True where following one rule breaks the other, given that both are about the same situation. */
export const contradict = (left: string, right: string): boolean =>
  opposes(directionsOf(left), directionsOf(right));

function meanSimilarity(rule: ClusterRule, group: readonly ClusterRule[]): number {
  return group.reduce((sum, other) => sum + cosine(rule.vector, other.vector), 0) / group.length;
}

/**
 * Splits a cluster so that no group holds a contradiction: disputed rules in id order, each to the first
 * group it agrees with; undisputed ones to the group most like them. Ids ascending, groups by first id;
 * the same for every input order.
 */
export function splitContradictions(rules: readonly ClusterRule[]): number[][] {
  const ordered = [...rules].sort((left, right) => left.id - right.id);
  const directions = new Map(ordered.map((rule) => [rule.id, directionsOf(rule.content)]));
  const disagree = (left: ClusterRule, right: ClusterRule): boolean => {
    const one = directions.get(left.id);
    const other = directions.get(right.id);
    return one !== undefined && other !== undefined && opposes(one, other);
  };
  const isDisputed = (rule: ClusterRule) =>
    ordered.some((other) => other.id !== rule.id && disagree(rule, other));
  const disputed = ordered.filter(isDisputed);
  if (disputed.length === 0) return ordered.length === 0 ? [] : [ordered.map(({ id }) => id)];
  const seeds: ClusterRule[][] = [];
  for (const rule of disputed) {
    const home = seeds.find((group) => group.every((member) => !disagree(rule, member)));
    if (home === undefined) seeds.push([rule]);
    else home.push(rule);
  }
  const groups = seeds.map((group) => [...group]);
  for (const rule of ordered.filter((candidate) => !disputed.includes(candidate))) {
    const scores = seeds.map((seed) => meanSimilarity(rule, seed));
    groups[scores.indexOf(Math.max(...scores))]?.push(rule);
  }
  return groups
    .map((group) => group.map(({ id }) => id).sort((left, right) => left - right))
    .sort((left, right) => (left[0] ?? 0) - (right[0] ?? 0));
}
