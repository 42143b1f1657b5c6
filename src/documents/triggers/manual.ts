/** Starts by a person (section c.9): who may, with what input, and what is wrong with it by pointer. */
import type { ManualTrigger } from "../model";
import type { Principal } from "../run/model";
import type {
  InputFault,
  TriggerApplied,
  TriggerContext,
  TriggerEvent,
  TriggerReply,
  TriggerState,
} from "./model";
import { planStart } from "./plan";
import { findPlaybook, isEnabled, type KnownPlaybook, newestPlaybooks, triggersOf } from "./playbooks";
import { schemaFaults, withInput } from "./starting";

type Manual = Extract<TriggerEvent, { type: "manual" }>;

/** A draft or an archived playbook may be started so, as a test: its run starts no other. */
export function startManually(state: TriggerState, request: Manual, context: TriggerContext): TriggerApplied {
  const refuse = (status: number, code: string, faults?: InputFault[]): TriggerApplied => {
    const reply: TriggerReply = { status, code, runs: [], ignored: [], ...(faults ? { faults } : {}) };
    return { state, starts: [], records: [], reply };
  };
  if (request.by === null) return refuse(401, "unauthenticated");
  const target = targetOf(state, request.playbookId);
  if (typeof target === "string") return refuse(target === "playbook_ambiguous" ? 400 : 404, target);
  const allowed = triggersOf(target.document, "manual").filter(isEnabled);
  const trigger = allowed.find((candidate) => mayStart(candidate, request.by));
  if (!trigger) return allowed.length === 0 ? refuse(404, "no_manual_trigger") : refuse(403, "forbidden");

  const payload = withInput(trigger.input, request.payload);
  const faults = trigger.inputSchema === undefined ? [] : schemaFaults(trigger.inputSchema, payload);
  if (faults.length > 0) return refuse(422, "input_invalid", faults);
  const plan = planStart(
    state,
    target,
    {
      identity: ["manual", state.sequence],
      trigger: { kind: "manual" },
      payload,
      by: request.by,
    },
    context,
  );
  if (!plan.ok) return refuse(plan.why === "secret_missing" ? 409 : 422, plan.why, plan.faults);
  const reply: TriggerReply = { status: 201, runs: [plan.planned.start.runId], ignored: [] };
  return { state: plan.state, starts: [plan.planned], records: [], reply };
}

type NoTarget = "playbook_unknown" | "no_manual_trigger" | "playbook_ambiguous";

function targetOf(state: TriggerState, playbookId: string | undefined): KnownPlaybook | NoTarget {
  if (playbookId !== undefined) return findPlaybook(state, playbookId) ?? "playbook_unknown";
  const candidates = [...newestPlaybooks(state)].filter(
    ({ document }) => triggersOf(document, "manual").length > 0,
  );
  if (candidates.length > 1) return "playbook_ambiguous";
  return candidates[0] ?? "no_manual_trigger";
}

const mayStart = ({ roles }: ManualTrigger, by: Principal | null): boolean =>
  roles === undefined || roles.length === 0 || roles.some((role) => by?.roles.includes(role) === true);
