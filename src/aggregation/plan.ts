/** Which rules go to which cluster: matches to existing ones first, then clusters among the rest. Pure. */
import type { AgentPlaybook } from "../playbooks/model";
import { matchCentroid } from "./centroids";
import { clusterPoints } from "./clustering/clusters";
import { contradict, splitContradictions } from "./clustering/contradiction";
import type { ClusteringHost } from "./clustering/density";
import { pacedBy } from "./clustering/pace";
import { cosine } from "./clustering/vector-math";
import type { CandidateCluster, ClusterCentroid, Member } from "./model";

export interface PlanSettings {
  agentVersion: string;
  space: { model: string; dimension: number };
  /** Cosine similarity at and above which two situations are one. */
  similarity: number;
  /** The same for joint vectors. */
  jointSimilarity: number;
  minClusterSize: number;
  /** Fewer unmatched rules than this are not clustered. */
  triggerCount: number;
}

export interface Match {
  clusterId: string;
  agent: AgentPlaybook;
  members: Member[];
}

const idOf = ({ row }: Member): number => row.userPlaybookId;
const byId = (left: Member, right: Member): number => idOf(left) - idOf(right);

/** The clusters whose rule is about the situation of at least one member. */
export async function nearCentroids(
  members: readonly Pick<Member, "vector">[],
  centroids: readonly ClusterCentroid[],
  { similarity }: PlanSettings,
  { pause }: Pick<ClusteringHost, "pause">,
): Promise<ClusterCentroid[]> {
  const paced = pacedBy(pause);
  const near: ClusterCentroid[] = [];
  for (const centroid of centroids) {
    const { vector } = centroid;
    if (members.some((member) => cosine(member.vector, vector) >= similarity)) near.push(centroid);
    await paced(members.length * vector.length);
  }
  return near;
}

/**
 * Each member at the nearest cluster that is near enough both in its situation alone and in situation and
 * instruction together; matches by cluster id, members by id.
 */
export async function matchMembers(
  members: readonly Member[],
  candidates: readonly CandidateCluster[],
  settings: PlanSettings,
  { pause }: Pick<ClusteringHost, "pause">,
): Promise<{ matches: Match[]; unmatched: Member[] }> {
  const paced = pacedBy(pause);
  const { agentVersion, space, similarity } = settings;
  const byCluster = new Map(candidates.map((candidate) => [candidate.clusterId, candidate]));
  const matches = new Map<string, Match>();
  const unmatched: Member[] = [];
  for (const member of [...members].sort(byId)) {
    const near = candidates
      .filter(({ vector }) => cosine(member.vector, vector) >= similarity)
      .map((candidate) => ({ ...candidate, vector: candidate.joint }));
    await paced(candidates.length * member.joint.length);
    const found = matchCentroid(member.joint, { agentVersion, ...space }, near, settings.jointSimilarity);
    const cluster = found === null ? undefined : byCluster.get(found.clusterId);
    if (cluster === undefined) {
      unmatched.push(member);
      continue;
    }
    const { clusterId, agent } = cluster;
    const match = matches.get(clusterId) ?? { clusterId, agent, members: [] };
    match.members.push(member);
    matches.set(clusterId, match);
  }
  return {
    matches: [...matches.values()].sort((left, right) => (left.clusterId < right.clusterId ? -1 : 1)),
    unmatched,
  };
}

/** Members that want the opposite of the cluster's rule do not join it. */
export function splitOpponents(match: Match): { joining: Member[]; opposing: Member[] } {
  const opposing = match.members.filter(({ row }) => contradict(row.content, match.agent.content));
  return { joining: match.members.filter((member) => !opposing.includes(member)), opposing };
}

/**
 * Clusters among unmatched members, none with a contradiction, by their first id.
 * @throws RangeError where the rows do not fit into memory
 */
export async function clusterMembers(
  members: readonly Member[],
  settings: PlanSettings,
  host: ClusteringHost,
): Promise<Member[][]> {
  if (settings.minClusterSize < 2 || members.length < Math.max(2, settings.triggerCount)) return [];
  const byRow = new Map(members.map((member) => [idOf(member), member]));
  const membersOf = (ids: readonly number[]): Member[] => ids.flatMap((id) => byRow.get(id) ?? []);
  const groups = await clusterPoints(
    members.map((member) => ({ id: idOf(member), vector: member.joint })),
    { similarity: settings.jointSimilarity, minClusterSize: settings.minClusterSize },
    host,
  );
  return groups
    .flatMap((ids) =>
      splitContradictions(
        membersOf(ids).map(({ row, joint }) => ({
          id: row.userPlaybookId,
          content: row.content,
          vector: joint,
        })),
      ),
    )
    .filter((ids) => ids.length >= settings.minClusterSize)
    .map(membersOf);
}
