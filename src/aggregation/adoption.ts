/**
 * Brings clusters over to the bound embedding model, page by page, before anything is compared: until its rule has
 * a vector of that model a cluster matches nothing, and rules that belong to it would found a second one (trap 46).
 * No rule is written anew.
 */
import type { Database } from "../db/client";
import { type Lease, leaseGuard } from "../db/leases";
import { type RuleKind, writeVectorsOfUnchanged } from "../playbooks/store";
import { embedRules } from "../playbooks/vectors";
import type { Services } from "../services";
import {
  adoptClusters,
  loadForeignClusters,
  loadUnembeddedMembers,
  loadUnembeddedOwners,
  type UnembeddedRule,
} from "./adoption-store";

/** Texts that one turn embeds, about; the rest is left to the next. */
export const ADOPTED_TEXTS = 1_000;
/** Clusters, and texts, of one page. */
const PAGE = 100;

interface Scope {
  services: Services;
  db: Database;
  lease: Lease;
  orgId: string;
  agentVersion: string;
  space: { model: string; dimension: number };
}

/** Stores the vectors of rules that have not changed since they were read. @throws EmbedderError */
async function embed(
  { services, db, lease, orgId }: Scope,
  kind: RuleKind,
  rules: readonly UnembeddedRule[],
) {
  if (rules.length === 0) return;
  const vectors = await embedRules(services, rules);
  const nowMs = services.clock.nowMs();
  const rows = rules.flatMap(({ entityId, updatedAtMs }, at) => {
    const vector = vectors[at];
    return vector === undefined
      ? []
      : [{ orgId, kind, entityId, vector, nowMs, expectedUpdatedAtMs: updatedAtMs }];
  });
  await db.batch([leaseGuard(lease), ...writeVectorsOfUnchanged(rows)]);
}

/** One page of clusters. @returns how many texts it embedded and how many clusters it brought over */
async function adoptPage(
  scope: Scope,
  clusterIds: readonly string[],
  budget: number,
): Promise<{ embedded: number; adopted: number }> {
  const { db, lease, orgId, space } = scope;
  const owners = await loadUnembeddedOwners(db, orgId, clusterIds, space);
  await embed(scope, "agent_playbook", owners);
  let embedded = owners.length;
  while (embedded < budget) {
    const members = await loadUnembeddedMembers(db, orgId, clusterIds, space, PAGE);
    if (members.length === 0) break;
    await embed(scope, "user_playbook", members);
    embedded += members.length;
  }
  const [, done] = await db.batch([leaseGuard(lease), adoptClusters(orgId, clusterIds, space)]);
  return { embedded, adopted: done?.changes ?? 0 };
}

/**
 * Re-embeds what the version's clusters of another model rest on, as far as one turn goes.
 * @returns whether there is more, and nothing may be compared yet
 * @throws GuardFailed("lease"); EmbedderError, what was embedded until then stays
 */
export async function adoptForeignClusters(
  scope: Scope,
  budget = ADOPTED_TEXTS,
): Promise<{ isMore: boolean }> {
  const { db, orgId, agentVersion, space } = scope;
  for (let left = budget; ; ) {
    const clusters = await loadForeignClusters(db, orgId, agentVersion, space, PAGE);
    if (clusters.length === 0) return { isMore: false };
    if (left <= 0) return { isMore: true };
    const page = await adoptPage(
      scope,
      clusters.map(({ clusterId }) => clusterId),
      left,
    );
    left -= page.embedded;
    // Rules that change all the time are left to a later turn, and keep nobody else waiting.
    if (page.embedded === 0 && page.adopted === 0) return { isMore: false };
  }
}
