/** Which part of whose stream a session, or a page of turns, is. Pure. */
import type { SessionSummary } from "../../interactions/session-store";
import type { SessionTurn } from "../../interactions/session-turns-store";
import type { Stretch } from "../../interactions/stretches-store";

/** Sessions that can be learned from, as stretches of their users' streams. */
export const stretchesOf = (summaries: readonly SessionSummary[]) =>
  summaries.flatMap(({ sessionId, firstSeq, learnable }) =>
    learnable === null
      ? []
      : [
          {
            group: sessionId,
            userId: learnable.userId,
            firstSeq,
            lastSeq: learnable.maxSeq,
            lastCallMinSeq: learnable.minSeq,
          },
        ],
  );

/** The turns of a page as stretches, one for each user. */
export function stretchesOfTurns(turns: readonly SessionTurn[]): Stretch[] {
  const byUser = Map.groupBy(turns, ({ userId }) => userId);
  return [...byUser].map(([userId, own]) => ({
    group: userId,
    userId,
    firstSeq: own[0]?.interactionId ?? 0,
    lastSeq: own.at(-1)?.interactionId ?? 0,
  }));
}
