/**
 * Retention: an org that holds too many turns loses its oldest. A publish whose ids pass a multiple of 1,000
 * enqueues one piece of work in its own batch, without a message; the sweep sends it, and it runs page by page
 * under a lease. How far it has come stands in its key: `[]`, then `[after, last, still to delete]`.
 */
import { type Database, GuardFailed } from "../db/client";
import { claimLease, type Lease, leaseGuard, releaseLease } from "../db/leases";
import { enqueue, findWork, moveWork, type Work } from "../db/outbox";
import type { Statement } from "../db/sql";
import { recordAudit } from "../orgs/audit";
import { windowPolicy } from "../orgs/config";
import { loadConfig } from "../orgs/config-store";
import { nowSec } from "../platform/clock";
import type { Services } from "../services";
import { activeKinds } from "./admission";
import { deletePage, lastInteractionId } from "./delete-store";
import { type DeletionPage, deletionPages } from "./deletion-pages";
import { chooseOldest, type Needed, type OldRequest } from "./retention";
import { holdsTurns, oldestRequests, readNeeded, retentionIsDue } from "./retention-store";

/** Pages of one message, and requests that one look at an org takes in. */
const PAGES_PER_MESSAGE = 10;
const REQUESTS_PER_LOOK = 250;
/** As long as a crashed run may hold up the next one. */
const LEASE_MS = 600_000;
/** After another delivery of the same message took over. */
const BUSY_RETRY_MS = 60_000;
/** How a deletion that nobody asked for is audited. */
const PRINCIPAL = "retention";

interface Position {
  /** Turns up to here were looked at. */
  afterSeq: number;
  /** The org's last turn when the run began. */
  lastSeq: number;
  /** Turns that are still to be deleted. */
  remaining: number;
}

/** The statement that makes the batch of a publish of `count` turns enqueue retention where it is due. */
export async function retentionWork(
  services: Pick<Services, "settings">,
  orgId: string,
  publish: { requestId: string; count: number; nowMs: number },
): Promise<Statement> {
  const { statement } = await enqueue({
    orgId,
    topic: "retention",
    key: [],
    cause: publish.requestId,
    nowMs: publish.nowMs,
    onlyIf: retentionIsDue(orgId, publish.count, services.settings.INTERACTION_CLEANUP_THRESHOLD),
  });
  return statement;
}

/** Where the run stands; null where the org holds too little, or the run is over. */
async function positionOf(services: Services, { orgId, key }: Work): Promise<Position | null> {
  const [afterSeq, lastSeq, remaining] = key.map(Number);
  if (afterSeq !== undefined && lastSeq !== undefined && remaining !== undefined) {
    return remaining > 0 ? { afterSeq, lastSeq, remaining } : null;
  }
  const { settings } = services;
  const db = services.database(orgId);
  if (!(await holdsTurns(db, orgId, settings.INTERACTION_CLEANUP_THRESHOLD))) return null;
  return {
    afterSeq: 0,
    lastSeq: await lastInteractionId(db, orgId),
    remaining: settings.INTERACTION_CLEANUP_COUNT,
  };
}

/** One message's share of a run, under its lease. */
class Run {
  #key: Work["key"];
  /** Of users met in this message: streams only move on, so what was needed once is at most needed less. */
  readonly #needed = new Map<string, Needed>();
  readonly #db: Database;

  constructor(
    private readonly services: Services,
    private readonly work: Work,
    private readonly lease: Lease,
    private position: Position,
  ) {
    this.#key = work.key;
    this.#db = services.database(work.orgId);
  }

  /** @returns whether there is more */
  async go(): Promise<boolean> {
    for (let room = PAGES_PER_MESSAGE; room > 0; ) {
      const requests = await this.#look();
      if (requests.length === 0) return false;
      const { chosen, lookedToSeq } = chooseOldest(requests, this.#needed, this.position.remaining);
      const pages = [...deletionPages(chosen)];
      for (const [index, page] of pages.slice(0, room).entries()) {
        const deletedToSeq = page.ranges.at(-1)?.[2] ?? lookedToSeq;
        await this.#delete(page, index === pages.length - 1 ? lookedToSeq : deletedToSeq);
      }
      if (pages.length === 0) await this.#move({ ...this.position, afterSeq: lookedToSeq }, []);
      if (this.position.remaining <= 0) return false;
      room -= Math.max(1, pages.length);
    }
    return true;
  }

  /** The next requests in arrival order, with what their users need. */
  async #look(): Promise<OldRequest[]> {
    const { orgId } = this.work;
    const page = { ...this.position, limit: REQUESTS_PER_LOOK };
    const requests = await oldestRequests(this.#db, orgId, activeKinds, page);
    const unknown = new Set(requests.map(({ userId }) => userId).filter((id) => !this.#needed.has(id)));
    if (unknown.size > 0) {
      const { config } = await loadConfig(this.#db, orgId, this.services.clock);
      const sizes = new Map(activeKinds.map((kind) => [kind, windowPolicy(config, kind).windowSize]));
      for (const entry of await readNeeded(this.#db, orgId, sizes, [...unknown])) this.#needed.set(...entry);
    }
    return requests;
  }

  async #delete(page: DeletionPage, afterSeq: number): Promise<void> {
    const { orgId, id } = this.work;
    const at = nowSec(this.services.clock);
    // A turn that somebody deleted before counts as if it went now.
    const turns = page.ranges.reduce((sum, [, firstSeq, lastSeq]) => sum + lastSeq - firstSeq + 1, 0);
    await this.#move({ ...this.position, afterSeq, remaining: this.position.remaining - turns }, [
      ...deletePage(orgId, page, at),
      recordAudit({
        principal: { orgId, id: PRINCIPAL },
        action: "delete.interactions",
        entityType: "org",
        entityId: orgId,
        requestId: id,
        at,
        details: { requests: page.requestSeqs.length, ranges: page.ranges.length },
      }),
    ]);
  }

  /** Commits statements together with the position that they lead to. */
  async #move(next: Position, statements: readonly Statement[]): Promise<void> {
    const key = [next.afterSeq, next.lastSeq, next.remaining];
    const from = { ...this.work, key: this.#key };
    await this.#db.batch([leaseGuard(this.lease), moveWork(from, key), ...statements]);
    this.#key = key;
    this.position = next;
  }
}

/** Work of topic `retention`. An org whose run is under way needs no other. */
export async function runRetention(services: Services, work: Work): Promise<"done" | { retryInMs: number }> {
  const db = services.database(work.orgId);
  const lease = await claimLease(db, work.orgId, "retention", work.id, LEASE_MS);
  if (lease === null) return "done";
  // Read again under the lease: from here on no other delivery of the same message can move it.
  const current = await findWork(db, work);
  const position = current === null ? null : await positionOf(services, current);
  try {
    if (current !== null && position !== null && (await new Run(services, current, lease, position).go())) {
      return { retryInMs: 0 };
    }
  } catch (error) {
    if (error instanceof GuardFailed) return { retryInMs: BUSY_RETRY_MS };
    throw error;
  }
  await db.run(releaseLease(lease));
  return "done";
}
