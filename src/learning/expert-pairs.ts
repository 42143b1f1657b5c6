/** Experts' answers of a window, each beside the answer it improves on and the question before it. Pure. */
import type { ChronologyTurn, ExpertPair } from "../platform/reasoner/port";
import { type Chronology, isUserRole } from "./chronology";

/** The nearest earlier turn of a user in the same session. */
function questionBefore(turns: readonly ChronologyTurn[], index: number): ChronologyTurn | null {
  const { sessionId } = turns[index] ?? {};
  return (
    turns.slice(0, index).findLast((turn) => turn.sessionId === sessionId && isUserRole(turn.role)) ?? null
  );
}

/** In order; none where no turn has an expert's answer. */
export function expertPairsOf({ turns, interactionIdOf }: Chronology): ExpertPair[] {
  return turns.flatMap((expert, index) => {
    const answer = turns[index - 1];
    // Two turns in a row that show one interaction: the second is its expert's answer.
    if (answer === undefined || interactionIdOf.get(answer.label) !== interactionIdOf.get(expert.label)) {
      return [];
    }
    return [{ question: questionBefore(turns, index - 1), answer, expert }];
  });
}

/** The turns that a reader of the pairs is shown, in order. */
export const turnsOfPairs = (pairs: readonly ExpertPair[]): ChronologyTurn[] => [
  ...new Set(
    pairs.flatMap(({ question, answer, expert }) =>
      [question, answer, expert].filter((turn): turn is ChronologyTurn => turn !== null),
    ),
  ),
];
