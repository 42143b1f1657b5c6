/** Which code says what when a member has not the shape it must have: by place and by what is wrong with it. */
import type { FindingCode } from "../spec";
import { type Place, rowOf } from "./place";

/**
 * Missing; of another type; a word that is none of the known ones; a number, list or text out of its bounds, and the
 * number 0 where it is out of them.
 */
export type Fault = "missing" | "type" | "word" | "bounds" | "zero";

/** `null`: a pass of its own says it, better. */
type Codes = Partial<Record<Fault, FindingCode | null>>;

const GENERIC: Record<Fault, FindingCode> = {
  missing: "E109",
  type: "E110",
  word: "E111",
  bounds: "E110",
  zero: "E110",
};

const always = (code: FindingCode): Codes => ({ missing: code, type: code, word: code, bounds: code });
const VERSION: Codes = { type: null, bounds: null };
const DURATION: Codes = { type: "S451" };
const LINEAR_EDGE: Codes = { missing: "S403" };
const GUARDRAIL = always("R701");

const CODES: Readonly<Record<string, Codes>> = {
  "document.opbVersion": VERSION,
  "playbook.opbVersion": VERSION,
  "playbook.id": { bounds: "D201" },
  "playbook.playbookId": { bounds: "D201" },
  "playbook.version": { bounds: "D202" },
  "playbook.configSchema": { type: "D209" },
  // Of lists that are too long, and of the one that is empty, a pass counts.
  "playbook.tools": { bounds: null },
  "playbook.triggers": { bounds: null },
  "playbook.steps": { bounds: null },
  "manifest.id": { bounds: "D201" },
  "manifest.slug": { bounds: "D204" },
  "manifest.requiredPermissions.*": { bounds: "D206" },
  "manifest.premiumPriceCents": { bounds: null },
  "tool.permissions.*": { bounds: "D206" },
  "tool.inputSchema": { type: "S414" },
  "tool.outputSchema": { type: "S414" },
  "tool.timeout": DURATION,

  "trigger:?.kind": always("T301"),
  "trigger:webhook.source": { bounds: "T321" },
  "trigger:manual.inputSchema": { type: "T351" },

  "step:?.kind": always("S401"),
  "step:*.id": { type: "S402", bounds: "S402" },
  "step:*.timeout": DURATION,
  "step:*.retry.delay": DURATION,
  "step:*.retry.maxDelay": DURATION,
  "step:*.failureMode": { word: "S416" },
  "step:agent.next": LINEAR_EDGE,
  "step:agent.purpose": { missing: "S413", bounds: "S413" },
  "step:agent.outputSchema": { type: "S414" },
  "step:agent.approvalPolicy.mode": { word: "S415" },
  "step:tool.next": LINEAR_EDGE,
  "step:decision.branches": { missing: "S432", bounds: null },
  "step:decision.default": { missing: "S431" },
  "step:wait.next": LINEAR_EDGE,
  "step:wait.duration": DURATION,
  "step:map.next": LINEAR_EDGE,
  "step:map.items": { missing: "S461" },
  "step:map.concurrency": { bounds: "S462" },
  "step:map.maxItems": { bounds: "S466" },
  "step:approval.next": LINEAR_EDGE,
  "step:approval.approver": { missing: "S442", bounds: "S442" },
  "step:approval.timeout": { missing: "S441", type: "S451" },
  "step:approval.onTimeout": { word: "S443" },
  "step:terminator.reason": { missing: "S471", bounds: "S471" },
  "step:terminator.outcome": { word: "S472" },

  guardrails: GUARDRAIL,
  "guardrails.maxRunDurationSeconds": { ...GUARDRAIL, zero: "R703" },
  "guardrails.maxLlmCostCents": GUARDRAIL,
  "guardrails.requiresApprovalFor": GUARDRAIL,
  "guardrails.requiresApprovalFor.*": GUARDRAIL,
  "guardrails.maxToolCalls": GUARDRAIL,
  "guardrails.maxStepExecutions": GUARDRAIL,
  "guardrails.maxMapItems": GUARDRAIL,
  "guardrails.maxConcurrentRuns": GUARDRAIL,
};

/** The code for a fault at a place; null when another pass says it. */
export function codeOf(place: Place, fault: Fault): FindingCode | null {
  const row = rowOf(CODES, place) ?? {};
  const code = fault === "zero" && row.zero === undefined ? row.bounds : row[fault];
  return code === undefined ? GENERIC[fault] : code;
}
