/** Reads a whole turn: bounded, without what is only shown, and not at all when it attacks. */

import { canonicalise } from "./canonical";
import { excerptsOf } from "./excerpts";
import { hideForeignText } from "./opaque";
import { type Reading, readSentence } from "./reading";
import { splitSentences } from "./sentences";

/** The readings of a turn, in order; none for a turn that tries to take the agent over. */
export function readTurn(content: string): Reading[] {
  const readings = excerptsOf(content).flatMap(({ offset, text }) =>
    splitSentences(hideForeignText(canonicalise(text))).flatMap((sentence) => {
      const placed = { ...sentence, start: sentence.start + offset, end: sentence.end + offset };
      return readSentence(placed, content.slice(placed.start, placed.end));
    }),
  );
  return readings.some((reading) => reading.veto === "injection") ? [] : readings;
}
