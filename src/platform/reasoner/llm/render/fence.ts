/**
 * The fence around recorded material: lines that carry a random tag, so that text inside cannot close it.
 * The tag stands in the user message only; the system message stays the same between calls.
 */
import { cleanText } from "./text";

const tagPattern = /^[A-Za-z0-9_-]{8,40}$/;

export interface Fence {
  readonly tag: string;
  /** Material between its two lines. The text must be cut to size already. */
  around(text: string): string;
}

/** @throws RangeError for a tag that could be guessed or would break the lines */
export function createFence(tag: string): Fence {
  if (!tagPattern.test(tag)) throw new RangeError("the tag of a fence is 8 to 40 letters, digits, _ or -");
  return {
    tag,
    around(text) {
      // A random tag is in no text; a predictable one (tests, replays) must not open the fence either.
      const harmless = cleanText(text).replaceAll(tag, "•");
      return `<<data ${tag}>>\n${harmless}\n<</data ${tag}>>`;
    },
  };
}
