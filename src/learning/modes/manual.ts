/** A generation by hand: starts it, waits a while for its end, and says what came of it. */
import type { RequestScope } from "../../http/route";
import { type GenerationOperation, type GenerationScope, PLAYBOOK_SERVICE } from "./model";
import { countRules, findGeneration } from "./operation-store";
import { startGeneration } from "./start";

/** A caller is answered after this long at the latest; the operation goes on. */
const MAX_WAIT_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
const PAUSE_GROWTH = 1.5;
/** Rules are counted no further. */
const MAX_COUNTED_RULES = 10_000;

export type Sleep = (ms: number) => Promise<void>;
export const sleep: Sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export interface ManualAnswer {
  success: boolean;
  msg: string;
  /** CURRENT rules of the version when the operation ended: a total, no difference (specification 7.2). */
  playbooksGenerated: number | null;
  operationId: string | null;
}

const REFUSALS = {
  in_progress: "A playbook generation is already in progress",
  version_change: "An upgrade or downgrade of user playbooks is in progress",
  not_configured: "Playbook generation is not configured",
} as const;

/** Waits with growing pauses, at most a minute and fewer than 50 looks. */
async function waitForEnd(
  { db, orgId }: RequestScope,
  operationId: string,
  pause: Sleep,
): Promise<GenerationOperation | null> {
  let waitedMs = 0;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * PAUSE_GROWTH)) {
    const operation = await findGeneration(db, orgId, PLAYBOOK_SERVICE);
    if (operation?.operationId !== operationId) return null;
    if (operation.status !== "in_progress" || waitedMs >= MAX_WAIT_MS) return operation;
    const nextMs = Math.min(pauseMs, MAX_WAIT_MS - waitedMs);
    await pause(nextMs);
    waitedMs += nextMs;
  }
}

function describe(operation: GenerationOperation): { success: boolean; msg: string } {
  const { status, processedUsers, failedUsers, totalUsers } = operation;
  switch (status) {
    case "in_progress":
      return {
        success: true,
        msg: `Playbook generation is still running (${processedUsers + failedUsers} of ${totalUsers} users); poll /api/get_operation_status for its end`,
      };
    case "completed":
      return {
        success: true,
        msg: `Playbook generation completed for ${processedUsers} users${failedUsers === 0 ? "" : `; ${failedUsers} failed`}`,
      };
    case "cancelled":
      return { success: false, msg: "Playbook generation was cancelled" };
    case "failed":
      return { success: false, msg: `Playbook generation failed: ${operation.errorMessage ?? "unknown"}` };
  }
}

/** Generates now, from each user's last window of turns. */
export async function generateByHand(
  scope: RequestScope,
  asked: GenerationScope,
  pause: Sleep = sleep,
): Promise<ManualAnswer> {
  const { db, orgId } = scope;
  const start = await startGeneration(scope, "manual", asked);
  if ("refusal" in start) {
    return start.refusal === "no_users"
      ? { success: true, msg: "No interactions found", playbooksGenerated: 0, operationId: null }
      : { success: false, msg: REFUSALS[start.refusal], playbooksGenerated: null, operationId: null };
  }
  const { operationId } = start;
  const operation = await waitForEnd(scope, operationId, pause);
  if (operation === null) {
    const msg = "The playbook generation is over, and another one has begun since";
    return { success: true, msg, playbooksGenerated: null, operationId };
  }
  const isDone = operation.status === "completed";
  return {
    ...describe(operation),
    playbooksGenerated: isDone
      ? await countRules(db, orgId, asked.agentVersion, null, MAX_COUNTED_RULES)
      : null,
    operationId,
  };
}
