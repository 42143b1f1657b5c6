/** Begins an erasure: judges the rules of agents that came of the user's, then hides everything in one batch. */
import type { Database } from "../db/client";
import { enqueue, type WorkMessage } from "../db/outbox";
import type { Statement } from "../db/sql";
import { recordAudit } from "../orgs/audit";
import { followUp } from "../playbooks/follow-up";
import type { Services } from "../services";
import { type Descent, insertTargets, loadDescent, silence, stopLearning } from "./begin-store";
import { findErasureOf, findSalt, insertLog, insertMark } from "./mark-store";
import { type Erasure, keyOf, noCounts } from "./model";
import { owesNothingTo } from "./owing";
import { deleteTraces } from "./pages-store";
import { userHash } from "./user-hash";

export interface Requester {
  orgId: string;
  principalId: string;
  requestId: string;
}

/** The work that carries an erasure on; there is one of each. */
export const workOf = (orgId: string, erasureId: string, nowMs: number) =>
  enqueue({
    orgId,
    topic: "erasure",
    key: keyOf({ erasureId, stage: "agents", afterSeq: 0 }),
    cause: erasureId,
    nowMs,
  });

/** Approved rules that may stay as they are, each at the version that was judged. */
function keptOf({ approved, rest, users, isPartial }: Descent): [number, number][] {
  if (isPartial) return [];
  const restOf = Map.groupBy(rest, (row) => row.agentPlaybookId);
  return approved
    .filter(({ id, text }) => {
      const sources = (restOf.get(id) ?? []).map((row) => row.text);
      return sources.length > 0 && owesNothingTo(text, users)(sources);
    })
    .map(({ id, version }) => [id, version]);
}

async function firstBatch(
  services: Pick<Services, "clock" | "ids">,
  db: Database,
  requester: Requester,
  erasure: Erasure,
): Promise<{ statements: Statement[]; messages: WorkMessage[] }> {
  const { orgId, principalId, requestId } = requester;
  const { userId, erasureId, begunAt } = erasure;
  const nowMs = services.clock.nowMs();
  const descent = await loadDescent(db, orgId, userId);
  const salt = (await findSalt(db, orgId)) ?? services.ids.random("salt");
  const follow = await followUp(orgId, "user_playbook", [], descent.agentVersions, erasureId, nowMs);
  const statements: Statement[] = [
    ...insertMark(orgId, erasure),
    insertLog(orgId, {
      ...{ erasureId, salt, state: "running", begunAt },
      userHash: await userHash(salt, orgId, userId),
    }),
    ...insertTargets(orgId, erasureId, userId, keptOf(descent)),
    ...silence(orgId, erasureId, userId, nowMs),
    ...stopLearning(orgId, userId, begunAt),
    ...deleteTraces({ orgId, erasure }),
    (await workOf(orgId, erasureId, nowMs)).statement,
    recordAudit({
      principal: { orgId, id: principalId },
      action: "erase.user",
      entityType: "erasure",
      entityId: erasureId,
      requestId,
      at: begunAt,
    }),
    ...follow.statements,
  ];
  return { statements, messages: follow.messages };
}

/**
 * Marks a user and hides what there is of them; one who is being erased already is erased once.
 * @returns the erasure under way
 */
export async function beginErasure(
  services: Services,
  requester: Requester,
  userId: string,
): Promise<Erasure> {
  const { orgId, principalId } = requester;
  const db = services.database(orgId);
  const running = await findErasureOf(db, orgId, userId);
  if (running !== null) return running;
  const erasure: Erasure = {
    ...{ erasureId: services.ids.random("era"), userId, principalId, counts: noCounts },
    begunAt: Math.floor(services.clock.nowMs() / 1000),
  };
  const { statements, messages } = await firstBatch(services, db, requester, erasure);
  try {
    await db.batch(statements);
  } catch (error) {
    // Either this batch is in and its answer was lost, or another call was faster.
    const begun = await findErasureOf(db, orgId, userId);
    if (begun === null) throw error;
    return begun;
  }
  services.defer(services.send(messages));
  return erasure;
}
