/** How a start is planned: checked, pinned to a version, given its id, and noted in the state. */
import type { Json, JsonObject } from "../model";
import type { Principal, RunStart } from "../run/model";
import type { IgnoredReason, InputFault, PlannedStart, TriggerContext, TriggerState } from "./model";
import { isRunnable, type KnownPlaybook } from "./playbooks";
import { configFaults, configOf, missingSecrets, runIdOf } from "./starting";

export interface StartRequest {
  /** What makes the run this one and no other. */
  identity: readonly (string | number)[];
  trigger: RunStart["trigger"];
  payload: Json;
  by: Principal;
  config?: JsonObject;
  chain?: string[];
  triggerKey?: string;
}

export type StartPlan =
  | { ok: true; state: TriggerState; planned: PlannedStart }
  | { ok: false; why: IgnoredReason; faults: InputFault[] };

/** Refuses a start without its secrets or with a configuration that the document's schema rejects. */
export function planStart(
  state: TriggerState,
  known: KnownPlaybook,
  request: StartRequest,
  context: TriggerContext,
): StartPlan {
  const { document, contentHash } = known;
  const missing = missingSecrets(document, context.secrets);
  if (missing.length > 0) {
    const faults = missing.map((name) => ({
      pointer: "/requires/secrets",
      message: `${name} is not bound.`,
    }));
    return { ok: false, why: "secret_missing", faults };
  }
  const config = configOf(document, request.config);
  const faults = configFaults(document, config);
  if (faults.length > 0) return { ok: false, why: "config_invalid", faults };

  const { playbookId, version } = document.playbook;
  const runId = runIdOf(context.tenant, playbookId, ...request.identity);
  const planned: PlannedStart = {
    start: {
      tenant: context.tenant,
      runId,
      playbookId,
      version,
      contentHash,
      startedBy: request.by,
      trigger: request.trigger,
      payload: request.payload,
      config,
      chain: request.chain ?? [],
      depth: 0,
      secrets: [...context.secrets],
    },
    ...(request.triggerKey === undefined ? {} : { triggerKey: request.triggerKey }),
    test: !isRunnable(document),
  };
  // The same occasion told twice starts one run.
  if (Object.hasOwn(state.runs, runId)) return { ok: true, state, planned };
  const runs = { ...state.runs, [runId]: { ...planned, outcome: null } };
  return { ok: true, state: { ...state, runs }, planned };
}

/** Who a run counts as started by when no person started it; nobody can sign in as one of these. */
export const systemPrincipal = (name: string): Principal => ({ id: `trigger:${name}`, roles: [] });
