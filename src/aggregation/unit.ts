/** The bounded unit of one turn: rebuild, select, match, cluster, and then each cluster alone. */
import { leaseGuard } from "../db/leases";
import { type Config, gateThresholds } from "../orgs/config";
import type { AggregationConfig } from "../orgs/config-schema";
import { derivedId } from "../platform/ids";
import { loadAgentPlaybooks } from "../playbooks/store";
import { adoptForeignClusters } from "./adoption";
import { endEmpty, idsOf, type TurnScope, type UnitRun, workThrough } from "./cluster-work";
import { fingerprintOf } from "./clustering/fingerprint";
import { clusteringHost } from "./clustering/host";
import { jointSimilarity } from "./clustering/joint";
import { withJointVectors } from "./embedding";
import { takeRebuilds } from "./invalidated-clusters";
import { giveBackRebuilds } from "./invalidated-clusters-store";
import { type ClusterWork, type Counts, type Member, noCounts } from "./model";
import { clusterMembers, matchMembers, nearCentroids, type PlanSettings, splitOpponents } from "./plan";
import { loadCentroids, loadExistingRules, loadTakenIds } from "./read-store";
import { type Selection, selectMembers } from "./selection";
import { giveBack, type VersionState } from "./store";
import type { SynthesisContext } from "./synthesis";

export { LEASE_MS } from "./model";

/** Model calls of one turn, repairs included. */
export const MAX_MODEL_CALLS = 20;
/** A turn starts no cluster after this long; its last call still fits into the object's alarm. */
export const MAX_TURN_MS = 240_000;

export interface UnitScope extends TurnScope {
  config: Config;
  aggregation: AggregationConfig;
}

export interface UnitResult {
  counts: Counts;
  floor: number;
  /** True where clusters were left for the next turn. */
  isCut: boolean;
  /** Set where the model could not answer and trying on would be no use now. */
  failure: { code: string; retryAfterMs: number } | null;
}

export function guidanceOf(config: Config): SynthesisContext["guidance"] {
  return {
    agentContext: config.agent_context_prompt ?? "",
    extractionDefinition: config.user_playbook_extractor_config?.extraction_definition_prompt ?? "",
    tools: config.tool_can_use ?? [],
  };
}

/** The clusters that new rules came near to, with their rules and joint vectors. */
async function loadCandidates(scope: UnitScope, selection: Selection, settings: PlanSettings) {
  const { orgId, agentVersion, services } = scope;
  const db = services.database(orgId);
  const centroids = await loadCentroids(db, orgId, agentVersion, settings.space);
  const near = await nearCentroids(selection.members, centroids, settings, clusteringHost);
  const owners = await loadAgentPlaybooks(db, orgId, [
    ...new Set(near.map(({ agentPlaybookId }) => agentPlaybookId)),
  ]);
  const ownerOf = new Map(owners.map((agent) => [agent.agentPlaybookId, agent]));
  const owned = near.flatMap((centroid) => {
    const agent = ownerOf.get(centroid.agentPlaybookId);
    return agent === undefined || agent.status !== null
      ? []
      : [{ ...centroid, agent, content: agent.content }];
  });
  return withJointVectors(services, owned);
}

/** Refreshes by cluster id, then new clusters by their first member. */
async function planWork(
  scope: UnitScope,
  selection: Selection,
  settings: PlanSettings,
): Promise<ClusterWork[]> {
  const { services } = scope;
  const candidates = await loadCandidates(scope, selection, settings);
  const members = await withJointVectors(
    services,
    selection.members.map((member) => ({ ...member, content: member.row.content })),
  );
  const { matches, unmatched } = await matchMembers(members, candidates, settings, clusteringHost);
  const work: ClusterWork[] = [];
  for (const match of matches) {
    const { joining, opposing } = splitOpponents(match);
    unmatched.push(...opposing);
    const { clusterId, agent } = match;
    if (joining.length > 0) work.push({ mode: "refresh", clusterId, members: joining, agent });
  }
  return [...work, ...(await newClusters(scope, await clusterMembers(unmatched, settings, clusteringHost)))];
}

/**
 * Clusters to be, named after those who found them. A name that is taken gets the run's beside it: its founders may
 * have left the cluster that bears it, edited, and found another one together.
 */
async function newClusters(
  { services, orgId, agentVersion, runId }: UnitScope,
  groups: readonly Member[][],
): Promise<ClusterWork[]> {
  const named = await Promise.all(
    groups.map(async (members) => {
      const key = [orgId, agentVersion, await fingerprintOf(idsOf(members))] as const;
      return { members, key, clusterId: await derivedId("clu", key) };
    }),
  );
  const taken = await loadTakenIds(
    services.database(orgId),
    orgId,
    named.map(({ clusterId }) => clusterId),
  );
  return Promise.all(
    named.map(async ({ members, key, clusterId }) => ({
      mode: "new" as const,
      clusterId: taken.has(clusterId) ? await derivedId("clu", [...key, runId]) : clusterId,
      members,
    })),
  );
}

/**
 * Runs one unit under a held lease.
 * @throws GuardFailed("lease") when the lease was lost; any fault of the database or embedder
 */
export async function runUnit(scope: UnitScope, state: VersionState): Promise<UnitResult> {
  const { services, orgId, agentVersion, lease, aggregation, config } = scope;
  const db = services.database(orgId);
  const startMs = services.clock.nowMs();
  const { name: model, dimension, clusteringSimilarity } = services.embedder.model;
  const space = { model, dimension };
  const similarity = aggregation.clustering_similarity ?? clusteringSimilarity;
  const settings: PlanSettings = {
    agentVersion,
    space,
    similarity,
    jointSimilarity: jointSimilarity(similarity),
    minClusterSize: aggregation.min_cluster_size,
    triggerCount: aggregation.reaggregation_trigger_count,
  };
  if ((await adoptForeignClusters({ services, db, lease, orgId, agentVersion, space })).isMore) {
    return { counts: noCounts(), floor: state.intakeFloor, isCut: true, failure: null };
  }
  const rebuilds = await takeRebuilds({ db, lease, orgId, agentVersion, space }, startMs);
  const selection = await selectMembers({ ...scope, db, space, nowMs: startMs }, state);
  const counts = {
    ...noCounts(),
    staged: selection.staged,
    user_playbooks_processed: selection.processed,
    selected_rebuild_members: rebuilds.work.reduce((sum, { members }) => sum + members.length, 0),
  };
  const planned = selection.members.length === 0 ? [] : await planWork(scope, selection, settings);
  counts.clusters_found = planned.length;
  // Rebuilds come first: until then the rule still says what its lost source taught.
  const all = [...rebuilds.work, ...planned];
  const existingRules = all.length === 0 ? [] : await loadExistingRules(db, orgId, agentVersion, space);
  let callsLeft = MAX_MODEL_CALLS;
  const takeCall = () => {
    callsLeft -= 1;
    return callsLeft >= 0;
  };
  const run: UnitRun = {
    scope,
    counts,
    existingRules,
    messages: [],
    commit: {
      ...{ services, db, lease, orgId, agentVersion, runId: scope.runId, existingRules },
      gate: gateThresholds(config),
    },
    synthesis: {
      db,
      orgId,
      agentVersion,
      reasoner: services.reasoner(orgId),
      existingRules,
      guidance: guidanceOf(config),
      directionOverlap: aggregation.direction_overlap_threshold,
      forcelist: strippingOf(config),
      nowMs: () => services.clock.nowMs(),
      takeCall,
    },
  };
  await endEmpty(run, rebuilds.empty);
  const { left, failure } = await workThrough(
    run,
    all,
    () => callsLeft > 0 && services.clock.nowMs() - startMs < MAX_TURN_MS,
  );
  if (left.length > 0) {
    await db.batch([
      leaseGuard(lease),
      giveBack(
        orgId,
        agentVersion,
        left.flatMap((work) => (work.mode === "rebuild" ? [] : idsOf(work.members))),
      ),
      giveBackRebuilds(
        orgId,
        left.flatMap((work) => (work.mode === "rebuild" ? work.clusterId : [])),
      ),
    ]);
  }
  await services.send(run.messages).catch(() => services.log.warn("aggregation.send_failed", { orgId }));
  return { counts, floor: selection.floor, isCut: left.length > 0, failure };
}

/** Words that are always hidden, or null where the org switched stripping off. */
export function strippingOf(config: Config): readonly string[] | null {
  const stripping = config.user_detail_stripping_config;
  if (stripping === null) return [];
  return stripping.enabled ? stripping.forcelist : null;
}
