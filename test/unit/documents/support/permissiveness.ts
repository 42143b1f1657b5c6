/**
 * What a document's limits and gates allow, and where one document allows more than another. Read off documents by
 * hand, independent of schemas and validator.
 */
import type { Json, JsonObject } from "../../../../src/documents/model";
import { parseDuration } from "../../../../src/documents/text/duration";
import { isMembers, jsonValueOf, type Tree } from "./mutations";

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

const CAPS = [
  "maxRunDurationSeconds",
  "maxLlmCostCents",
  "maxToolCalls",
  "maxStepExecutions",
  "maxMapItems",
  "maxConcurrentRuns",
];

/** Every step, item steps inside their maps included, with its place. */
function stepsIn(document: JsonObject): [pointer: string, step: JsonObject][] {
  return listOf(objectOf(document.playbook).steps).flatMap((step, index): [string, JsonObject][] => {
    if (!isObject(step)) return [];
    const at = `/playbook/steps/${index}`;
    return isObject(step.itemStep)
      ? [
          [at, step],
          [`${at}/itemStep`, step.itemStep],
        ]
      : [[at, step]];
  });
}

/** Places at which `after` allows more than `before`, as pointers of members. */
export function looserPlaces(before: JsonObject, after: JsonObject): string[] {
  const places: string[] = [];
  const [old, now] = [before, after].map((document) => objectOf(objectOf(document.playbook).guardrails));
  const limit = (guardrails: JsonObject | undefined, cap: string): number =>
    typeof guardrails?.[cap] === "number" ? guardrails[cap] : Number.POSITIVE_INFINITY;
  for (const cap of CAPS) if (limit(now, cap) > limit(old, cap)) places.push(`/playbook/guardrails/${cap}`);
  const selectors = new Set(listOf(now?.requiresApprovalFor));
  if (listOf(old?.requiresApprovalFor).some((selector) => !selectors.has(selector))) {
    places.push("/playbook/guardrails/requiresApprovalFor");
  }
  const steps = new Map(stepsIn(after));
  for (const [at, step] of stepsIn(before)) places.push(...looserStep(at, step, steps.get(at) ?? {}));
  return places;
}

function looserStep(at: string, old: JsonObject, now: JsonObject): string[] {
  if (old.kind === "agent") {
    const [before, after] = [old, now].map((step) => objectOf(step.approvalPolicy).mode);
    return before === "required" && after !== "required" ? [`${at}/approvalPolicy/mode`] : [];
  }
  if (old.kind !== "approval") return [];
  if (now.kind !== "approval") return [`${at}/kind`];
  const places: string[] = [];
  if (!isSubset(approvers(now.approver), approvers(old.approver)) || count(now) < count(old)) {
    places.push(`${at}/approver`);
  }
  if (lengthMs(now.timeout) > lengthMs(old.timeout)) places.push(`${at}/timeout`);
  if (now.onTimeout !== "cancel" && now.onTimeout !== "fail") places.push(`${at}/onTimeout`);
  if (old.requireComment === true && now.requireComment !== true) places.push(`${at}/requireComment`);
  if (now.allowSelfApproval === true && old.allowSelfApproval !== true)
    places.push(`${at}/allowSelfApproval`);
  return places;
}

const lengthMs = (text: Json | undefined): number => {
  const reading = typeof text === "string" ? parseDuration(text) : null;
  return reading?.ok ? reading.ms : Number.POSITIVE_INFINITY;
};
const count = ({ approver }: JsonObject): number => {
  const { count: least } = objectOf(approver);
  return typeof least === "number" ? least : 1;
};
const approvers = (approver: Json | undefined): Set<string> =>
  new Set(
    typeof approver === "string"
      ? [`role ${approver}`]
      : [
          ...listOf(objectOf(approver).roles).map((role) => `role ${role}`),
          ...listOf(objectOf(approver).users).map((user) => `user ${user}`),
        ],
  );
const isSubset = (some: Set<string>, all: Set<string>): boolean => [...some].every((one) => all.has(one));

/** What may stand in the members that protect, as b.1 of the specification has it. */
const GATE_MEMBERS = [
  ..."id kind purpose name approver timeout onTimeout next onReject subject".split(" "),
  ..."requireComment allowSelfApproval".split(" "),
];
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  guardrails: [...CAPS, "requiresApprovalFor"],
  approvalPolicy: ["mode"],
  approver: ["roles", "users", "count"],
};

const isWhole = (value: Json): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isTexts = (value: Json): boolean =>
  Array.isArray(value) && value.every((element) => typeof element === "string");

/** Whether a member is written so that a reader sees at once what it means. */
function isPlain(name: string, value: Json): boolean {
  if (CAPS.includes(name)) return isWhole(value) && (value !== 0 || name !== "maxRunDurationSeconds");
  if (["requiresApprovalFor", "roles", "users"].includes(name)) return isTexts(value);
  if (["requireComment", "allowSelfApproval"].includes(name)) return typeof value === "boolean";
  if (name === "mode") return value === "auto" || value === "required";
  if (name === "onTimeout") return value === "cancel" || value === "fail";
  if (name === "timeout") return Number.isFinite(lengthMs(value));
  if (name === "count") return isWhole(value) && value !== 0;
  if (name === "approver")
    return isObject(value) ? approvers(value).size > 0 : typeof value === "string" && value !== "";
  return typeof value === "string";
}

/**
 * What in an object that protects cannot be taken at its word: names given twice, of another case or spelling, of a
 * prototype, and values of a wrong type. `x-…` is nobody's promise.
 */
export function surprisesIn(
  owner: "guardrails" | "approvalPolicy" | "approver" | "gate",
  tree: Tree,
): string[] {
  if (!isMembers(tree)) return ["no object"];
  const known = owner === "gate" ? GATE_MEMBERS : (KNOWN[owner] ?? []);
  const seen = new Set<string>();
  return tree.members.flatMap(([name, member]) => {
    if (seen.has(name)) return [`${name} twice`];
    seen.add(name);
    if (name.startsWith("x-")) return [];
    if (!known.includes(name)) return [`unknown ${name}`];
    if (owner === "gate" && name === "approver" && isMembers(member)) return surprisesIn("approver", member);
    return isPlain(name, jsonValueOf(member)) ? [] : [`${name} is not plain`];
  });
}
