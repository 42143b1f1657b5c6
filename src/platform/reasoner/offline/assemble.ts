/** Gathers the sentences of one user turn into rules: what belongs together becomes one draft. */

import type { EvidenceKind } from "../port";
import type { Draft, QuotedPart } from "./draft";
import { isOfTheMoment } from "./occasions";
import { backReference, draftFrom, type Open, quoted, resolve, sharesObject } from "./open-rule";
import { isRule } from "./qualify";
import {
  asksBack,
  declines,
  deflection,
  failure,
  mockPraise,
  objection,
  offer,
  pushesBack,
  straight,
} from "./reactions";
import type { Part, Reading } from "./reading";
import { isPlanOfAttack, ownLevel } from "./rule-classes";
import { findsFault, givesReason } from "./rule-dialogue";
import type { Surroundings } from "./surroundings";

/** Rules taken from one turn at most. */
const maxDraftsPerTurn = 12;

function kindFor(reading: Reading, part: Part, around: Surroundings): EvidenceKind {
  if (reading.rejectsApproach && around.followsAgent) return "rejected-approach";
  const corrects =
    around.pushesBack || (part.frame === "ban" && around.followsAgent) || part.frame === "need";
  return corrects && around.followsAgent ? "correction" : "preference";
}

/** Rules stated in one user turn. `agentText` is what the agent said just before, or ""; `inDialogue`: it answered this user. */
export function draftsOfReadings(
  readings: readonly Reading[],
  turnIndex: number,
  agentText: string,
  inDialogue = false,
): Draft[] {
  const drafts: Draft[] = [];
  let open: Open | null = null;
  let underHeading = false;
  let subject = "";
  let lastIndex = -2;
  const isSarcastic =
    failure.test(agentText) && readings.slice(0, 2).some((reading) => mockPraise.test(reading.text));

  const close = (): void => {
    if (open !== null && open.parts.length > 0 && drafts.length < maxDraftsPerTurn)
      drafts.push(draftFrom(open, turnIndex, subject));
    open = null;
  };
  const begin = (
    reading: Reading,
    parts: readonly Part[],
    kind: EvidenceKind,
    answersAgent: boolean,
  ): Open => {
    close();
    return {
      readings: [reading],
      parts: quoted(reading, parts),
      kind,
      antecedent: "",
      answersAgent,
      takesBack:
        reading.takesBack ||
        readings
          .slice(Math.max(0, readings.indexOf(reading) - 2), readings.indexOf(reading))
          .some((earlier) => earlier.takesBack),
    };
  };

  readings.forEach((reading, index) => {
    const before = readings[index - 1];
    const after = readings[index + 1];
    if (reading.isHeading) {
      close();
      underHeading = true;
      subject =
        /\b(?:for|about|on|in|with) ((?:the |our |my |all )?(?:future )?(?!(?:the )?future\b|next|me\b|us\b|you\b|mind)[a-z][a-z -]{2,40}?)(?:\s+(?:in (?:the )?future|going forward|from now on|from here on|next time|please))?\W*$/i
          .exec(reading.text)?.[1]
          ?.replace(/^(?:all )?future /i, "") ?? "";
      return;
    }
    if (reading.veto !== null && !(reading.veto === "task" && before?.rejectsApproach === true)) return;
    if (isSarcastic && reading.parts.every((part) => part.polarity === "do")) return;
    if (before?.veto === "irony" && reading.parts.every((part) => part.polarity === "do")) return;
    const around: Surroundings = {
      followsAgent: agentText !== "",
      answersOffer: offer.test(agentText.slice(-240)),
      pushesBack:
        pushesBack(reading) ||
        pushesBack(before) ||
        (index > 1 &&
          readings
            .slice(0, index)
            .some(
              (earlier) =>
                earlier.rejectsApproach ||
                earlier.openers.interrupts ||
                (index === 2 && earlier.openers.refuses),
            )),
      underHeading,
      wasInterrupted: readings
        .slice(Math.max(0, index - 2), index + 1)
        .some((earlier) => earlier.openers.interrupts),
      isWholeTurn: readings.length === 1,
      benefitFollows:
        (after?.explainsBenefit === true && after.veto === null) ||
        (reading.explainsBenefit && !reading.isQuestion),
      alternativeFollows:
        reading.parts.some((part) => part.polarity === "do") ||
        (after !== undefined &&
          after.veto === null &&
          !after.isQuestion &&
          !after.openers.shiftsTopic &&
          after.parts.some((part) => part.polarity === "do" && part.frame === "order")),
      followsBlame:
        before?.veto === null &&
        before.parts.some((part) => part.frame === "ban") &&
        /^you\b/i.test(before.openers.rest),
      goesStraight:
        straight.test(reading.text) ||
        (after !== undefined &&
          after.veto === null &&
          /^(?:go )?(?:straight|right|directly) to\b|^just (?:the|give|tell|answer)\b|^only the\b|\b(?:will do|(?:is|are) (?:enough|plenty))[.!]*$|^(?!.*\byou\b).{2,40} (?:only|instead)[.!]*$/i.test(
            after.text,
          )),
      agentText: agentText.toLowerCase(),
      statesLevel: readings.slice(0, index + 1).some((earlier) => ownLevel.test(earlier.text)),
      declinesOffered: agentText !== "" && before !== undefined && declines(before, agentText.toLowerCase()),
      inDialogue,
      reasonFollows: givesReason(after),
      findsFault: inDialogue && readings.slice(0, index + 2).some(findsFault),
      objectsToDeflection:
        deflection.test(agentText) &&
        readings.slice(0, index + 1).some((earlier) => objection.test(earlier.text)),
    };
    const rules = reading.parts.filter((part) => isRule(reading, part, around));
    const continues = open !== null && lastIndex === index - 1 && !reading.openers.shiftsTopic;

    if (rules.length > 0) {
      const first = rules[0];
      const weak = rules.every(
        (part) =>
          part.frame === "need" ||
          part.frame === "fragment" ||
          (part.frame === "order" && reading.durability !== "lasting" && reading.durability !== "habitual"),
      );
      const answersBan =
        open?.parts.every((part) => part.polarity === "avoid") === true &&
        rules.some((part) => part.polarity === "do");
      if (
        continues &&
        open !== null &&
        !underHeading &&
        (weak || answersBan || sharesObject(open.parts, rules))
      ) {
        open.readings.push(reading);
        open.parts.push(...quoted(reading, reading.parts.filter(isSubstantial)));
      } else if (first !== undefined) {
        const parts = reading.parts.filter(
          (part) =>
            rules.includes(part) || (isSubstantial(part) && part.frame !== "norm" && part.frame !== "want"),
        );
        const current: Open = begin(
          reading,
          parts,
          kindFor(reading, first, around),
          around.followsAgent && (around.pushesBack || asksBack(before)),
        );
        if (
          lastIndex < index - 1 &&
          before !== undefined &&
          before.veto === null &&
          agentText !== "" &&
          !before.isQuestion &&
          first.polarity === "do"
        ) {
          const unwanted = before.parts.filter(
            (part) =>
              part.polarity === "avoid" &&
              (part.frame === "need" || part.frame === "ban" || part.frame === "dislike") &&
              !isOfTheMoment(part),
          );
          if (unwanted.length > 0) {
            current.parts.unshift(...quoted(before, unwanted));
            current.readings.unshift(before);
          }
        }
        const stated = statementBefore(before, first);
        if (stated !== null) {
          current.parts.unshift(stated);
          if (before !== undefined) current.readings.unshift(before);
        }
        if (parts.some((part) => backReference.test(part.verbPhrase))) resolve(current, readings, index);
        if (before !== undefined && lastIndex < index - 1 && before.isComplaint)
          current.readings.unshift(before);
        if (
          around.wasInterrupted &&
          before !== undefined &&
          lastIndex < index - 1 &&
          !current.readings.includes(before) &&
          before.veto === null
        )
          current.readings.unshift(before);
        const level = readings.slice(0, index).find((earlier) => ownLevel.test(earlier.text));
        if (
          level !== undefined &&
          around.followsAgent &&
          !current.readings.includes(level) &&
          index - readings.indexOf(level) < 3
        )
          current.readings.unshift(level);
        open = current;
      }
      lastIndex = index;
      return;
    }
    if (underHeading && reading.openers.shiftsTopic) return;
    const extra = reading.parts.filter(
      (part) =>
        isSubstantial(part) &&
        part.frame !== "norm" &&
        part.frame !== "praise" &&
        !(part.frame === "want" || part.frame === "request"),
    );
    const isCalm = !reading.isQuestion && reading.durability !== "momentary";
    if (continues && open !== null && isCalm && !underHeading) {
      if (extra.length > 0 && open.parts.length < 6) open.parts.push(...quoted(reading, extra));
      if (
        extra.length > 0 ||
        reading.explainsBenefit ||
        /^(?:i|it|that|the|because|otherwise|so)\b/i.test(reading.text)
      ) {
        open.readings.push(reading);
        if (extra.length > 0) lastIndex = index;
      }
      return;
    }
    const follows = pushesBack(before) && agentText !== "" && isCalm;
    const rejected =
      follows &&
      (before?.rejectsApproach === true || reading.rejectsApproach) &&
      extra.some(
        (part) =>
          part.frame === "order" &&
          part.verbPhrase.split(" ").length > 2 &&
          (!isOfTheMoment(part) || isPlanOfAttack(part.verbPhrase)),
      );
    const reshapes =
      follows &&
      before?.isComplaint === true &&
      extra.length > 0 &&
      extra.every((part) => !isOfTheMoment(part));
    if (rejected || reshapes) {
      const current: Open = begin(reading, extra, rejected ? "rejected-approach" : "correction", true);
      if (before !== undefined) current.readings.unshift(before);
      open = current;
      lastIndex = index;
    }
  });
  close();
  return drafts;
}

/** "That's wrong, holidays don't count. Leave them out …": the pronoun stands for what was just stated. */
function statementBefore(before: Reading | undefined, part: Part): QuotedPart | null {
  if (
    before === undefined ||
    before.veto !== null ||
    before.isQuestion ||
    before.parts.some((known) => known.frame !== "fragment" && known.frame !== "norm")
  )
    return null;
  if (!before.openers.refuses || !/^[a-z-]+ (?:it|them|those|these)\b/i.test(part.verbPhrase)) return null;
  const statement = before.openers.rest.replace(/[.!\s]+$/, "");
  if (statement.split(" ").length < 3) return null;
  return {
    polarity: "do",
    frame: "order",
    verbPhrase: `work on the basis that ${statement}`,
    conditions: [],
    quotations: before.quotations,
  };
}

function isSubstantial(part: Part): boolean {
  return (
    part.frame !== "praise" &&
    !/^(?:stop|wait|listen|look)$/i.test(part.verbPhrase) &&
    !(part.frame === "fragment" && /^use (?:please|here's|ok|thanks)/i.test(part.verbPhrase))
  );
}
