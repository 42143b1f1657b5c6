/** Keeps one rule per wish: later words of the same user win over earlier ones they repeat or reverse. */

import type { Draft } from "./draft";
import { contentStems } from "./topics";

const filler = new Set([
  "use",
  "offer",
  "provid",
  "show",
  "giv",
  "send",
  "writ",
  "keep",
  "mak",
  "includ",
  "add",
  "put",
  "new",
  "any",
  "everyth",
]);

function stems(texts: readonly string[]): Set<string> {
  const found = contentStems(texts.join(" "));
  for (const word of filler) found.delete(word);
  return found;
}

function overlap(left: ReadonlySet<string>, right: ReadonlySet<string>, minShared = 1): number {
  const smaller = Math.min(left.size, right.size);
  if (smaller === 0) return 0;
  let shared = 0;
  for (const stem of left) if (right.has(stem)) shared += 1;
  return shared < minShared ? 0 : shared / smaller;
}

function positive(draft: Draft): Set<string> {
  return stems(draft.parts.filter((part) => part.polarity === "do").map((part) => part.verbPhrase));
}

function negative(draft: Draft): Set<string> {
  return stems(
    draft.parts.flatMap((part) =>
      part.polarity === "avoid" ? [part.verbPhrase] : part.rejected === undefined ? [] : [part.rejected],
    ),
  );
}

function everything(draft: Draft): Set<string> {
  return stems(draft.parts.flatMap((part) => [part.verbPhrase, part.rejected ?? ""]));
}

/** True when the later draft says the opposite of the earlier, or takes it back by name. */
function reverses(later: Draft, earlier: Draft): boolean {
  if (later.takesBack && overlap(everything(later), everything(earlier)) >= 0.3) return true;
  return (
    overlap(negative(later), positive(earlier), 2) >= 0.6 ||
    overlap(positive(later), negative(earlier), 2) >= 0.75 ||
    swaps(later, earlier)
  );
}

/** "use email, not SMS" after "use SMS, not email". */
function swaps(later: Draft, earlier: Draft): boolean {
  return (
    overlap(negative(later), positive(earlier)) >= 0.6 && overlap(positive(later), negative(earlier)) >= 0.6
  );
}

function occasion(draft: Draft): Set<string> {
  return stems(
    [...draft.conditions, ...draft.parts.flatMap((part) => part.conditions)]
      .filter((condition) => condition.kind !== "place")
      .map((condition) => condition.body),
  );
}

/** Both name when, and the two have nothing in common: different lessons, however alike in wording. */
function isForAnotherOccasion(later: Draft, earlier: Draft): boolean {
  const [one, other] = [occasion(later), occasion(earlier)];
  return one.size > 0 && other.size > 0 && overlap(one, other) === 0;
}

function repeats(later: Draft, earlier: Draft): boolean {
  if (isForAnotherOccasion(later, earlier)) return false;
  const sameWay =
    overlap(positive(later), positive(earlier)) >= 0.75 ||
    overlap(negative(later), negative(earlier)) >= 0.75;
  return sameWay && overlap(everything(later), everything(earlier)) >= 0.7;
}

export interface Reconciled {
  readonly draft: Draft;
  /** Earlier turns in which the user said the same. */
  readonly earlier: readonly Draft[];
}

/** Drafts in order of speech, each wish once, in its latest form. */
export function reconcile(drafts: readonly Draft[]): Reconciled[] {
  let kept: Reconciled[] = [];
  for (const draft of drafts) {
    kept = kept.filter(
      ({ draft: known }) =>
        known.turnIndex === draft.turnIndex || !reverses(draft, known) || repeats(draft, known),
    );
    const same = kept.filter(({ draft: known }) => repeats(draft, known));
    kept = kept.filter((entry) => !same.includes(entry));
    kept.push({ draft, earlier: same.flatMap((entry) => [...entry.earlier, entry.draft]) });
  }
  return kept;
}
