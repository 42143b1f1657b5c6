/**
 * The tool calls that an approval step leads to and that need approval, as far as their inputs are known when its gate
 * opens. They are part of what is approved: a call that then turns out different is not covered and gets its own gate.
 */

import type { Scope } from "../../expressions/expression";
import type { Json } from "../../model";
import { LIMITS } from "../../spec";
import type { MapProgram, StepProgram } from "../program";
import { baseScope, withItem } from "../scope";
import type { Turn } from "../turn";
import { toolNeedsApproval } from "./coverage";

export interface PlannedEffect {
  step: string;
  tool: string;
  input: Json;
}

/** In order of the document, at most as many as a map may have elements. */
export function plannedEffects(turn: Turn, from: string): PlannedEffect[] {
  const { program } = turn;
  if (program.document.playbook.guardrails.requiresApprovalFor.length === 0) return [];
  const scope = baseScope(turn);
  const planned: PlannedEffect[] = [];
  for (const step of stepsAfter(turn, from)) {
    planned.push(...(step.kind === "map" ? inMap(turn, step, scope) : inStep(turn, step, step.id, scope)));
    if (planned.length >= LIMITS.mapItems) return planned.slice(0, LIMITS.mapItems);
  }
  return planned;
}

function inStep(turn: Turn, step: StepProgram, key: string, scope: Scope): PlannedEffect[] {
  if (step.kind !== "tool" || !toolNeedsApproval(turn.program, step.tool)) return [];
  const input = step.input?.evaluate(scope) ?? { ok: true, value: {} };
  return input.ok ? [{ step: key, tool: step.tool, input: input.value }] : [];
}

function inMap(turn: Turn, step: MapProgram, scope: Scope): PlannedEffect[] {
  const target = step.target.kind === "step" ? turn.program.steps.get(step.target.id) : undefined;
  if (target?.kind !== "tool" || !toolNeedsApproval(turn.program, target.tool)) return [];
  const items = step.items.evaluate(scope);
  if (!items.ok || !Array.isArray(items.value) || items.value.length > step.maxItems) return [];
  return items.value.flatMap((item, index) =>
    inStep(turn, target, `${target.id}[${index}]`, withItem(scope, step.itemName, item, index)),
  );
}

/** What the approve edge leads to, by place in the document. */
function stepsAfter({ program }: Turn, from: string): StepProgram[] {
  const found = new Set<StepProgram>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const step = program.steps.get(id);
    if (!step || found.has(step)) continue;
    found.add(step);
    open.push(...successorsOf(step));
  }
  return [...found].sort((a, b) => a.position - b.position);
}

function successorsOf(step: StepProgram): string[] {
  if (step.kind === "decision") return [...step.branches.map(({ next }) => next), step.otherwise];
  const rejected = step.kind === "approval" && step.onReject !== null ? [step.onReject] : [];
  return step.next === null ? rejected : [step.next, ...rejected];
}
