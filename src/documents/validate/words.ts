/** How findings show values and say what would be right. */
import type { Json } from "../model";
import { LIMITS } from "../spec";
import { type Place, rowOf } from "./place";

const MAX_SHOWN = 60;

/** A text or number as it stands, cut to 60 characters; of a list or an object only what it is. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  const text = typeof value === "string" ? `"${value}"` : String(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** `a text`, `a list` …: the type of a value. */
export function typeName(value: Json | undefined): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "a text";
  return typeof value === "object"
    ? "an object"
    : value === undefined
      ? "nothing"
      : `the ${typeof value} ${value}`;
}

/** `"a", "b" or "c"`. */
export function oneOfWords(words: readonly string[]): string {
  const quoted = words.map((word) => `"${word}"`);
  const last = quoted.pop() ?? "";
  return quoted.length > 0 ? `${quoted.join(", ")} or ${last}` : last;
}

const CROCKFORD = "26 of the digits 0-9 and letters A-Z without I, L, O and U";
const PERMISSION = 'lower-case words with dots between them, such as "email.draft"';
const DURATION = 'a duration such as "90s", "1h30m" or "7d"';
const SECRET = 'capital letters, digits and _, such as "CRM_TOKEN": the name, never the value';
const COUNT = "a whole number, at least 0";
const NEXT = "the id of the step that follows";

/** What would be right, where the type alone does not tell. */
const RIGHT: Readonly<Record<string, string>> = {
  "document.requires.secrets.*": SECRET,
  "document.requires.secrets.*.name": SECRET,
  "playbook.id": `"pvr_" and ${CROCKFORD}`,
  "playbook.playbookId": `"plb_" and ${CROCKFORD}`,
  "playbook.version": 'a semantic version, such as "1.0.0"',
  "manifest.id": `"plb_" and ${CROCKFORD}: the playbookId`,
  "manifest.slug": `lower-case letters and digits with single hyphens, such as "refund-check", at most ${LIMITS.slugLength} characters`,
  "manifest.requiredPermissions.*": PERMISSION,
  "manifest.premiumPriceCents": "a whole number of cents for a premium playbook, null for others",
  "tool.permissions.*": PERMISSION,
  "tool.timeout": DURATION,
  "trigger:webhook.source": 'the name of a source, such as "payments"',
  "trigger:schedule.cron": 'five fields, such as "30 9 * * 1"',
  "step:*.id": "a letter, then at most 63 letters, digits, _ and -",
  "step:*.next": NEXT,
  "step:*.timeout": DURATION,
  "step:*.retry.delay": DURATION,
  "step:*.retry.maxDelay": DURATION,
  "step:wait.duration": DURATION,
  "step:agent.purpose": "in plain English, what the agent is to do",
  "step:agent.approvalPolicy": '{"mode": "auto"} or {"mode": "required"}',
  "step:decision.branches": 'at least one {"when": …, "next": …}',
  "step:decision.branches.*.next": NEXT,
  "step:decision.default": "the id of the step to go to when no branch holds",
  "step:map.items": "an expression that yields a list",
  "step:map.as": "a lower-case letter, then letters, digits and _",
  "step:approval.approver": 'a role such as "operator", or {"roles": […], "users": […], "count": 1}',
  "step:approval.timeout": 'how long the gate stands, such as "7d"',
  "step:terminator.reason": "why the run ends, in plain English",
  "guardrails.maxRunDurationSeconds": "a whole number of seconds, at least 1",
  "guardrails.maxLlmCostCents": "a whole number of cents; 0 spends nothing",
  "guardrails.maxToolCalls": COUNT,
  "guardrails.maxStepExecutions": COUNT,
  "guardrails.maxMapItems": COUNT,
  "guardrails.maxConcurrentRuns": COUNT,
  "guardrails.requiresApprovalFor": 'a list of selectors, such as ["email.send", "tool:refund"]',
  guardrails: '{"maxRunDurationSeconds": …, "maxLlmCostCents": …, "requiresApprovalFor": […]}',
};

export const rightFor = (place: Place): string | undefined => rowOf(RIGHT, place);
