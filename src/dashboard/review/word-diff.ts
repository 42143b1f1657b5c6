/** What changes from one text to another, word by word. Pure. */
import { diffWordsWithSpace } from "diff";

export interface Part {
  kind: "same" | "added" | "removed";
  text: string;
}

/** Beyond this many changed words nobody reads a difference, and finding it would cost its square. */
const MAX_EDIT_LENGTH = 600;

/** Where words end in scripts without spaces is the segmenter's business. */
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** In the order of reading; joined without the added parts they give `before`, without the removed ones `after`. */
export function wordDiff(before: string, after: string): Part[] {
  if (before === after) return before === "" ? [] : [{ kind: "same", text: before }];
  const changes = diffWordsWithSpace(before, after, {
    intlSegmenter: segmenter,
    maxEditLength: MAX_EDIT_LENGTH,
  });
  const parts: Part[] =
    changes === undefined
      ? [
          { kind: "removed", text: before },
          { kind: "added", text: after },
        ]
      : changes.map(({ value, added, removed }) => ({
          kind: added ? "added" : removed ? "removed" : "same",
          text: value,
        }));
  return parts.filter(({ text }) => text !== "");
}
