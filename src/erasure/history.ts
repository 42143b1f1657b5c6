/**
 * Sweeps an org's old history page by page, as its settings say (`lineage_gc`): tombstones, vectors without a rule,
 * dead letters and ended operations. Every page finds what is left, so nothing keeps how far it has come.
 */
import type { Database } from "../db/client";
import type { Work } from "../db/outbox";
import { loadConfig } from "../orgs/config-store";
import { derivedId } from "../platform/ids";
import { vectorEntryId } from "../platform/vectors/entry-id";
import type { RuleKind } from "../playbooks/vector-store";
import type { Services } from "../services";
import {
  deleteOldLetters,
  deleteOldOperations,
  deleteTombstones,
  deleteVectorsOf,
  dueSweeps,
  nextSweepAt,
  oldTombstones,
  orphanVectors,
  recordPurged,
} from "./history-store";
import { ERASURE_PAGE, usesOfRules } from "./pages-store";

const DAY_SEC = 86_400;
/** Ended operations are kept for so long; what learning has given up, for as long as tombstones. */
const OPERATION_DAYS = 30;
const PAGES_PER_MESSAGE = 10;

interface Sweep {
  services: Services;
  db: Database;
  orgId: string;
  /** What makes this sweep itself. */
  requestId: string;
  nowSec: number;
  beforeSec: number;
}

/** A page of one kind of history. @returns whether it was full */
type Page = (sweep: Sweep) => Promise<boolean>;

const tombstonesOf =
  (kind: RuleKind): Page =>
  async ({ db, orgId, requestId, nowSec, beforeSec }) => {
    const ids = await oldTombstones(db, orgId, kind, beforeSec);
    if (ids.length === 0) return false;
    const events = await Promise.all(
      ids.map(async (entityId) => ({
        entityId,
        eventId: await derivedId("lin", [orgId, kind, entityId, "purge"]),
      })),
    );
    await db.batch([
      recordPurged(orgId, kind, events, requestId, nowSec),
      // Their vectors go as orphans, once they are out of the index.
      ...usesOfRules(orgId, kind, ids),
      ...deleteTombstones(orgId, kind, ids, beforeSec),
    ]);
    return ids.length === ERASURE_PAGE;
  };

/** Out of the index first: an interrupted page is found again by its vectors. */
const orphans: Page = async ({ services, db, orgId }) => {
  const found = await orphanVectors(db, orgId);
  if (found.length === 0) return false;
  const ids = found.map(({ kind, entityId, model }) => vectorEntryId(orgId, kind, entityId, model));
  await services.vectors.remove(orgId, await Promise.all(ids));
  await db.run(deleteVectorsOf(orgId, found));
  return found.length === ERASURE_PAGE;
};

const letters: Page = async ({ db, orgId, beforeSec }) => {
  const [deleted] = await db.batch([deleteOldLetters(orgId, beforeSec)]);
  return deleted?.rows.length === ERASURE_PAGE;
};

const operations: Page = async ({ db, orgId, nowSec }) => {
  const [deleted] = await db.batch([deleteOldOperations(orgId, nowSec - OPERATION_DAYS * DAY_SEC)]);
  return deleted?.rows.length === ERASURE_PAGE;
};

const PAGES: readonly Page[] = [
  tombstonesOf("user_playbook"),
  tombstonesOf("agent_playbook"),
  orphans,
  letters,
  operations,
];

/** Work of topic `erasure`, key `["history"]`. */
export async function runHistory(services: Services, work: Work): Promise<"done" | { retryInMs: number }> {
  const { orgId } = work;
  const db = services.database(orgId);
  const nowMs = services.clock.nowMs();
  const { config } = await loadConfig(db, orgId, services.clock);
  const { enabled, retention_days, poll_interval_seconds } = config.lineage_gc;
  if (enabled) {
    const nowSec = Math.floor(nowMs / 1000);
    const beforeSec = nowSec - retention_days * DAY_SEC;
    const requestId = await derivedId("gc", [orgId, nowSec]);
    const sweep: Sweep = { services, db, orgId, requestId, nowSec, beforeSec };
    let room = PAGES_PER_MESSAGE;
    for (const page of PAGES) {
      while (await page(sweep)) {
        room -= 1;
        if (room === 0) return { retryInMs: 0 };
      }
    }
  }
  await db.run(nextSweepAt(orgId, nowMs + poll_interval_seconds * 1000));
  return "done";
}

/** Every hour: orgs whose history is due go into the outbox, from where the sweep sends them. */
export const sweepHistory = (services: Services): Promise<unknown> =>
  services.database("").batch(dueSweeps(services.clock.nowMs()));
