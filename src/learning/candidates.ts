/** From reviewed candidates to lessons: ids and spans recomputed from the evidence that was kept. Pure. */
import { cut, MAX_NOTES_CHARS, MAX_SOURCE_IDS, MAX_SPAN_CHARS } from "./bounds";
import type { Candidate, EvidenceUnit, Lesson } from "./model";

/** The newest ids where there are too many; in order of first appearance. */
export function unionOfIds(lists: readonly (readonly number[])[]): number[] {
  const distinct = [...new Set(lists.flat())];
  if (distinct.length <= MAX_SOURCE_IDS) return distinct;
  const kept = new Set([...distinct].sort((left, right) => right - left).slice(0, MAX_SOURCE_IDS));
  return distinct.filter((id) => kept.has(id));
}

/** Distinct texts joined by a blank line, as many as fit whole; the first is cut if it alone does not. */
export function unionOfTexts(texts: readonly string[], limit: number = MAX_SPAN_CHARS): string {
  const distinct = new Set(texts.filter((text) => text.trim() !== ""));
  let joined = "";
  for (const text of distinct) {
    const next = joined === "" ? cut(text, limit) : `${joined}\n\n${text}`;
    if (next.length <= limit) joined = next;
  }
  return joined;
}

/** Notes of several rules, each line once; null where there are none. */
export function unionOfNotes(notes: readonly (string | null)[]): string | null {
  const lines = new Set(
    notes.flatMap((note) => (note ?? "").split("\n")).filter((line) => line.trim() !== ""),
  );
  return lines.size === 0 ? null : cut([...lines].join("\n"), MAX_NOTES_CHARS);
}

/** A candidate as a lesson, resting on `units` alone. */
export const lessonOf = (
  candidate: Candidate,
  units: readonly EvidenceUnit[],
  note: string | null,
  revised: boolean,
): Lesson => ({
  trigger: candidate.trigger,
  content: candidate.content,
  rationale: candidate.rationale,
  readerAngle: candidate.evidenceKind,
  sourceInteractionIds: unionOfIds([units.map((unit) => unit.interactionId)]),
  sourceSpan: unionOfTexts(units.map((unit) => unit.text)),
  notes: note,
  revised,
});

/** Whether a lesson's evidence was checked: ids, span and angle are all there (specification 6.6). */
export const isEvidenceValidated = (
  lesson: Pick<Lesson, "sourceInteractionIds" | "sourceSpan" | "readerAngle">,
): boolean =>
  lesson.sourceInteractionIds.length > 0 && lesson.sourceSpan !== "" && lesson.readerAngle !== null;
