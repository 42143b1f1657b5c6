/** How each kind of step is drawn: its shape, what is written in it, and how it ends a run. */
import { label } from "./mermaid-text";
import { ON_TIMEOUT } from "./spec";
import { asObject, asText, oneOf, type StepView, textsOf } from "./validate/view";

/** A way out of a step that no edge of the document says. */
export interface WayOut {
  text: string;
  end: "cancel" | "fail";
}

/** Mermaid's brackets: one shape for each kind, a rectangle for a step of none. */
export function shapeOf(view: StepView): string {
  const text = label(view.id ?? "?", ...linesOf(view));
  switch (view.kind) {
    case "agent":
      return `(${text})`;
    case "tool":
      return `[[${text}]]`;
    case "decision":
      return `{${text}}`;
    case "wait":
      return `{{${text}}}`;
    case "map":
      return `[/${text}/]`;
    case "approval":
      return `[/${text}\\]`;
    case "terminator":
      return `([${text}])`;
    case null:
      return `[${text}]`;
  }
}

/** What is below the id: the kind, and what matters most of it. */
function linesOf({ kind, step }: StepView): string[] {
  const text = (member: string): string => asText(step[member]) ?? "?";
  switch (kind) {
    case "agent":
      return [`agent ${asText(step.agent) ?? asText(step.role) ?? "?"}`];
    case "tool":
      return [`tool ${text("tool")}`];
    case "decision":
      return ["decision"];
    case "wait":
      if (step.duration !== undefined) return [`wait ${text("duration")}`];
      return step.until === undefined ? ["wait for", text("condition")] : ["wait until", text("until")];
    case "map":
      return ["map"];
    case "approval":
      return [`approval by ${approverOf(step.approver)}`, `within ${text("timeout")}`];
    case "terminator":
      return [asText(step.outcome) ?? "completed", text("reason")];
    case null:
      return [asText(step.kind) ?? "?"];
  }
}

function approverOf(approver: StepView["step"][string] | undefined): string {
  const word = asText(approver);
  if (word !== null) return word;
  const { roles, users } = asObject(approver);
  return [...textsOf(roles), ...textsOf(users)].map(({ text }) => text).join(", ") || "?";
}

/** Expired gates and conditions, and rejections that lead nowhere, end the run. */
export function waysOut({ kind, step }: StepView): WayOut[] {
  const end = oneOf(ON_TIMEOUT, step.onTimeout);
  const ways: WayOut[] = [];
  if (kind === "approval" && step.onReject === undefined) ways.push({ text: "rejected", end: "cancel" });
  if (kind === "approval" && end) ways.push({ text: "expired", end });
  if (kind === "wait" && step.condition !== undefined && end) ways.push({ text: "timed out", end });
  return ways;
}
