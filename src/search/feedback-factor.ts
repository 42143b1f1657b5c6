/**
 * How far what was said of a rule moves it in a ranking. Pure. The factor is
 *
 *     1 + 0.05 × (helpful − harmful) ÷ (helpful + harmful + 4)
 *
 * and so lies between 0.95 and 1.05. At the top that is three ranks where words and meaning both found the rule, and
 * seven where one of them did. The 4 keeps few voices quiet (three harmful ones give 0.979), and a rule that nobody rated
 * keeps its score exactly.
 */

/** Counts of verdicts. */
export interface Verdicts {
  helpful: number;
  harmful: number;
}

/** The factor never leaves 1 by as much as this. */
export const MAX_SHIFT = 0.05;
/** Verdicts that a rule is taken to have got already, half of them of either kind. */
const PRIOR = 4;

export const feedbackFactor = ({ helpful, harmful }: Verdicts): number =>
  1 + (MAX_SHIFT * (helpful - harmful)) / (helpful + harmful + PRIOR);
