/** Triggers as a whole: none, the same twice, ones that match everything, inputs (T302, T303, T341, T351). */
import type { Json, JsonObject, TriggerKind } from "../model";
import { DEFAULTS } from "../spec";
import { canonicalJson } from "../text/canonical-json";
import { checkUserSchema } from "../user-schema";
import type { Pass } from "./index";
import type { Report } from "./report";
import { isObject, type TriggerView } from "./view";

/** The members that decide what a trigger answers to. */
const DISCRIMINATING: Record<TriggerKind, readonly string[]> = {
  schedule: ["cron", "timezone"],
  webhook: ["source", "event", "filters"],
  manual: [],
  dependency: ["playbookId", "on", "terminator", "versionRange", "filters"],
  agent_finding: ["agent", "role", "findingType", "minSeverity", "filters"],
};
const ASSUMED: JsonObject = { timezone: DEFAULTS.timezone, on: [...DEFAULTS.dependencyOn], filters: [] };

export const checkTriggers: Pass = ({ playbook, triggers }, report) => {
  if (Array.isArray(playbook.triggers) && playbook.triggers.length === 0) {
    report("T303", "/playbook/triggers", "Nothing starts this playbook but the API.", {
      hint: '{"kind": "manual"}, or another trigger',
    });
  }
  checkDuplicates(triggers, report);
  for (const { kind, trigger, pointer } of triggers) {
    if (kind === "agent_finding") checkSelector(trigger, pointer, report);
    if (kind === "manual" && isObject(trigger.inputSchema)) {
      for (const fault of checkUserSchema(trigger.inputSchema)) {
        report("T351", `${pointer}/inputSchema${fault.pointer}`, fault.message, { hint: fault.hint });
      }
    }
  }
};

function checkDuplicates(triggers: readonly TriggerView[], report: Report): void {
  const ids = new Set<Json>();
  const answered = new Map<string, TriggerView>();
  for (const view of triggers) {
    const { kind, trigger, pointer } = view;
    if (typeof trigger.id === "string") {
      if (ids.has(trigger.id))
        report("T302", `${pointer}/id`, "Another trigger has this id.", { hint: "another id" });
      ids.add(trigger.id);
    }
    if (kind === null) continue;
    const key = canonicalJson([
      kind,
      ...DISCRIMINATING[kind].map((name) => trigger[name] ?? ASSUMED[name] ?? null),
    ]);
    const first = answered.get(key);
    if (first)
      report("T302", pointer, `It answers to the same as the trigger at ${first.pointer}.`, {
        hint: "one of the two",
      });
    else answered.set(key, view);
  }
}

function checkSelector(trigger: JsonObject, pointer: string, report: Report): void {
  if (["agent", "role", "findingType", "minSeverity"].some((name) => trigger[name] !== undefined)) return;
  report("T341", pointer, "It answers to every finding of every agent.", {
    hint: "agent, role, findingType or minSeverity",
  });
}
