/**
 * The deterministic merge that runs before any model (specification 7.1, short cut 2): a conversation that
 * is published again teaches what it taught before, and must not teach it twice. Pure.
 */

import { containment } from "../platform/containment";
import { isEvidenceValidated, unionOfIds, unionOfNotes, unionOfTexts } from "./candidates";
import type { Lesson, Plan, RuleText, StoredLesson } from "./model";

const SAME_SOURCE_CONTENT = 0.5;
const OTHER_SOURCE_CONTENT = 0.75;
const OTHER_SOURCE_TRIGGER = 0.6;

const sharesInteraction = (left: readonly number[], right: readonly number[]): boolean =>
  left.some((id) => right.includes(id));

/** Words that turn a rule around or bound it; texts that differ in them are never taken for the same. */
const DECISIVE =
  /\b(?:no|not|never|none|without|avoid|stop|skip|only|unless|except|always|before|after|first|last|instead|more|less|fewer|\w+n['’]t|\d+(?:[.,]\d+)*)\b/g;

const decisiveWords = (text: string): string =>
  [...new Set(text.toLowerCase().match(DECISIVE) ?? [])].sort().join(" ");

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/**
 * Whether each text has a word that the other lacks: "by size" has become "by author". On other turns that is
 * as likely a change of mind as a new wording of the same, so it is not decided by counting.
 */
function substitutes(left: string, right: string): boolean {
  const [mine, theirs] = [wordsOf(left), wordsOf(right)];
  return [...mine].some((word) => !theirs.has(word)) && [...theirs].some((word) => !mine.has(word));
}

const saysTheSame = (lesson: Lesson, stored: StoredLesson, sameSource: boolean): boolean =>
  lesson.readerAngle === stored.readerAngle &&
  containment(lesson.content, stored.content) >= (sameSource ? SAME_SOURCE_CONTENT : OTHER_SOURCE_CONTENT) &&
  (sameSource ||
    (containment(lesson.trigger, stored.trigger) >= OTHER_SOURCE_TRIGGER &&
      !substitutes(lesson.content, stored.content)));

/** The one stored row that states the lesson, or null where there is none or it is not clear which. */
function matchOf(lesson: Lesson, existing: readonly StoredLesson[]): StoredLesson | null {
  const matches = existing.filter((row) =>
    saysTheSame(lesson, row, sharesInteraction(lesson.sourceInteractionIds, row.sourceInteractionIds)),
  );
  const [only] = matches;
  if (only === undefined || matches.length > 1) return null;
  return decisiveWords(lesson.content) === decisiveWords(only.content) ? only : null;
}

const textOf = ({ trigger, content, rationale }: RuleText): RuleText => ({ trigger, content, rationale });

/** The reviewer's wording where exactly one was given, else the stored one. */
function wordingOf(stored: StoredLesson, lessons: readonly Lesson[]): RuleText {
  const revised = new Map(
    lessons
      .filter((lesson) => lesson.revised)
      .map((lesson) => [JSON.stringify(textOf(lesson)), textOf(lesson)]),
  );
  const [only] = revised.values();
  return only !== undefined && revised.size === 1 ? only : textOf(stored);
}

function successorOf(stored: StoredLesson, lessons: readonly Lesson[]): Lesson {
  return {
    ...wordingOf(stored, lessons),
    readerAngle: stored.readerAngle,
    sourceInteractionIds: unionOfIds([
      stored.sourceInteractionIds,
      ...lessons.map((lesson) => lesson.sourceInteractionIds),
    ]),
    sourceSpan: unionOfTexts([stored.sourceSpan, ...lessons.map((lesson) => lesson.sourceSpan)]),
    notes: unionOfNotes([stored.notes, ...lessons.map((lesson) => lesson.notes)]),
    revised: lessons.some((lesson) => lesson.revised),
  };
}

/** A successor that would say and prove nothing new; the stored row stays as it is. */
const addsNothing = (stored: StoredLesson, successor: Lesson): boolean =>
  JSON.stringify(textOf(successor)) === JSON.stringify(textOf(stored)) &&
  successor.sourceInteractionIds.every((id) => stored.sourceInteractionIds.includes(id));

/**
 * Decides without a model where every new lesson is a stored one told again, or nothing is stored near any
 * of them. A lesson that matches nothing among its neighbours may still contradict one of them, so it goes
 * to the model with the rest, where upstream inserts it unseen.
 * @returns the plan, or null where a model has to decide
 */
export function replayMerge(fresh: readonly Lesson[], existing: readonly StoredLesson[]): Plan | null {
  const plan: Plan = { inserts: [], retirements: [], keptBy: [] };
  if (existing.length === 0) return { ...plan, inserts: [...fresh] };
  if (!fresh.every(isEvidenceValidated)) return null;

  const merged = new Map<StoredLesson, Lesson[]>();
  for (const lesson of fresh) {
    const match = matchOf(lesson, existing);
    if (match === null) return null;
    merged.set(match, [...(merged.get(match) ?? []), lesson]);
  }
  for (const [stored, lessons] of merged) {
    const successor = successorOf(stored, lessons);
    if (addsNothing(stored, successor)) plan.keptBy.push(stored.userPlaybookId);
    else {
      plan.retirements.push({
        userPlaybookId: stored.userPlaybookId,
        status: "merged",
        into: plan.inserts.push(successor) - 1,
      });
    }
  }
  return plan;
}
