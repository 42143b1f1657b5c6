/** What a reviewer must see before trusting a rule's text. Pure, deterministic, linear in the text's length. */

import { normalised } from "../platform/text";
import { hasInvisibleCharacters, hasLookAlikes } from "./flagging/characters";
import { isDelayed } from "./flagging/delayed";
import { INVISIBLE } from "./flagging/fold";
import { looksLikeInstruction } from "./flagging/instructions";
import { holdsLink } from "./flagging/links";
import { holdsPersonalDetail } from "./flagging/personal";
import { redirects } from "./flagging/redirects";
import { holdsSecret } from "./flagging/secrets";
import { type Flag, flags, type RuleText, type TextFlag, textFlags } from "./model";

/** Beyond every bound of a rule; what lies behind it is unread and therefore suspect. */
const MAX_READ_CHARS = 200_000;

const checks: Record<TextFlag, (text: string) => boolean> = {
  instruction_like: (text) =>
    text.length > MAX_READ_CHARS || looksLikeInstruction(text.slice(0, MAX_READ_CHARS)),
  secret: (text) =>
    holdsSecret(text.slice(0, MAX_READ_CHARS)) ||
    holdsSecret(text.slice(0, MAX_READ_CHARS).replace(INVISIBLE, "")),
  personal_detail: (text) =>
    holdsPersonalDetail(normalised(text.slice(0, MAX_READ_CHARS).replace(INVISIBLE, ""), "NFKC")),
  link: (text) => holdsLink(normalised(text.slice(0, MAX_READ_CHARS).replace(INVISIBLE, ""), "NFKC")),
  redirects: (text) => redirects(text.slice(0, MAX_READ_CHARS)),
  delayed_trigger: (text) => isDelayed(text.slice(0, MAX_READ_CHARS)),
  invisible_characters: (text) => hasInvisibleCharacters(text.slice(0, MAX_READ_CHARS)),
  look_alike: (text) => hasLookAlikes(text.slice(0, MAX_READ_CHARS)),
};

/** The flags of one text, in the order of `textFlags`. */
export const flagsOf = (text: string): TextFlag[] => textFlags.filter((flag) => checks[flag](text));

/** Flags of a rule's texts, joined with `known` ones. A secret also counts where only the evidence shows it. */
export function flagsOfRule(
  rule: RuleText & { sourceSpan?: string | null },
  known: readonly Flag[] = [],
): Flag[] {
  const texts = [rule.trigger, rule.content, rule.rationale].filter((text) => text !== null);
  const found = new Set<Flag>([...known, ...flagsOf(texts.join("\n"))]);
  if (typeof rule.sourceSpan === "string" && checks.secret(rule.sourceSpan)) found.add("secret");
  return flags.filter((flag) => found.has(flag));
}

const isTextFlag = (flag: Flag): boolean => textFlags.some((textFlag) => textFlag === flag);

/** Flags after an edit: those of the new text, and what the old row knew beyond its text. */
export const refreshedFlags = (
  rule: RuleText & { sourceSpan?: string | null },
  before: readonly Flag[],
): Flag[] =>
  flagsOfRule(
    rule,
    before.filter((flag) => !isTextFlag(flag)),
  );
