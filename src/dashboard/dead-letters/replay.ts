/** Replays letters one by one: what one of them does never decides over another. */
import type { RequestScope } from "../../http/route";
import { replayDeadLetter } from "../../learning/dead-letters";
import { Failure } from "../../platform/failure";

export interface ReplayResult {
  replayed: number;
  /** Their work can no longer be done. */
  outdated: number;
  missing: number;
}

/** Letters that are replayed at once; six requests may run side by side. */
const PARALLEL = 5;

/** @throws what is neither a missing letter nor work that can no longer be done */
async function replayOne(scope: RequestScope, deadLetterId: string): Promise<keyof ReplayResult> {
  const { services, orgId, principal, requestId } = scope;
  try {
    await replayDeadLetter(services, orgId, deadLetterId, { principal, requestId });
    return "replayed";
  } catch (error) {
    if (error instanceof Failure && error.kind === "conflict") return "outdated";
    if (error instanceof Failure && error.kind === "not_found") return "missing";
    throw error;
  }
}

/** A letter that was replayed before counts as replayed, so that a repeated form says the same. */
export async function replayAll(scope: RequestScope, ids: readonly string[]): Promise<ReplayResult> {
  const result: ReplayResult = { replayed: 0, outdated: 0, missing: 0 };
  for (let first = 0; first < ids.length; first += PARALLEL) {
    const outcomes = await Promise.all(
      ids.slice(first, first + PARALLEL).map((deadLetterId) => replayOne(scope, deadLetterId)),
    );
    for (const outcome of outcomes) result[outcome] += 1;
  }
  return result;
}
