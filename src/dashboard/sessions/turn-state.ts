/** How far learning has come with single turns and with whole sessions, in words. Pure. */
import { type CoverageFacts, coverageOf } from "../../interactions/coverage";
import type { TurnLearning } from "../../interactions/turn-learning-store";
import type { Tone } from "../parts";

/** Closed: every state has its words in `stateText`. */
export const turnStates = [
  "learned",
  "nothing",
  "not_learnable",
  "revoked",
  "given_up",
  "under_way",
  "retrying",
  "waiting",
] as const;
export type TurnState = (typeof turnStates)[number];

export const stateText: Record<TurnState, { label: string; tone?: Tone; meaning: string }> = {
  learned: { label: "learned", tone: "good", meaning: "Rules cite it." },
  nothing: { label: "nothing to learn", meaning: "It was read, and no rule came of it." },
  not_learnable: {
    label: "not for learning",
    meaning: "It was published for evaluation only, or the settings leave its source out.",
  },
  revoked: { label: "revoked", tone: "bad", meaning: "Nothing may be learned from it any more." },
  given_up: { label: "given up", tone: "bad", meaning: "Learning from it failed; it can be replayed." },
  under_way: { label: "being learned from", tone: "info", meaning: "A window that holds it is open." },
  retrying: { label: "tried again soon", tone: "warn", meaning: "The last attempt failed." },
  waiting: { label: "waiting", meaning: "It waits for its turn, or for more turns." },
};

/** What the state of one turn follows from. */
export interface TurnFacts {
  userId: string;
  interactionId: number;
  /** Whether learning may read the call it came with. */
  isEligible: boolean;
  nowMs: number;
}

/** The window that a turn was new in, the newest where it was opened again. */
const windowOf = ({ userId, interactionId }: TurnFacts, windows: TurnLearning["windows"]) =>
  windows.find(
    (window) =>
      window.userId === userId && window.firstNewSeq <= interactionId && window.endSeq >= interactionId,
  );

/** The state of one turn, and the window that was given up with it. */
export function turnStateOf(
  turn: TurnFacts,
  learning: Pick<TurnLearning, "cursors" | "windows" | "revoked" | "lessons">,
): { state: TurnState; windowId: string | null } {
  const plain = (state: TurnState) => ({ state, windowId: null });
  if (learning.revoked.has(turn.interactionId)) return plain("revoked");
  if (!turn.isEligible) return plain("not_learnable");
  const window = windowOf(turn, learning.windows);
  if (window?.state === "dead") return { state: "given_up", windowId: window.windowId };
  const cursor = learning.cursors.get(turn.userId);
  if (window !== undefined && window.state !== "applied") {
    return plain(cursor !== undefined && isRetrying(cursor, turn.nowMs) ? "retrying" : "under_way");
  }
  const isCited = learning.lessons.some(
    (lesson) => lesson.interactionId === turn.interactionId && lesson.userId === turn.userId,
  );
  if (isCited) return plain("learned");
  if (window !== undefined || (cursor?.completedSeq ?? 0) >= turn.interactionId) return plain("nothing");
  return plain(cursor !== undefined && isRetrying(cursor, turn.nowMs) ? "retrying" : "waiting");
}

const isRetrying = (cursor: { attempts: number; retryAtMs: number }, nowMs: number): boolean =>
  cursor.attempts > 0 && cursor.retryAtMs > nowMs;

/** The state of a whole session; `lessons` counts the rules that cite its turns. */
export function sessionStateOf(facts: CoverageFacts | null, lessons: number): TurnState {
  if (facts === null) return "not_learnable";
  const coverage = coverageOf(facts);
  if (coverage === "undecided") return "waiting";
  switch (coverage.reason) {
    case "covered":
      return lessons > 0 ? "learned" : "nothing";
    case "not_applicable":
      return "revoked";
    case "inputs_erased":
      return lessons > 0 ? "learned" : "nothing";
    case "dead_letter":
      return "given_up";
    case "extracting":
      return "under_way";
    case "retrying":
      return "retrying";
    default:
      return "waiting";
  }
}
