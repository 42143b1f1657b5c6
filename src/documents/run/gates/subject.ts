/**
 * What a gate shows and freezes (c.4, ruling 30), and what its approval covers. Whatever ran before is frozen with it:
 * what runs after an approval uses what was seen.
 */
import type { Evaluated } from "../../expressions/expression";
import type { Json, JsonObject } from "../../model";
import { artifactHashOf, toolHashOf } from "../identity";
import type { ApprovalProgram } from "../program";
import { resultOf, scopeOf } from "../scope";
import { type Artifact, type Cell, entry } from "../state";
import type { Turn } from "../turn";
import { carries, contentsOf } from "./contents";
import { type PlannedEffect, plannedEffects } from "./planned";

export interface Subject {
  value: Json;
  covers: string[];
}

/**
 * Of an approval step: its own expression, or everything that ran since the last one was decided; and the tool calls
 * that it leads to and that carry something of it.
 */
export function subjectOfStep(
  turn: Turn,
  cell: Cell,
  step: ApprovalProgram,
): { ok: true; subject: Subject } | Exclude<Evaluated, { ok: true }> {
  const own = step.subject?.evaluate(scopeOf(turn, cell));
  if (own && !own.ok) return own;
  const shown = own ? shownByAuthor(turn, own.value) : shownByDefault(turn, cell);
  const planned = step.next === null ? [] : plannedEffects(turn, step.next);
  const contents = contentsOf(planned.length > 0 ? shown.contents : []);
  const effects = planned.filter(({ input }) => carries(input, contents));
  return {
    ok: true,
    subject: {
      value: { ...shown.value, ...(effects.length > 0 ? { effects: effects.map(effectJson) } : {}) },
      covers: [
        ...shown.artifacts.map(artifactHashOf),
        ...effects.map(({ tool, input }) => toolHashOf(tool, input)),
      ],
    },
  };
}

/** Of a gate that the runtime puts before a tool call. */
export const subjectOfCall = (step: string, tool: string, input: Json): Subject => ({
  value: { effects: [{ step, tool, input }] },
  covers: [toolHashOf(tool, input)],
});

/** Of a gate that the runtime puts after a step: what it has made. */
export const subjectOfOffer = (cell: Cell, output: Json, artifacts: Artifact[]): Subject => ({
  value: {
    steps: { [cell.key]: { output, artifacts: artifacts.map(artifactJson) } },
  },
  covers: artifacts.map(artifactHashOf),
});

interface Shown {
  value: JsonObject;
  /** What of it somebody has made. */
  contents: Json[];
  artifacts: Artifact[];
}

function shownByDefault(turn: Turn, cell: Cell): Shown {
  const { cells, sinceGate } = turn.state;
  const inSameMap = (step: Cell): boolean => cell.map !== null && step.map?.id === cell.map.id;
  const steps = sinceGate.flatMap((key) => entry(cells, key) ?? []).filter((step) => !inSameMap(step));
  const map = cell.map ? entry(cells, cell.map.id) : undefined;
  const artifacts = steps.flatMap((step) => step.artifacts);
  return {
    value: {
      steps: Object.fromEntries(steps.map((step) => [step.key, resultOf(step)])),
      ...(cell.map ? { item: map?.mapWork?.items[cell.map.index] ?? null, index: cell.map.index } : {}),
    },
    contents: [...steps.map(({ output }) => output), ...artifacts.map(({ body }) => body)],
    artifacts,
  };
}

/** Only the artifacts that the expression really shows are covered. */
function shownByAuthor({ state }: Turn, value: Json): Shown {
  const made = Object.values(state.cells).flatMap(({ artifacts }) => artifacts);
  const { hashes } = contentsOf(made.length > 0 ? [value] : []);
  return { value: { value }, contents: [value], artifacts: made.filter(({ sha256 }) => hashes.has(sha256)) };
}

const effectJson = ({ step, tool, input }: PlannedEffect): JsonObject => ({ step, tool, input });
const artifactJson = ({ type, body, sha256 }: Artifact): JsonObject => ({ type, body, sha256 });
