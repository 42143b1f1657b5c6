/** The run of a map's item as a sub-playbook: the newest published version, with the item as its input. */
import type { Effect, RunStart } from "../run/model";
import type { PlannedStart, TriggerContext, TriggerState } from "../triggers/model";
import { findPlaybook, isRunnable } from "../triggers/playbooks";
import { configFaults, configOf, missingSecrets, runIdOf } from "../triggers/starting";

export type ChildPlan = { ok: true; planned: PlannedStart } | { ok: false; reasonCode: string };

/** A child that cannot start counts as an item that failed, for the reason given. */
export function planChild(
  state: TriggerState,
  parent: RunStart,
  effect: Extract<Effect, { type: "startChildRun" }>,
  context: TriggerContext,
): ChildPlan {
  const known = findPlaybook(state, effect.playbook);
  if (!known) return { ok: false, reasonCode: "playbook_unknown" };
  const { document, contentHash } = known;
  if (!isRunnable(document)) return { ok: false, reasonCode: "not_published" };
  if (missingSecrets(document, context.secrets).length > 0)
    return { ok: false, reasonCode: "secret_missing" };
  const config = configOf(document);
  if (configFaults(document, config).length > 0) return { ok: false, reasonCode: "config_invalid" };
  const { playbookId, version } = document.playbook;
  const start: RunStart = {
    tenant: parent.tenant,
    runId: runIdOf(parent.tenant, parent.runId, effect.childKey),
    playbookId,
    version,
    contentHash,
    startedBy: parent.startedBy,
    trigger: { kind: "manual" },
    payload: effect.input,
    config,
    chain: [],
    parent: { runId: parent.runId, childKey: effect.childKey },
    depth: effect.depth,
    secrets: [...context.secrets],
  };
  return { ok: true, planned: { start, test: false } };
}
