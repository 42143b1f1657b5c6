/** Starts a run for each playbook that an occasion concerns, and says of the others why they did not run. */
import type { Json } from "../model";
import type { HostRecord, Ignored, IgnoredReason, PlannedStart, TriggerContext, TriggerState } from "./model";
import { planStart, type StartRequest } from "./plan";
import { isRunnable, type KnownPlaybook } from "./playbooks";

/** A playbook that listens to an occasion, with what its run would read; or why it does not run. */
export type Listener = { known: KnownPlaybook; payload: Json } | { known: KnownPlaybook; why: IgnoredReason };

export interface ListenersStarted {
  state: TriggerState;
  starts: PlannedStart[];
  records: HostRecord[];
  told: { runs: string[]; ignored: Ignored[] };
}

/** In the order of the listeners; a playbook that is not published is passed over whatever else holds. */
export function startListeners(
  state: TriggerState,
  listeners: readonly Listener[],
  nowMs: number,
  context: TriggerContext,
  request: StartRequest,
): ListenersStarted {
  const result: ListenersStarted = { state, starts: [], records: [], told: { runs: [], ignored: [] } };
  const ignore = ({ document }: KnownPlaybook, why: IgnoredReason): void => {
    const { playbookId } = document.playbook;
    result.told.ignored.push({ playbook: playbookId, why });
    const data = { playbookId };
    result.records.push(
      why === "chain_guard"
        ? { type: "trigger.chain_guard", atMs: nowMs, data }
        : { type: "trigger.ignored", subject: why, atMs: nowMs, data },
    );
  };
  for (const listener of listeners) {
    if (!isRunnable(listener.known.document)) ignore(listener.known, "not_published");
    else if ("why" in listener) ignore(listener.known, listener.why);
    else {
      const plan = planStart(
        result.state,
        listener.known,
        { ...request, payload: listener.payload },
        context,
      );
      if (!plan.ok) {
        ignore(listener.known, plan.why);
        continue;
      }
      result.state = plan.state;
      result.starts.push(plan.planned);
      result.told.runs.push(plan.planned.start.runId);
    }
  }
  return result;
}
