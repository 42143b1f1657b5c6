/** Words the content and the rationale of a rule: orders to the agent, and why they exist. */

import { prefixOf, withoutInvisible } from "./canonical";
import type { Draft, QuotedPart } from "./draft";
import { withoutIdentity } from "./person";
import { capitalised, lowered, phrase, tidy } from "./phrasing";
import { occasionOf, type Setting } from "./trigger";

const maxContentChars = 600;
/** A rule may reach agents of other users, so its rationale hints at the words and does not hand them on. */
const maxHintWords = 12;

const bounds =
  /^(?:(?:\w+ ){1,4}at most|max(?:imum)? |at most |(?:under|below|up to) \d|\d+ (?:\w+ )?(?:max|tops)|no (?:more|longer|less|fewer) than )/i;

function orderOf(part: QuotedPart): string {
  if (part.frame === "norm")
    return `${/^the user/i.test(phrase(part.verbPhrase, [])) ? "respect that " : "make sure that "}${lowered(phrase(part.verbPhrase, part.quotations))}`;
  const words = lowered(phrase(part.verbPhrase, part.quotations));
  const limit = words.replace(/^(?:use|provide) /, "");
  return bounds.test(limit) ? `keep to ${limit}` : words;
}

function sentenceFor(part: QuotedPart): string {
  const manner = part.conditions.find((condition) => condition.kind === "when");
  const occasion =
    manner === undefined ? "" : lowered(occasionOf({ ...manner, quotations: part.quotations }));
  const when = occasion === "" ? "" : ` when ${occasion}`;
  if (part.polarity === "avoid") return `do not ${lowered(phrase(part.verbPhrase, part.quotations))}${when}`;
  if (part.rejected === undefined) return `${orderOf(part)}${when}`;
  return `${orderOf(part)}${when}, not ${phrase(part.rejected, part.quotations)}`;
}

/** "do not use filler", "do not use fluff" → "do not use filler or fluff". */
function joined(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (const line of lines) {
    const ban = /^do not (use|offer|give|add) (.{2,60})$/.exec(line);
    const last = kept.at(-1) ?? "";
    if (ban !== null && last.startsWith(`do not ${ban[1]} `) && !last.includes(" when "))
      kept[kept.length - 1] = `${last} or ${ban[2]}`;
    else kept.push(line);
  }
  return kept;
}

/** Orders first; a scrap such as "two sentences at most" joins the order that it narrows. */
function linesOf(parts: readonly QuotedPart[]): string[] {
  const orders: string[] = [];
  for (const part of parts) {
    if (part.polarity === "avoid") continue;
    const line = sentenceFor(part);
    const scrap = part.frame === "fragment" ? line.replace(/^(?:use|keep to) /, "") : "";
    const last = orders.at(-1);
    if (scrap !== "" && last !== undefined && last.length + scrap.length < 200)
      orders[orders.length - 1] = `${last}, ${scrap}`;
    else orders.push(line);
  }
  const bans = parts.filter((part) => part.polarity === "avoid").map(sentenceFor);
  return [...new Set([...orders, ...joined(bans)].filter((line) => line.length > 3))];
}

/** What the agent is to do, and what the user turned down. */
export function contentOf(draft: Draft, setting: Setting): string {
  const lead = draft.conditions[0];
  const occasion = lead === undefined || lead.kind === "place" ? "" : lowered(occasionOf(lead));
  const when =
    occasion === ""
      ? ""
      : lead?.kind === "before"
        ? `before ${occasion.replace(/^about to /i, "you ").replace(/^before /i, "")}: `
        : `${/^(?:after|having)\b/.test(occasion) ? "" : "when "}${occasion}: `;
  const text = withoutIdentity(tidy(`${when}${linesOf(draft.parts).join("; ")}`), setting.names);
  return `${capitalised(prefixOf(text, maxContentChars))}.`;
}

const reasons = {
  correction: "The user corrected what the agent had done",
  "rejected-approach": "The user turned down the agent's approach and named a better one",
  preference: "The user asked for this as a lasting preference",
  "verified-success": "The user confirmed that this procedure worked",
  "observed-failure": "The user reported that the agent's way had failed",
  "expert-gap": "An expert answered differently from the agent",
} as const;

/** Why the rule exists, with a hint of at most 12 of the user's words. */
export function rationaleOf(draft: Draft, spoken: string, setting: Setting): string {
  const clean = withoutIdentity(
    withoutInvisible(spoken.slice(0, 400).replace(/["\u201c\u201d]/g, "'")),
    setting.names,
  );
  const words = clean.split(" ");
  const hint = words.length > maxHintWords ? `${words.slice(0, maxHintWords).join(" ")}…` : clean;
  return `${reasons[draft.kind]}: "${prefixOf(hint, 160)}"`;
}
