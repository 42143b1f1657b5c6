/** What the members of one step say together: S404 in maps, S411, S432, S442, S453, S454 and S463. */
import type { JsonObject } from "../model";
import { EXPRESSION_ROOTS } from "../spec";
import type { Pass } from "./index";
import type { Report } from "./report";
import { readStepGraph } from "./step-graph";
import { type DocumentView, isObject, oneOf, type StepView } from "./view";

export const checkSteps: Pass = (view, report) => {
  for (const step of view.steps) CHECKS[step.kind ?? "none"]?.(step, report);
  checkNamedItems(view, report);
};

const CHECKS: Partial<Record<string, (view: StepView, report: Report) => void>> = {
  agent: checkAgent,
  decision: checkDecision,
  wait: checkWait,
  map: checkMap,
  approval: checkApproval,
};

const isGiven = (step: JsonObject, member: string): boolean =>
  step[member] !== undefined && step[member] !== "";

function checkAgent({ step, pointer }: StepView, report: Report): void {
  if (isGiven(step, "agent") || isGiven(step, "role")) return;
  report("S411", pointer, "It names neither an agent nor a role.", { hint: '"role": "support", or "agent"' });
}

function checkDecision({ step, pointer }: StepView, report: Report): void {
  if (!Array.isArray(step.branches) || step.branches.length > 0) return;
  report("S432", `${pointer}/branches`, "A decision has at least one branch.", {
    hint: '{"when": …, "next": …}',
  });
}

const WAITS = ["duration", "until", "condition"];

/** What hangs on the way of waiting is only looked at when there is one way. */
function checkWait({ step, pointer }: StepView, report: Report): void {
  const given = Object.keys(step).filter((member) => WAITS.includes(member));
  if (given.length !== 1) {
    // Of members in conflict the later one is named (ruling 22).
    const path = given.length === 0 ? pointer : `${pointer}/${given.at(-1)}`;
    report(
      "S453",
      path,
      `A wait has exactly one of duration, until and condition; here are ${given.length}.`,
      {
        hint: WAITS.join(", "),
      },
    );
  } else if (given[0] !== "condition") {
    for (const member of ["timeout", "onTimeout"]) {
      if (step[member] === undefined) continue;
      report("E105", `${pointer}/${member}`, `"${member}" is of waits with a condition.`, {
        hint: "no such member",
      });
    }
  } else if (step.timeout === undefined) {
    report("S454", pointer, "A condition may never come true: there is no timeout.", {
      hint: '"timeout": "6h", "onTimeout": "fail"',
    });
  } else if (step.onTimeout === undefined) {
    report("E109", pointer, '"onTimeout" is missing.', { hint: '"cancel", "fail" or "continue"' });
  }
}

function checkMap({ step, pointer }: StepView, report: Report): void {
  const targets = Object.keys(step).filter((member) => member === "itemStep" || member === "itemPlaybook");
  if (targets.length !== 1) {
    const path = targets.length === 0 ? pointer : `${pointer}/${targets.at(-1)}`;
    report("S463", path, `A map has exactly one of itemStep and itemPlaybook; here are ${targets.length}.`, {
      hint: "itemStep, or itemPlaybook",
    });
  }
  const root = oneOf(EXPRESSION_ROOTS, step.as);
  if (root !== null && root !== "item") {
    report("E110", `${pointer}/as`, `"${root}" already means something in expressions.`, {
      hint: '"item", "order"',
    });
  }
}

function checkApproval({ step, pointer, map }: StepView, report: Report): void {
  const { approver } = step;
  if (isObject(approver)) {
    const isNobody = ["roles", "users"].every(
      (member) =>
        approver[member] === undefined || (Array.isArray(approver[member]) && approver[member].length === 0),
    );
    if (isNobody) report("S442", `${pointer}/approver`, "Nobody may decide.", { hint: '"roles" or "users"' });
  }
  if (map && step.onReject !== undefined) reportItemEdge(pointer, report);
}

const reportItemEdge = (pointer: string, report: Report): void =>
  report("S404", `${pointer}/onReject`, "A rejected item fails: no edge leads out of a map's item.", {
    hint: "no onReject",
  });

/** Of a step that a map names by its id, the graph says the rest (S464, S465). */
function checkNamedItems(view: DocumentView, report: Report): void {
  if (!view.steps.some(({ kind, step }) => kind === "map" && typeof step.itemStep === "string")) return;
  for (const { isItem, view: item } of readStepGraph(view).nodes) {
    if (!isItem || item.map || item.kind !== "approval" || item.step.onReject === undefined) continue;
    reportItemEdge(item.pointer, report);
  }
}
