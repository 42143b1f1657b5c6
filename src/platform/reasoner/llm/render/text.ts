/** Cleaning, cutting and sharing out text that goes into a prompt. */
import { cleanText as wellFormed } from "../../../text";

/** Unicode tag characters: invisible to people, read by models, used to smuggle orders. */
const invisibleTags = /[\u{E0000}-\u{E007F}]/gu;

/** Well-formed, NUL-free text with plain line ends and without invisible tag characters. */
export function cleanText(text: string): string {
  return wellFormed(text).replaceAll("\r\n", "\n").replace(invisibleTags, "");
}

/** Cleaned text on one line, its white space folded, cut to `maxChars`. */
export function singleLine(text: string, maxChars: number): string {
  return cutMiddle(
    cleanText(text.slice(0, maxChars * 4))
      .replace(/\s+/g, " ")
      .trim(),
    maxChars,
  );
}

const isLowSurrogate = (text: string, index: number): boolean => {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
};

/**
 * Cuts well-formed text in the middle to at most `maxChars`, the mark included, and never inside a character.
 * The head gets three fifths: openings say what a turn is about, ends what it comes to.
 */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const mark = ` [… ${text.length} characters, middle left out …] `;
  const room = maxChars - mark.length;
  if (room <= 0) return "…".slice(0, Math.max(0, maxChars));
  let headEnd = Math.ceil(room * 0.6);
  let tailStart = text.length - (room - headEnd);
  if (isLowSurrogate(text, headEnd)) headEnd -= 1;
  if (tailStart < text.length && isLowSurrogate(text, tailStart)) tailStart += 1;
  return text.slice(0, headEnd) + mark + text.slice(tailStart);
}

/**
 * Shares a budget among items: short ones get what they need, long ones an equal part of the rest.
 * No item gets more than it needs or than `perItem`, and the sum is at most `total`.
 */
export function shareBudget(needs: readonly number[], perItem: number, total: number): number[] {
  const wanted = needs.map((need) => Math.min(need, perItem));
  const order = wanted
    .map((_, index) => index)
    .sort((left, right) => (wanted[left] ?? 0) - (wanted[right] ?? 0));
  const shares = wanted.map(() => 0);
  let left = total;
  order.forEach((index, position) => {
    const share = Math.min(wanted[index] ?? 0, Math.floor(left / (order.length - position)));
    shares[index] = share;
    left -= share;
  });
  return shares;
}
