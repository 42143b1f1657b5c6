/** The evidence of a stored rule: the places in its cited turns that its verbatim span quotes. Pure. */
import type { StreamTurn } from "../../interactions/model";
import type { ChronologyTurn } from "../../platform/reasoner/port";
import { markFinder } from "../../playbooks/evidence-marks";
import type { UserPlaybook } from "../../playbooks/model";
import { cut, MAX_CITED_CHARS } from "../bounds";
import { type Chronology, chronologyOf } from "../chronology";
import type { Candidate, EvidenceUnit, Lesson } from "../model";
import { citableTexts } from "../turn-text";
import { evidenceKindOf } from "../validate";

/** Units shown of a rule that took in others; the newest, since those are what it says today. */
const MAX_UNITS = 40;

export interface StoredEvidence {
  /** The rule as a reviewer sees it, labelled `C1`. */
  candidate: Candidate;
  /** Its window and the turns it cites besides, as they were spoken. */
  turns: ChronologyTurn[];
  /** Cited turns that are not shown; nobody judges them. */
  unshownIds: number[];
}

type Place = Omit<EvidenceUnit, "unit">;

/** The words of a turn that the span quotes, as the turn has them; "" where it quotes none. */
function quotedWords(turn: ChronologyTurn, span: string, find: ReturnType<typeof markFinder>): string {
  for (const text of citableTexts(turn)) {
    const marks = find(text, span);
    if (marks.length > 0) return marks.map(([start, end]) => text.slice(start, end)).join("\n\n");
  }
  return "";
}

/** Where one cited turn proves the rule: its quoted words, or else the turn itself. */
function placesOf(
  interactionId: number,
  chronology: Chronology,
  isExperts: boolean,
  wordsOf: (turn: ChronologyTurn) => string,
): Place[] {
  const turns = chronology.turns.filter(
    ({ label }) => chronology.interactionIdOf.get(label) === interactionId,
  );
  const place = (turn: ChronologyTurn, text: string): Place => ({
    turn: turn.label,
    interactionId,
    text: cut(text, MAX_CITED_CHARS),
    isUserVoice: turn.isUserVoice,
  });
  const quoted = turns.map((turn) => place(turn, wordsOf(turn))).filter(({ text }) => text !== "");
  if (quoted.length > 0) return quoted;
  // An expert's answer stands behind the one it improves on.
  const whole = isExperts ? turns.at(-1) : turns[0];
  const [text] = whole === undefined ? [] : citableTexts(whole);
  return whole === undefined || text === undefined ? [] : [place(whole, text)];
}

/**
 * @param turns all turns of the rule's window and all that it cites
 * @returns null where the rule's evidence was never validated (specification 6.6) or shows nothing
 */
export function evidenceOf(row: UserPlaybook, turns: readonly StreamTurn[]): StoredEvidence | null {
  const evidenceKind = evidenceKindOf(row.readerAngle ?? "");
  const span = row.sourceSpan ?? "";
  if (evidenceKind === undefined || span.trim() === "") return null;
  const chronology = chronologyOf(turns);
  const find = markFinder();
  const ids = [...new Set(row.sourceInteractionIds)];
  const places = ids.flatMap((id) =>
    placesOf(id, chronology, evidenceKind === "expert-gap", (turn) => quotedWords(turn, span, find)),
  );
  const newest = new Set(
    [...places].sort((left, right) => right.interactionId - left.interactionId).slice(0, MAX_UNITS),
  );
  const shown = places.filter((place) => newest.has(place));
  if (shown.length === 0) return null;
  const shownIds = new Set(shown.map(({ interactionId }) => interactionId));
  return {
    candidate: {
      label: "C1",
      trigger: row.trigger ?? "",
      content: row.content,
      rationale: row.rationale ?? "",
      evidenceKind,
      evidence: shown.map((place, index) => ({ unit: `C1-E${index + 1}`, ...place })),
    },
    turns: chronology.turns,
    unshownIds: ids.filter((id) => !shownIds.has(id)),
  };
}

/**
 * A lesson that a reviewer narrowed, with what it still rests on: evidence that nobody was shown stays, and a span
 * that lost nothing stays as it was.
 */
export function keptEvidence(row: UserPlaybook, evidence: StoredEvidence, lesson: Lesson): Lesson {
  const kept = new Set([...lesson.sourceInteractionIds, ...evidence.unshownIds]);
  const ids = [...new Set(row.sourceInteractionIds)].filter((id) => kept.has(id));
  const lostNothing = ids.length === new Set(row.sourceInteractionIds).size;
  return {
    ...lesson,
    sourceInteractionIds: ids,
    sourceSpan: lostNothing || evidence.unshownIds.length > 0 ? (row.sourceSpan ?? "") : lesson.sourceSpan,
  };
}
