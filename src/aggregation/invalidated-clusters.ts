/** Which clusters one turn rebuilds, and from what: a sample of the members that are left. */
import type { Database } from "../db/client";
import { type Lease, leaseGuard } from "../db/leases";
import type { AgentPlaybook } from "../playbooks/model";
import { loadAgentPlaybooks } from "../playbooks/store";
import { splitContradictions } from "./clustering/contradiction";
import {
  countRebuildAttempt,
  loadDueClusters,
  loadSamples,
  releaseMembers,
} from "./invalidated-clusters-store";
import type { ClusterWork, EmbeddedRule } from "./model";
import { loadMembers } from "./read-store";

/** Clusters of one turn: each takes a model call, and a turn has twenty. */
export const MAX_REBUILDS = 20;
/** Members whose texts the model is shown (specification 8.6, step 5). */
const SAMPLE_ROWS = 100;

export interface Rebuilds {
  work: ClusterWork[];
  /** Nobody is left in these. */
  empty: { clusterId: string; agent: AgentPlaybook }[];
}

interface Scope {
  db: Database;
  lease: Lease;
  orgId: string;
  agentVersion: string;
  space: { model: string; dimension: number };
}

/** The largest group without a contradiction, and everybody else; of two as large, the one with the oldest member. */
export function majority(members: readonly EmbeddedRule[]): {
  kept: EmbeddedRule[];
  opposing: EmbeddedRule[];
} {
  const groups = splitContradictions(
    members.map(({ row, vector }) => ({ id: row.userPlaybookId, content: row.content, vector })),
  );
  const largest = groups.reduce<number[]>((best, group) => (group.length > best.length ? group : best), []);
  const isKept = ({ row }: EmbeddedRule) => largest.includes(row.userPlaybookId);
  return { kept: members.filter(isKept), opposing: members.filter((member) => !isKept(member)) };
}

/**
 * Takes due clusters up and counts their attempt before any model is asked. One whose members are not embedded yet
 * waits for its next attempt.
 * @throws GuardFailed("lease")
 */
export async function takeRebuilds(scope: Scope, nowMs: number): Promise<Rebuilds> {
  const { db, lease, orgId, agentVersion, space } = scope;
  const due = await loadDueClusters(db, orgId, agentVersion, nowMs, MAX_REBUILDS);
  if (due.length === 0) return { work: [], empty: [] };
  const ids = due.map(({ clusterId }) => clusterId);
  await db.batch([leaseGuard(lease), countRebuildAttempt(orgId, ids, nowMs)]);
  const samples = await loadSamples(db, orgId, ids, SAMPLE_ROWS);
  const owners = await loadAgentPlaybooks(
    db,
    orgId,
    due.map(({ agentPlaybookId }) => agentPlaybookId),
  );
  const loaded = await loadMembers(db, orgId, agentVersion, samples.flat(), space);
  const ruleOf = new Map(
    loaded.flatMap(({ row, vector }) => (vector === null ? [] : [[row.userPlaybookId, { row, vector }]])),
  );
  const rebuilds: Rebuilds = { work: [], empty: [] };
  const released: number[] = [];
  for (const [position, { clusterId, agentPlaybookId, isEmpty }] of due.entries()) {
    const agent = owners.find((owner) => owner.agentPlaybookId === agentPlaybookId);
    if (agent === undefined || agent.status !== null) continue;
    const sample = (samples[position] ?? []).flatMap((id) => ruleOf.get(id) ?? []);
    const { kept, opposing } = majority(sample);
    released.push(...opposing.map(({ row }) => row.userPlaybookId));
    if (kept.length > 0) rebuilds.work.push({ mode: "rebuild", clusterId, members: kept, agent });
    else if (isEmpty) rebuilds.empty.push({ clusterId, agent });
  }
  if (released.length > 0) {
    await db.batch([leaseGuard(lease), releaseMembers(orgId, agentVersion, released)]);
  }
  return rebuilds;
}
