/** A rule while its sentences are still being gathered: what it points back at, and how it ends. */

import type { EvidenceKind } from "../port";
import type { Draft, QuotedPart } from "./draft";
import type { Part, Reading } from "./reading";
import { ownLevel } from "./rule-classes";
import { contentStems } from "./topics";
import { fromPast } from "./verbs";

export interface Open {
  readings: Reading[];
  parts: QuotedPart[];
  kind: EvidenceKind;
  antecedent: string;
  answersAgent: boolean;
  takesBack: boolean;
}

const novice =
  /\b(?:(?:my|the) first (?:time|ever)|never (?:done|used|built|tried|made|played|learned|learnt|knitted|cooked|written|heard)|(?:brand |totally |completely |pretty |quite )?new to|beginner|newbie|novice|don't (?:even )?know what|no idea what|what (?:is|are) (?:a|an|the)? ?\w+ (?:even|anyway))\b/i;
const maskedBy =
  /\b(?:that|this|it|which|\w+ing it) (?:only |just |merely |simply )+((?:hides|masks|papers over|treats|moves|delays|shifts|postpones|covers up|covers|pushes|kicks|patches|buries|sweeps|silences|dodges) [a-z' -]{3,60})/i;
export const backReference =
  /^(?:do|keep doing|continue|use|apply|repeat|follow|stick (?:with|to)|go with|keep|adopt|remember|handle|treat)\s+(?:doing )?(?:exactly )?(?:that|this|it|so(?! many| much)|those|these|likewise|the same|things that way)\b(?! (?:in (?:[a-z]+ )?(?:words|english|terms)|like (?!that|this)|the way)| (?:under|below|within|above|short|brief|concise|simple|plain|formal)\b)|^[a-z-]+ (?:with|by|from|to|on|against|according to|based on) (?:that|this|those|these)\b|^[a-z-]+ (?:accordingly|that way|on that basis|this way)\b/i;

export function quoted(reading: Reading, parts: readonly Part[]): QuotedPart[] {
  return parts.map((part) => ({ ...part, quotations: reading.quotations }));
}

/** What "do that" points at: the sentence before, unless the same sentence spells it out after a dash. */
function antecedentOf(readings: readonly Reading[], index: number): { text: string; parts: QuotedPart[] } {
  const before = readings[index - 1];
  if (before === undefined || before.veto !== null || before.isComplaint) return { text: "", parts: [] };
  const useful = before.parts.filter((part) => part.frame !== "fragment");
  if (useful.length > 0 && useful.every((part) => part.frame !== "norm" && part.frame !== "contrast"))
    return { text: before.openers.rest, parts: quoted(before, useful) };
  return { text: before.openers.rest, parts: [] };
}

export function resolve(current: Open, readings: readonly Reading[], index: number): void {
  const spelledOut = current.parts.filter((part) => !backReference.test(part.verbPhrase));
  if (spelledOut.length > 0) {
    current.parts = spelledOut;
    return;
  }
  const blamed =
    /\byou (?:just |have |also |again )*(?!should|could|can|will|would|have|are|were|did)([a-z]+\s.{3,160}?)[.!]*$/i.exec(
      readings[index - 1]?.text ?? "",
    )?.[1] ?? "";
  const done = blamed === "" ? "" : fromPast(blamed);
  if (done !== blamed && current.parts.every((part) => part.polarity === "avoid")) {
    current.parts = current.parts.map((part) => ({
      ...part,
      verbPhrase: done,
      quotations: readings[index - 1]?.quotations ?? [],
    }));
    const blame = readings[index - 1];
    if (blame !== undefined) current.readings.unshift(blame);
    return;
  }
  const found = antecedentOf(readings, index);
  if (found.text === "") {
    if (readings[index]?.conditions.length === 0) current.parts = [];
    return;
  }
  const pointers = current.parts.flatMap((part) => part.conditions);
  if (found.parts.length === 0 && /^that(?:'s| is| was)\b/i.test(found.text)) {
    current.parts = [];
    return;
  }
  const basis = found.text.replace(/[.!?\s]+$/, "");
  current.parts =
    found.parts.length > 0
      ? found.parts.map((part) => ({ ...part, conditions: [...part.conditions, ...pointers] }))
      : [
          {
            polarity: "do",
            frame: "order",
            verbPhrase: `work on the basis that ${basis}`,
            conditions: pointers,
            quotations: readings[index - 1]?.quotations ?? [],
          },
        ];
  current.antecedent = found.text;
  const before = readings[index - 1];
  if (before !== undefined) current.readings.unshift(before);
}

/** "Keep it short … no filler": the same thing said twice. */
export function sharesObject(open: readonly Part[], fresh: readonly Part[]): boolean {
  const known = contentStems(open.map((part) => `${part.verbPhrase} ${part.rejected ?? ""}`).join(" "));
  const added = [...contentStems(fresh.map((part) => part.verbPhrase).join(" "))];
  return added.length > 0 && added.filter((stem) => known.has(stem)).length * 2 >= added.length;
}

export function draftFrom(open: Open, turnIndex: number, subject: string): Draft {
  const start = Math.min(...open.readings.map((reading) => reading.sentence.start));
  const end = Math.max(...open.readings.map((reading) => reading.sentence.end));
  return {
    turnIndex,
    start,
    end,
    kind: open.kind,
    parts: open.parts,
    conditions: [
      ...open.readings.flatMap((reading) =>
        reading.conditions.map((condition) => ({ ...condition, quotations: reading.quotations })),
      ),
      ...(subject === "" ? [] : [{ kind: "place" as const, body: subject, quotations: [] }]),
    ],
    antecedent: open.antecedent,
    answersAgent: open.answersAgent || open.kind === "correction" || open.kind === "rejected-approach",
    isForNovice:
      open.readings.some((reading) => novice.test(reading.text) || ownLevel.test(reading.text)) &&
      open.parts.some((part) =>
        /\b(?:basics?|beginning|scratch|simpl\w+|plain|slow\w*|fundamentals?|step)\b/i.test(part.verbPhrase),
      ),
    takesBack: open.takesBack,
    reshapes: open.readings.some((reading) => reading.isComplaint),
    masked:
      open.readings
        .map(
          (reading) => maskedBy.exec(reading.text)?.[1]?.replace(/\s+(?:and|but|so|because)\s.*$/i, "") ?? "",
        )
        .find((text) => text !== "") ?? "",
  };
}
