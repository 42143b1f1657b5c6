/** Hides what a returned agent rule already says (specification 9.4, trap 64). Pure. */

export interface Suppression<Rule> {
  kept: Rule[];
  /** Each with the best ranked agent rule that was made from it. */
  hidden: { rule: Rule; agentRuleId: number }[];
}

/**
 * Drops the user rules that are sources of an agent rule that is actually returned. Comes after the cut to
 * `top_k`, so the user arm may end up shorter.
 *
 * @param agentRules the returned ones only, best first, with the user playbook ids they were made from
 */
export function suppressSources<Rule extends { id: number }>(
  userRules: readonly Rule[],
  agentRules: readonly { id: number; sourceIds: readonly number[] }[],
): Suppression<Rule> {
  const shown = new Map(
    agentRules.toReversed().flatMap(({ id, sourceIds }) => sourceIds.map((source) => [source, id] as const)),
  );
  const found: Suppression<Rule> = { kept: [], hidden: [] };
  for (const rule of userRules) {
    const agentRuleId = shown.get(rule.id);
    if (agentRuleId === undefined) found.kept.push(rule);
    else found.hidden.push({ rule, agentRuleId });
  }
  return found;
}
