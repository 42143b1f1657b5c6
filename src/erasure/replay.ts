/**
 * Replays the log after a backup was restored: users whom the log knows and who are there again, with something
 * from before their erasure, are erased once more. Who has come back since and has nothing older stays.
 */
import type { Database } from "../db/client";
import { enqueue, findWork, moveWork, type Work, type WorkMessage } from "../db/outbox";
import type { RequestScope } from "../http/route";
import { recordAudit } from "../orgs/audit";
import { nowSec } from "../platform/clock";
import type { Services } from "../services";
import { beginErasure, workOf } from "./begin";
import { insertLog } from "./mark-store";
import type { LogEntry } from "./model";
import { erasedAt, type KnownUser, loadSalts, usersAfter } from "./replay-store";
import { userHash } from "./user-hash";

/** Users of one page, and pages of one call or message. */
const USERS_PER_PAGE = 100;
const PAGES_PER_MESSAGE = 10;
/** How erasures that nobody asked for again are audited. */
const PRINCIPAL = "erasure_replay";

export type ImportedEntry = Pick<LogEntry, "erasureId" | "salt" | "userHash" | "begunAt">;

export interface Replayed {
  usersChecked: number;
  usersErased: number;
  /** False where the queue goes on. */
  isComplete: boolean;
}

async function forgottenAmong(
  db: Database,
  orgId: string,
  users: readonly KnownUser[],
): Promise<KnownUser[]> {
  const salts = await loadSalts(db, orgId);
  const hashed = await Promise.all(
    users.flatMap((user) =>
      salts.map(async (salt) => ({ user, hash: await userHash(salt, orgId, user.userId) })),
    ),
  );
  const erased = await erasedAt(
    db,
    orgId,
    hashed.map(({ hash }) => hash),
  );
  const found = hashed.filter(({ user, hash }) => user.since <= (erased.get(hash) ?? -1));
  return [...new Set(found.map(({ user }) => user))];
}

/** One page. @returns null where the replay is over or another delivery has moved it on */
async function replayPage(
  services: Services,
  message: WorkMessage,
): Promise<{ checked: number; erased: number } | null> {
  const { orgId } = message;
  const db = services.database(orgId);
  const work = await findWork(db, message);
  const after = work?.key[1];
  if (work === null || typeof after !== "string") return null;
  const users = await usersAfter(db, orgId, after, USERS_PER_PAGE);
  const last = users.at(-1);
  if (last === undefined) return null;
  const forgotten = await forgottenAmong(db, orgId, users);
  for (const { userId } of forgotten) {
    const { erasureId } = await beginErasure(
      services,
      { orgId, principalId: PRINCIPAL, requestId: work.id },
      userId,
    );
    services.defer(services.send([(await workOf(orgId, erasureId, services.clock.nowMs())).message]));
  }
  await db.run(moveWork(work, ["replay", last.userId]));
  return { checked: users.length, erased: forgotten.length };
}

async function replayPages(services: Services, message: WorkMessage): Promise<Replayed> {
  const sum: Replayed = { usersChecked: 0, usersErased: 0, isComplete: false };
  for (let page = 0; page < PAGES_PER_MESSAGE; page += 1) {
    const done = await replayPage(services, message);
    if (done === null) return { ...sum, isComplete: true };
    sum.usersChecked += done.checked;
    sum.usersErased += done.erased;
  }
  return sum;
}

/** Work of topic `erasure`, key `["replay", after]`. */
export async function runReplay(services: Services, work: Work): Promise<"done" | { retryInMs: number }> {
  return (await replayPages(services, work)).isComplete ? "done" : { retryInMs: 0 };
}

/**
 * Replays the org's log, with the lines that were kept elsewhere: a restored database has lost those that were
 * written after its backup.
 */
export async function replayLog(
  { services, db, orgId, principal, requestId }: RequestScope,
  entries: readonly ImportedEntry[],
): Promise<Replayed> {
  const nowMs = services.clock.nowMs();
  const cause = services.ids.random("rpl");
  const { message, statement } = await enqueue({
    ...{ orgId, topic: "erasure" as const, key: ["replay", ""], cause, nowMs },
  });
  await db.batch([
    ...entries.map((entry) => insertLog(orgId, { ...entry, state: "imported" })),
    statement,
    recordAudit({
      ...{ principal, action: "replay.erasure_log", entityType: "erasure_log", entityId: orgId, requestId },
      at: nowSec(services.clock),
      details: { imported: entries.length },
    }),
  ]);
  const replayed = await replayPages(services, message);
  // Its row ends in the queue, whether or not anything is left.
  services.defer(services.send([message]));
  return replayed;
}
