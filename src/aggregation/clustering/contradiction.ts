/** Rules that an embedding finds alike may want opposite things; such rules never share a cluster. */
import { type Directions, directionsOf, opposes } from "../../platform/rules/polarity";
import { dot, meanVector, toUnit } from "./vector-math";

export interface ClusterRule {
  id: number;
  content: string;
  vector: Float32Array;
}

/** True where following one rule breaks the other, given that both are about the same situation. */
export const contradict = (left: string, right: string): boolean =>
  opposes(directionsOf(left), directionsOf(right));

interface ReadRule {
  id: number;
  directions: Directions;
}

/**
 * For a rule's directions, the rules that it may contradict: who wants what it refuses, and who also orders
 * or also names one of two opposites. All others surely agree, so that large clusters are not compared pair by pair.
 */
function suspectsAmong(rules: readonly ReadRule[]): (directions: Directions) => Set<ReadRule> {
  const wanting = new Map<string, ReadRule[]>();
  for (const rule of rules) {
    for (const term of rule.directions.wanted) {
      const others = wanting.get(term);
      if (others === undefined) wanting.set(term, [rule]);
      else others.push(rule);
    }
  }
  const ordering = rules.filter(({ directions }) => directions.orders.length > 0);
  const withPole = rules.filter(({ directions }) => directions.hasPole);
  return ({ refusals, orders, hasPole }) => {
    const refused = refusals.flatMap(({ action, things }) =>
      action === null ? things.map(({ head }) => head) : [action],
    );
    return new Set([
      ...refused.flatMap((term) => wanting.get(term) ?? []),
      ...(orders.length > 0 ? ordering : []),
      ...(hasPole ? withPole : []),
    ]);
  };
}

/** Whom each disputed rule contradicts; undisputed rules have no entry. */
function opponentsOf(ordered: readonly ClusterRule[]): Map<number, Set<number>> {
  const rules = ordered.map(({ id, content }): ReadRule => ({ id, directions: directionsOf(content) }));
  const suspectsOf = suspectsAmong(rules);
  const opponents = new Map<number, Set<number>>();
  const note = (one: number, other: number) => {
    const known = opponents.get(one);
    if (known === undefined) opponents.set(one, new Set([other]));
    else known.add(other);
  };
  for (const left of rules) {
    for (const right of suspectsOf(left.directions)) {
      if (right.id === left.id || !opposes(left.directions, right.directions)) continue;
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
