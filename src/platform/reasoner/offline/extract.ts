/**
 * The extraction half of the `offline` reasoner: reads only what users say, by the grammar of
 * requests and corrections. Deterministic; prefers missing a rule to inventing one.
 */
import type { ChronologyTurn, TaskInput, TaskOutput } from "../port";
import { draftsOfReadings } from "./assemble";
import { contentOf, rationaleOf } from "./content";
import type { Draft } from "./draft";
import { openingSpan, spanOf } from "./evidence";
import { namesIn } from "./person";
import { procedureOf } from "./procedures";
import { readTurn } from "./read-turn";
import { type Reconciled, reconcile } from "./reconcile";
import { type Setting, triggerOf } from "./trigger";

type Candidate = TaskOutput<"extract">["playbooks"][number];

/** Rules one window yields at most. */
const maxRules = 24;
const maxContextChars = 3_000;

/** True for a turn in which the user speaks: role `user` in any case, from no internal source. */
export function isSpokenByUser(turn: ChronologyTurn): boolean {
  return turn.isUserVoice && turn.role.trim().toLowerCase() === "user";
}

/** Indexes of the agent's turns directly before `index`, nearest first, at most three; empty texts are passed over. */
function agentTurnsBefore(turns: readonly ChronologyTurn[], index: number): number[] {
  const found: number[] = [];
  for (let at = index - 1; at >= 0 && found.length < 3; at -= 1) {
    const turn = turns[at];
    if (
      turn === undefined ||
      turn.sessionId !== turns[index]?.sessionId ||
      turn.role.trim().toLowerCase() === "user"
    )
      break;
    if (turn.content.trim() !== "") found.push(at);
  }
  return found;
}

function textOf(turns: readonly ChronologyTurn[], indexes: readonly number[]): string {
  return indexes
    .map((index) => turns[index]?.content.slice(0, maxContextChars) ?? "")
    .join("\n")
    .slice(0, maxContextChars);
}

/** What the user had asked before the agent answered. */
function requestBefore(turns: readonly ChronologyTurn[], index: number): string {
  for (let at = index - 1; at >= 0 && at >= index - 5; at -= 1) {
    const turn = turns[at];
    if (turn !== undefined && isSpokenByUser(turn)) return turn.content.slice(0, maxContextChars);
  }
  return "";
}

function draftsIn(turns: readonly ChronologyTurn[]): Draft[] {
  return turns.flatMap((turn, index) => {
    if (!isSpokenByUser(turn)) return [];
    const before = agentTurnsBefore(turns, index);
    const agentText = textOf(turns, before);
    const inDialogue = before.length > 0 && requestBefore(turns, index) !== "";
    const readings = readTurn(turn.content);
    const procedure = procedureOf(readings, index, agentText);
    const drafts = draftsOfReadings(readings, index, agentText, inDialogue);
    if (procedure === null) return drafts;
    return [
      ...drafts.filter((draft) => draft.end <= procedure.start || draft.start >= procedure.end),
      procedure,
    ];
  });
}

function candidateFrom(
  entry: Reconciled,
  turns: readonly ChronologyTurn[],
  names: readonly string[],
): Candidate | null {
  const { draft, earlier } = entry;
  const turn = turns[draft.turnIndex];
  if (turn === undefined) return null;
  const before = agentTurnsBefore(turns, draft.turnIndex);
  const setting: Setting = {
    agentText: textOf(turns, before),
    requestText: requestBefore(turns, draft.turnIndex),
    names,
  };
  const evidence = new Map<string, string>();
  const cite = (label: string, span: string): void => {
    if (span !== "" && !evidence.has(label)) evidence.set(label, span);
  };
  for (const known of earlier) {
    const source = turns[known.turnIndex];
    if (source !== undefined && known.turnIndex !== draft.turnIndex)
      cite(source.label, spanOf(source.content, known.start, known.end));
  }
  const answered = draft.answersAgent ? turns[before[0] ?? -1] : undefined;
  if (answered !== undefined) cite(answered.label, openingSpan(answered.content));
  cite(turn.label, spanOf(turn.content, draft.start, draft.end));
  if (!evidence.has(turn.label)) return null;
  const trigger = triggerOf(draft, setting);
  const content = contentOf(draft, setting);
  if (trigger.length < 6 || content.length < 8) return null;
  return {
    rationale: rationaleOf(draft, turn.content.slice(draft.start, draft.end), setting),
    evidence_kind: draft.kind,
    trigger,
    content,
    evidence_refs: [...evidence.keys()],
    evidence_spans: [...evidence.values()],
  };
}

/** Rules the users of one window stated, each citing turns with verbatim spans. */
export function extractOffline(input: TaskInput<"extract">): TaskOutput<"extract"> {
  const { turns } = input;
  const names = turns.filter(isSpokenByUser).flatMap((turn) => namesIn(turn.content.slice(0, 2_000)));
  const playbooks = reconcile(draftsIn(turns))
    .map((entry) => candidateFrom(entry, turns, [...new Set(names)]))
    .filter((candidate): candidate is Candidate => candidate !== null);
  return { playbooks: playbooks.slice(-maxRules) };
}

/** The cheap gate. Here the extraction itself is cheap, so the gate answers what it would find. */
export function shouldExtractOffline(input: TaskInput<"shouldExtract">): TaskOutput<"shouldExtract"> {
  return { shouldExtract: draftsIn(input.turns).length > 0 };
}
