/** Hides what a returned agent rule already says (specification 9.4, trap 64). Pure. */

/**
 * Drops the user rules that are sources of an agent rule that is actually returned. Comes after the cut to
 * `top_k`, so the user arm may end up shorter.
 *
 * @param agentRules the returned ones only, with the user playbook ids they were made from
 */
export function suppressSources<Rule extends { id: number }>(
  userRules: readonly Rule[],
  agentRules: readonly { sourceIds: readonly number[] }[],
): Rule[] {
  const shown = new Set(agentRules.flatMap((rule) => rule.sourceIds));
  return userRules.filter((rule) => !shown.has(rule.id));
}
