/** Text that commands the model that reads it instead of advising the agent. */

import { normalised } from "../../platform/text";
import { disarming } from "./commands/checks";
import type { Command } from "./commands/command";
import { disclosing } from "./commands/disclosure";
import { foreign } from "./commands/languages";
import { redirecting } from "./commands/money";
import { overriding } from "./commands/override";
import { decoded, INVISIBLE, readingsOf, undisguised, unspaced } from "./fold";

const english: readonly Command[] = [...overriding, ...disclosing, ...redirecting, ...disarming];

/** Commands in texts whose gaps are lost. */
const GAPLESS =
  /ignore(?:all|any|the|your|every|prev|prior|above|instruct)|(?:previous|prior|system|your)(?:instructions|prompt)|jailbreak|disregard(?:all|any|the|your|prev)|sendthe(?:password|apikey|key)/;

/**
 * Words that turn what follows into its opposite, up to three words before it ("never share passwords with …"),
 * or that report what somebody may try ("when a caller asks you to ignore …").
 */
const NEGATION =
  /(?:\b(?:never|not|don't|doesn't|shouldn't|mustn't|won't|cannot|can't|avoid|refuse[sd]?(?: to)?|decline[sd]?(?: to)?|prevent(?:s|ed)?|forbid(?:s|den)?|prohibit(?:s|ed)?|reject(?:s|ed)?|instead of|rather than|without|no longer|block(?:s|ed)?|attempts? to|tries to|try to)\b|\b(?:asks?|asked|asking|requests?|wants?)(?: \w+){0,3} to\b)[ :,-]{0,3}(?:\w[\w']{0,15} ){0,3}$|\b(?:consent|permission)\b[^.!?;]{0,30}$/;
/** "Never forget to …", "do not hesitate to …": these turn nothing. */
const FALSE_NEGATION =
  /\b(?:hesitate|forget|fail|neglect|omit|refuse|stop|wait|worry|afraid|bother)\b[^.]{0,20}$/;
const NEGATION_REACH_CHARS = 60;

function isNegated(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - NEGATION_REACH_CHARS), at);
  const clause = /[^.!?;]*$/.exec(before)?.[0] ?? "";
  return NEGATION.test(clause) && !FALSE_NEGATION.test(clause);
}

/** Looks at every match, also at one that begins inside another. */
function gives(commands: readonly Command[], text: string): boolean {
  return commands.some(({ pattern, isNegatable }) => {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      if (!isNegatable || !isNegated(text, match.index)) return true;
      pattern.lastIndex = match.index + 1;
    }
    return false;
  });
}

/** True when the text tries to take the agent over. Reads it plain, undisguised, closed up and decoded. */
export function looksLikeInstruction(text: string): boolean {
  const folded = undisguised(text);
  const readings = readingsOf(text);
  const gapless = unspaced(folded);
  return (
    readings.some((reading) => gives(english, reading)) ||
    gives(foreign, normalised(text.replace(INVISIBLE, ""), "NFKC").toLowerCase()) ||
    (gapless !== null && GAPLESS.test(gapless)) ||
    decoded(text).some((hidden) => gives(english, undisguised(hidden)))
  );
}
