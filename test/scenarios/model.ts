/** What a model is recorded to answer: the rules that a reader found in a conversation, each where it is shown. */
import type {
  ChronologyTurn,
  Reasoner,
  TaskInput,
  TaskName,
  TaskOutput,
} from "../../src/platform/reasoner/port";
import { scriptedReasoner } from "../workers/learning/support";
import { type LabelledRule, type Payload, rulesIn } from "./files";

type Answers = { [T in TaskName]?: (input: TaskInput<T>) => TaskOutput<T> };

/** The position in the conversation of each turn that is shown. */
function positionsOf(turns: readonly ChronologyTurn[], payload: Payload): Map<number, ChronologyTurn> {
  const shown = new Map<number, ChronologyTurn>();
  let after = -1;
  for (const turn of turns) {
    const position = payload.interaction_data_list.findIndex(
      ({ content }, at) => at > after && content.trim() === turn.content.trim(),
    );
    if (position === -1) continue;
    shown.set(position, turn);
    after = position;
  }
  return shown;
}

/** Only their user can prove what somebody prefers. */
const mayProve = (rule: LabelledRule, turn: ChronologyTurn): boolean =>
  rule.kind !== "preference" || turn.isUserVoice;

/** A rule is told in the window that shows the last of its evidence, with what of it stands there. */
function toldOf(rule: LabelledRule, shown: ReadonlyMap<number, ChronologyTurn>) {
  const last = Math.max(...rule.evidence_turns);
  if (!shown.has(last)) return [];
  const refs = rule.evidence_turns
    .map((position) => shown.get(position))
    .filter((turn) => turn !== undefined)
    .filter((turn) => mayProve(rule, turn))
    .map(({ label }) => label);
  return [
    {
      rationale: "The conversation shows it.",
      evidence_kind: rule.kind,
      trigger: rule.trigger,
      content: rule.content,
      evidence_refs: refs,
    },
  ];
}

/** Keeps what is new, and drops what an existing rule says in the same words. */
function consolidate({ fresh, existing }: TaskInput<"consolidate">): TaskOutput<"consolidate"> {
  return {
    decisions: fresh.map((rule) => {
      const same = existing.find(({ content }) => content === rule.content);
      return same === undefined
        ? { kind: "independent" as const, new_ids: [rule.label] }
        : {
            kind: "reject_new" as const,
            new_ids: [rule.label],
            superseded_by_existing_ids: [same.label],
          };
    }),
  };
}

/** The first source's rule stands for its cluster. */
export function firstSource({ sources }: TaskInput<"synthesise">): TaskOutput<"synthesise"> {
  const [first] = sources;
  if (first === undefined) return { playbook: null };
  return {
    playbook: { trigger: first.trigger, content: first.content, rationale: "Several users asked for it." },
  };
}

/** A model that reads the given payloads as their labels do; `answers` replaces tasks. */
export function readingModel(
  known: readonly { name: string; value: Payload }[],
  answers: Answers = {},
): Reasoner & { calls: TaskName[] } {
  return scriptedReasoner({
    extract({ turns }) {
      const said = known.find(({ value }) => positionsOf(turns, value).size === turns.length);
      if (said === undefined) return { playbooks: [] };
      const shown = positionsOf(turns, said.value);
      return { playbooks: rulesIn(said.name).flatMap((rule) => toldOf(rule, shown)) };
    },
    consolidate,
    synthesise: firstSource,
    ...answers,
  });
}
