/** A rebuild's beginning: the snapshot of the version's rules, and how they are clustered. Each is done once. */
import { type Database, GuardFailed } from "../db/client";
import { leaseGuard } from "../db/leases";
import { derivedId } from "../platform/ids";
import { fingerprintOf } from "./clustering/fingerprint";
import { clusteringHost } from "./clustering/host";
import { withJointVectors } from "./embedding";
import { operationActive, setProgressTotal } from "./operations-store";
import { clusterMembers, type PlanSettings } from "./plan";
import { loadMembers } from "./read-store";
import { capMessage, REBUILD_MAX_ROWS, RebuildRefused, type RebuildScope } from "./rebuild-model";
import {
  findRebuild,
  forgetFormerRebuilds,
  loadSnapshot,
  type PlannedCluster,
  type Rebuild,
  type SnapshotRow,
  storePlan,
  takeSnapshot,
} from "./rebuild-store";
import { countCurrentRules } from "./store";

/**
 * @returns the rebuild with its snapshot, which is taken now if it was not before
 * @throws RebuildRefused above the cap; nothing has changed then
 */
export async function withSnapshot(scope: RebuildScope, db: Database): Promise<Rebuild> {
  const { orgId, agentVersion, lease, operationId } = scope;
  const known = await findRebuild(db, scope);
  if (known !== null) return known;
  const rows = await countCurrentRules(db, orgId, agentVersion);
  if (rows > REBUILD_MAX_ROWS) throw new RebuildRefused("cap_exceeded", capMessage(rows));
  try {
    await db.batch([
      leaseGuard(lease),
      operationActive(orgId, operationId),
      ...forgetFormerRebuilds(scope, agentVersion),
      ...takeSnapshot(scope, agentVersion),
    ]);
  } catch (error) {
    const isTooLarge = error instanceof GuardFailed && error.guard === "members";
    if (isTooLarge) throw new RebuildRefused("cap_exceeded", capMessage(REBUILD_MAX_ROWS + 1));
    throw error;
  }
  const taken = await findRebuild(db, scope);
  if (taken === null) throw new Error("the snapshot is gone");
  return taken;
}

/** Rows as they were at the snapshot, with their vectors; what changed since is left out. */
export async function loadUnchanged(scope: RebuildScope, db: Database, rows: readonly SnapshotRow[]) {
  const { orgId, agentVersion, space } = scope;
  const seenAtMs = new Map(rows.map(({ userPlaybookId, updatedAtMs }) => [userPlaybookId, updatedAtMs]));
  const loaded = await loadMembers(db, orgId, agentVersion, [...seenAtMs.keys()], space);
  return loaded.filter(({ row }) => seenAtMs.get(row.userPlaybookId) === row.updatedAtMs);
}

/** Clusters the snapshot and writes the plan down. Interrupted, it is simply made again. */
export async function makePlan(scope: RebuildScope, db: Database, settings: PlanSettings): Promise<void> {
  const { orgId, agentVersion, lease, operationId, services } = scope;
  const loaded = await loadUnchanged(scope, db, await loadSnapshot(db, scope));
  const members = await withJointVectors(
    services,
    loaded.flatMap(({ row, vector }) => (vector === null ? [] : [{ row, vector, content: row.content }])),
  );
  const ready = new Set(members.map(({ row }) => row.userPlaybookId));
  const unready = loaded.map(({ row }) => row.userPlaybookId).filter((id) => !ready.has(id));
  const clusters: PlannedCluster[] = [];
  for (const group of await clusterMembers(members, settings, clusteringHost)) {
    const memberIds = group.map(({ row }) => row.userPlaybookId);
    const clusterId = await derivedId("clu", [orgId, agentVersion, await fingerprintOf(memberIds)]);
    clusters.push({ clusterId, memberIds });
  }
  await db.batch([
    leaseGuard(lease),
    operationActive(orgId, operationId),
    ...storePlan(scope, clusters, unready),
    // One step more than there are clusters: the batch that commits them.
    setProgressTotal(orgId, operationId, clusters.length + 1),
  ]);
}
