/** The bounded unit of one turn: select, match, cluster, synthesise, commit each cluster alone. */

import { GuardFailed } from "../db/client";
import { type Lease, leaseGuard, renewLease } from "../db/leases";
import type { WorkMessage } from "../db/outbox";
import { type Config, gateThresholds } from "../orgs/config";
import type { AggregationConfig } from "../orgs/config-schema";
import { derivedId } from "../platform/ids";
import { loadAgentPlaybooks } from "../playbooks/store";
import type { Services } from "../services";
import { fingerprintOf } from "./clustering/fingerprint";
import { jointSimilarity } from "./clustering/joint";
import { commitCluster } from "./commit";
import type { CommitContext } from "./draft";
import { withJointVectors } from "./embedding";
import { type ClusterWork, type Counts, type ExistingRule, type Member, noCounts } from "./model";
import { clusterMembers, matchMembers, nearCentroids, type PlanSettings, splitOpponents } from "./plan";
import { findRejectedRuleOf, loadCentroids, loadExistingRules } from "./read-store";
import { type Selection, selectMembers } from "./selection";
import { giveBack, keepResidual, type VersionState } from "./store";
import { type SynthesisContext, synthesise } from "./synthesis";

/** How long one claim of a version lasts; renewed while the turn runs, so that a crash is noticed soon. */
export const LEASE_MS = 60_000;
/** Model calls of one turn, repairs included. */
const MAX_MODEL_CALLS = 20;
/** A turn starts no cluster after this long; its last call still fits into the object's alarm. */
const MAX_TURN_MS = 240_000;

export interface UnitScope {
  services: Services;
  orgId: string;
  agentVersion: string;
  lease: Lease;
  runId: string;
  config: Config;
  aggregation: AggregationConfig;
  isForced: boolean;
}

export interface UnitResult {
  counts: Counts;
  floor: number;
  /** True where clusters were left for the next turn. */
  isCut: boolean;
  /** Set where the model could not answer and trying on would be no use now. */
  failure: { code: string; retryAfterMs: number } | null;
}

const idsOf = (members: readonly Member[]): number[] => members.map(({ row }) => row.userPlaybookId);

function guidanceOf(config: Config): SynthesisContext["guidance"] {
  return {
    agentContext: config.agent_context_prompt ?? "",
    extractionDefinition: config.user_playbook_extractor_config?.extraction_definition_prompt ?? "",
    tools: config.tool_can_use ?? [],
  };
}

/** Renews the lease; losing it ends the turn exactly as a failed guard does. */
async function holdLease({ services, orgId, lease }: UnitScope): Promise<void> {
  if (!(await renewLease(services.database(orgId), lease, LEASE_MS))) throw new GuardFailed("lease");
}

/** The clusters that new rules came near to, with their rules and joint vectors. */
async function loadCandidates(scope: UnitScope, selection: Selection, settings: PlanSettings) {
  const { orgId, agentVersion, services } = scope;
  const db = services.database(orgId);
  const centroids = await loadCentroids(db, orgId, agentVersion, settings.space);
  const near = nearCentroids(selection.members, centroids, settings);
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
  const { orgId, agentVersion, services } = scope;
  const candidates = await loadCandidates(scope, selection, settings);
  const members = await withJointVectors(
    services,
    selection.members.map((member) => ({ ...member, content: member.row.content })),
  );
  const { matches, unmatched } = matchMembers(members, candidates, settings);
  const work: ClusterWork[] = [];
  for (const match of matches) {
    const { joining, opposing } = splitOpponents(match);
    unmatched.push(...opposing);
    const { clusterId, agent } = match;
    if (joining.length > 0) work.push({ mode: "refresh", clusterId, members: joining, agent });
  }
  for (const group of clusterMembers(unmatched, settings)) {
    const clusterId = await derivedId("clu", [orgId, agentVersion, await fingerprintOf(idsOf(group))]);
    work.push({ mode: "new", clusterId, members: group });
  }
  return work;
}

interface UnitRun {
  scope: UnitScope;
  commit: CommitContext;
  synthesis: SynthesisContext;
  existingRules: ExistingRule[];
  counts: Counts;
  messages: WorkMessage[];
}

/** One cluster from question to commit. @returns null, or why the turn has to end */
async function workOff(
  run: UnitRun,
  work: ClusterWork,
): Promise<{ code: string; retryAfterMs: number } | null> {
  const { scope, counts } = run;
  const { orgId, agentVersion, lease, services } = scope;
  const db = services.database(orgId);
  const ids = idsOf(work.members);
  await holdLease(scope);
  if (work.mode === "new" && (await findRejectedRuleOf(db, orgId, agentVersion, ids)) !== null) {
    // They stay residual: with a rule that somebody else teaches they are proposed again.
    await db.batch([leaseGuard(lease), keepResidual(orgId, agentVersion, ids, "rejected_before")]);
    return null;
  }
  const outcome = await synthesise(run.synthesis, work);
  if (outcome.kind === "retryable") {
    if (outcome.code === "budget_spent") return { code: outcome.code, retryAfterMs: 0 };
    counts.retryable_failures += 1;
    services.log.warn("aggregation.retryable", {
      orgId,
      runId: scope.runId,
      clusterId: work.clusterId,
      code: outcome.code,
    });
    await db.batch([leaseGuard(lease), keepResidual(orgId, agentVersion, ids, "llm_retryable_failure")]);
    return outcome.endsTurn ? { code: outcome.code, retryAfterMs: outcome.retryAfterMs } : null;
  }
  const result = await commitCluster(run.commit, work, outcome);
  if (result.kind === "fence_lost") {
    counts.cluster_fence_losses += 1;
    await db.batch([leaseGuard(lease), keepResidual(orgId, agentVersion, ids, "cluster_fence_lost")]);
    return null;
  }
  run.messages.push(...result.messages);
  if (outcome.kind === "semantic_null") counts.semantic_nulls += 1;
  if (work.mode === "refresh" || result.created !== null) counts.attachments += ids.length;
  if (result.superseded) counts.supersessions += 1;
  if (result.created !== null) {
    counts.playbooks_generated += 1;
    const { agentPlaybookId, trigger, content } = result.created;
    run.existingRules.push({
      agentPlaybookId,
      trigger: trigger ?? "",
      content,
      isApproved: false,
      vector: null,
    });
  }
  return null;
}

/**
 * Runs one unit under a held lease.
 * @throws GuardFailed("lease") when the lease was lost; CapExceeded; any fault of the database or embedder
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
  const selection = await selectMembers({ ...scope, db, space, nowMs: startMs }, state);
  const counts = { ...noCounts(), staged: selection.staged, user_playbooks_processed: selection.processed };
  const all = selection.members.length === 0 ? [] : await planWork(scope, selection, settings);
  counts.clusters_found = all.length;
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
        left.flatMap(({ members }) => idsOf(members)),
      ),
    ]);
  }
  await services.send(run.messages).catch(() => services.log.warn("aggregation.send_failed", { orgId }));
  return { counts, floor: selection.floor, isCut: left.length > 0, failure };
}

/** Cluster by cluster until all are done, the budget ends or the model fails; what is left comes back. */
async function workThrough(run: UnitRun, all: readonly ClusterWork[], mayGoOn: () => boolean) {
  for (const [position, work] of all.entries()) {
    if (!mayGoOn()) return { left: all.slice(position), failure: null };
    const end = await workOff(run, work);
    if (end?.code === "budget_spent") return { left: all.slice(position), failure: null };
    if (end !== null) return { left: all.slice(position + 1), failure: end };
  }
  return { left: [], failure: null };
}

/** Words that are always hidden, or null where the org switched stripping off. */
function strippingOf(config: Config): readonly string[] | null {
  const stripping = config.user_detail_stripping_config;
  if (stripping === null) return [];
  return stripping.enabled ? stripping.forcelist : null;
}
