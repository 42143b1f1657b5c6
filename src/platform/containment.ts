/** Token containment, the measure by which rules are found to say the same (specification 7.1). Pure. */

/** Scripts written without spaces, whose tokens are pairs of neighbouring characters. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

function pairs(word: string): string[] {
  const characters = [...word];
  if (characters.length < 3) return [word];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Distinct lower-cased tokens between white space. */
export const tokens = (text: string): Set<string> =>
  new Set(
    text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "")
      .flatMap((word) => (UNSPACED.test(word) ? pairs(word) : [word])),
  );

/**
 * |A ∩ B| / min(|A|, |B|), from 0 to 1; 0 where a side is empty. Dividing by the smaller set, not by the
 * union, is what lets a short rule be found inside a longer one.
 */
export function containment(left: string, right: string): number {
  const [small, large] = [tokens(left), tokens(right)].sort((one, other) => one.size - other.size);
  if (small === undefined || large === undefined || small.size === 0) return 0;
  let shared = 0;
  for (const token of small) if (large.has(token)) shared += 1;
  return shared / small.size;
}
