/**
 * Carries a revocation on, one batch at a time. Rules leave service first, many in a batch; then clusters, support
 * and the index follow in pages. How far it has come stands in the key of its outbox row, `[id, batch, after]`,
 * which every batch moves on: of two that work on the same one, the second writes nothing.
 */
import { type Database, GuardFailed } from "../db/client";
import { completeWork, findWork, moveWork, type Work, type WorkMessage } from "../db/outbox";
import { guard, type Statement, sql } from "../db/sql";
import { derivedId } from "../platform/ids";
import type { Services } from "../services";
import { loadTouched } from "./bookkeeping-store";
import { followers } from "./followers";
import type { Revocation } from "./model";
import { type Look, loadOpen, type OpenRules } from "./open-store";
import { inForceOf } from "./preview";
import { countTouched, findRevocation, finishRevocation, revocationsOf } from "./store";
import { type Withdrawn, withdraw } from "./withdraw-store";

/** Rules that leave service in one batch: a status, a flag and a line of lineage each. */
const WITHDRAWN_RULES = 2_000;
/** Rules of one page of what follows, and how many of them may be of agents, whose support is counted anew. */
const FOLLOWED = { rules: 500, agentPlaybooks: 50 };
/** Batches of one message. */
const BATCHES_PER_MESSAGE = 10;
/** After somebody else moved the revocation, or a rule of its page, on. */
const BUSY_RETRY_MS = 2_000;

/** Where a revocation stands. */
interface Position {
  revocationId: string;
  /** Batches so far. */
  batch: number;
  /** Lineage row up to which everything has followed. */
  afterRow: number;
}

const keyOf = ({ revocationId, batch, afterRow }: Position): Work["key"] => [revocationId, batch, afterRow];

/** The key of a revocation that has just begun. */
export const firstKey = (revocationId: string): Work["key"] => keyOf({ revocationId, batch: 0, afterRow: 0 });

function positionOf({ key: [revocationId, batch, afterRow] }: Work): Position | null {
  return typeof revocationId === "string" && typeof batch === "number" && typeof afterRow === "number"
    ? { revocationId, batch, afterRow }
    : null;
}

/** The rules of one batch: approved and CURRENT ones first, and agents' before users'. */
export function firstToLeave({ userPlaybooks, agentPlaybooks }: OpenRules): {
  userPlaybookIds: number[];
  agentPlaybookIds: number[];
} {
  const chosen = [
    ...agentPlaybooks.map((row) => ({ ...row, isAgents: true })),
    ...userPlaybooks.map((row) => ({ ...row, isAgents: false })),
  ]
    .sort((left, right) => Number(right.is_served) - Number(left.is_served))
    .slice(0, WITHDRAWN_RULES);
  const idsOf = (isAgents: boolean) => chosen.filter((row) => row.isAgents === isAgents).map(({ id }) => id);
  return { userPlaybookIds: idsOf(false), agentPlaybookIds: idsOf(true) };
}

/** The statements that send rules back to review, with their count. */
export async function withdrawal(
  revocation: Omit<Revocation, "state" | "touched">,
  orgId: string,
  open: OpenRules,
  nowMs: number,
): Promise<Statement[]> {
  const { revocationId, reason, principalId } = revocation;
  const { userPlaybookIds, agentPlaybookIds } = firstToLeave(open);
  const withEvents = (type: string, ids: readonly number[]): Promise<Withdrawn[]> =>
    Promise.all(
      ids.map(async (entityId) => ({
        entityId,
        eventId: await derivedId("lin", [orgId, type, entityId, "status_change", revocationId]),
      })),
    );
  return [
    ...withdraw({
      ...{ orgId, revocationId, reason, principalId, nowMs },
      userPlaybooks: await withEvents("user_playbook", userPlaybookIds),
      agentPlaybooks: await withEvents("agent_playbook", agentPlaybookIds),
    }),
    countTouched(orgId, revocationId),
  ];
}

/** Commits statements with the position they lead to. @throws GuardFailed("operation") where it has moved on */
const commit = (db: Database, work: Work, next: Position, statements: readonly Statement[]) =>
  db.batch([moveWork(work, keyOf(next)), guard("operation", sql`changes() = 1`), ...statements]);

/** An accelerator: what is lost here, the sweep sends. */
function announce(services: Services, messages: readonly WorkMessage[]): void {
  if (messages.length === 0) return;
  services.defer(
    services
      .send(messages)
      .catch(() => services.log.warn("revocation.send_failed", { count: messages.length })),
  );
}

/**
 * One batch of a revocation.
 * @returns false where there is nothing left to do
 * @throws GuardFailed where somebody else was faster; nothing was written then
 */
export async function advance(services: Services, message: WorkMessage): Promise<boolean> {
  const { orgId } = message;
  const db = services.database(orgId);
  const work = await findWork(db, message);
  const position = work === null ? null : positionOf(work);
  if (work === null || position === null) return false;
  const revocation = await findRevocation(db, orgId, position.revocationId);
  if (revocation === null || revocation.state !== "running") return false;

  const { revocationId } = revocation;
  const others = inForceOf(await revocationsOf(db, orgId, revocation));
  const here: Look & { revocationId: string } = {
    ...{ orgId, target: revocation, revocationId },
    inForce: others.map((other) => other.revocationId),
  };
  const next = { ...position, batch: position.batch + 1 };
  const open = await loadOpen(db, here, WITHDRAWN_RULES);
  if (open.userPlaybooks.length + open.agentPlaybooks.length > 0) {
    await commit(db, work, next, await withdrawal(revocation, orgId, open, services.clock.nowMs()));
    return true;
  }
  const page = await loadTouched(db, orgId, revocationId, position.afterRow, FOLLOWED);
  if (page === null) {
    await commit(db, work, next, [...finishRevocation(here), completeWork(work)]);
    return false;
  }
  const follow = await followers(services, orgId, `${revocationId}:${position.batch}`, page);
  await commit(db, work, { ...next, afterRow: page.lastRow }, follow.statements);
  announce(services, follow.messages);
  return true;
}

/** Work of topic `revocation`, key `[id, batch, after]`. */
export async function runRevocation(services: Services, work: Work): Promise<"done" | { retryInMs: number }> {
  if (positionOf(work) === null) {
    services.log.error("revocation.key", { work: work.id });
    return "done";
  }
  try {
    for (let batch = 0; batch < BATCHES_PER_MESSAGE; batch += 1) {
      if (!(await advance(services, work))) return "done";
    }
    return { retryInMs: 0 };
  } catch (error) {
    if (error instanceof GuardFailed) return { retryInMs: BUSY_RETRY_MS };
    throw error;
  }
}
