/** Which rules go to which cluster: matches to existing ones first, then clusters among the rest. Pure. */
import type { AgentPlaybook } from "../playbooks/model";
import { matchCentroid } from "./centroids";
import { averageLinkage } from "./clustering/average-linkage";
import { contradict, splitContradictions } from "./clustering/contradiction";
import type { ClusterCentroid, Member } from "./model";

export interface PlanSettings {
  agentVersion: string;
  space: { model: string; dimension: number };
  /** Cosine similarity at and above which rules belong together. */
  similarity: number;
  minClusterSize: number;
  /** Fewer unmatched rules than this are not clustered. */
  triggerCount: number;
}

export interface Match {
  clusterId: string;
  agentPlaybookId: number;
  members: Member[];
}

const idOf = ({ row }: Member): number => row.userPlaybookId;
const byId = (left: Member, right: Member): number => idOf(left) - idOf(right);

/** Each member at its nearest centroid, if one is near enough; matches by cluster id, members by id. */
export function matchMembers(
  members: readonly Member[],
  centroids: readonly ClusterCentroid[],
  { agentVersion, space, similarity }: PlanSettings,
): { matches: Match[]; unmatched: Member[] } {
  const owners = new Map(centroids.map((centroid) => [centroid.clusterId, centroid.agentPlaybookId]));
  const matches = new Map<string, Match>();
  const unmatched: Member[] = [];
  for (const member of [...members].sort(byId)) {
    const found = matchCentroid(member.vector, { agentVersion, ...space }, centroids, similarity);
    const owner = found === null ? undefined : owners.get(found.clusterId);
    if (found === null || owner === undefined) {
      unmatched.push(member);
      continue;
    }
    const match = matches.get(found.clusterId) ?? {
      clusterId: found.clusterId,
      agentPlaybookId: owner,
      members: [],
    };
    match.members.push(member);
    matches.set(found.clusterId, match);
  }
  return {
    matches: [...matches.values()].sort((left, right) => (left.clusterId < right.clusterId ? -1 : 1)),
    unmatched,
  };
}

/** Members that want the opposite of the cluster's rule do not join it. */
export function splitOpponents(
  match: Match,
  agent: AgentPlaybook,
): { joining: Member[]; opposing: Member[] } {
  const opposing = match.members.filter(({ row }) => contradict(row.content, agent.content));
  return { joining: match.members.filter((member) => !opposing.includes(member)), opposing };
}

/**
 * Clusters among unmatched members, none with a contradiction, by their first id.
 * @throws TooManyRows above the clustering cap
 */
export function clusterMembers(members: readonly Member[], settings: PlanSettings): Member[][] {
  if (settings.minClusterSize < 2 || members.length < Math.max(2, settings.triggerCount)) return [];
  const byRow = new Map(members.map((member) => [idOf(member), member]));
  const membersOf = (ids: readonly number[]): Member[] => ids.flatMap((id) => byRow.get(id) ?? []);
  return averageLinkage(
    members.map((member) => ({ id: idOf(member), vector: member.vector })),
    settings,
  )
    .flatMap((ids) =>
      splitContradictions(
        membersOf(ids).map(({ row, vector }) => ({ id: row.userPlaybookId, content: row.content, vector })),
      ),
    )
    .filter((ids) => ids.length >= settings.minClusterSize)
    .map(membersOf);
}
