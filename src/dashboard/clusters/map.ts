/** What the page of clusters shows of one agent version: where its rules lie and which cluster holds them. */
import {
  loadMappedClusters,
  loadMappedRules,
  type MappedCluster,
  type MappedRule,
} from "../../aggregation/map-store";
import type { RequestScope } from "../../http/route";
import { fitToPlot, type Place, spreadOut } from "./layout";
import { MAX_MARKS } from "./marks";
import { fitPlane, fittingRows, projectOnto } from "./projection";

/** The newest rules of a version; older ones are not drawn. */
export const MAX_RULES = 2_000;
/** Of a trigger and of a content. */
const MAX_TEXT_CHARS = 160;

export interface NamedCluster extends MappedCluster {
  /** Its number on the page, counted from 1 by size. */
  number: number;
}

export interface MapRule extends Omit<MappedRule, "vector" | "clusterId"> {
  /** Null in no cluster; `other` in one beyond those that have a mark. */
  cluster: NamedCluster | "other" | null;
  /** Null where it has no vector that could be drawn. */
  place: Place | null;
}

export interface ClusterMap {
  /** By cluster, then newest first; those in no cluster come last. */
  rules: MapRule[];
  /** Largest first. */
  clusters: NamedCluster[];
  /** Clusters that have no mark of their own. */
  otherClusters: number;
  /** True where the version has older rules that are not drawn. */
  isCut: boolean;
}

/** Clusters by how many of the drawn rules they hold. */
function bySize(rules: readonly MappedRule[]): [clusterId: string, rules: MappedRule[]][] {
  const groups = new Map<string, MappedRule[]>();
  for (const rule of rules) {
    if (rule.clusterId === null) continue;
    const group = groups.get(rule.clusterId);
    if (group === undefined) groups.set(rule.clusterId, [rule]);
    else group.push(rule);
  }
  return [...groups].sort(
    ([left, leftRules], [right, rightRules]) =>
      rightRules.length - leftRules.length || (left < right ? -1 : 1),
  );
}

const vectorsOf = (rules: readonly MappedRule[]): Float32Array[] =>
  rules.flatMap(({ vector }) => (vector === null ? [] : [vector]));

/** Places of the rules that have a vector, by id. */
function placesOf(
  rules: readonly MappedRule[],
  groups: readonly (readonly MappedRule[])[],
): Map<number, Place> {
  const plane = fitPlane(fittingRows(groups.map(vectorsOf), vectorsOf(rules)));
  if (plane === null) return new Map();
  // Oldest first: a new rule finds its place beside the others and moves none of them.
  const drawn = [...rules]
    .reverse()
    .flatMap(({ userPlaybookId, vector }) =>
      vector === null ? [] : [{ userPlaybookId, at: projectOnto(plane, vector) }],
    );
  const places = spreadOut(fitToPlot(drawn.map(({ at }) => at)));
  return new Map(
    drawn.flatMap(({ userPlaybookId }, position) => {
      const place = places[position];
      return place === undefined ? [] : [[userPlaybookId, place] as const];
    }),
  );
}

/** Puts rules and clusters together. Pure. */
export function mapOf(
  rules: readonly MappedRule[],
  owners: readonly MappedCluster[],
  isCut: boolean,
): ClusterMap {
  const groups = bySize(rules);
  const ownerOf = new Map(owners.map((owner) => [owner.clusterId, owner]));
  const clusters = groups.slice(0, MAX_MARKS).flatMap(([clusterId]): MappedCluster[] => {
    const owner = ownerOf.get(clusterId);
    return owner === undefined ? [] : [owner];
  });
  const named = clusters.map((cluster, position): NamedCluster => ({ ...cluster, number: position + 1 }));
  const namedOf = new Map(named.map((cluster) => [cluster.clusterId, cluster]));
  const others = new Set(groups.slice(MAX_MARKS).map(([clusterId]) => clusterId));
  const places = placesOf(
    rules,
    groups.map(([, members]) => members),
  );
  const rank = ({ cluster }: MapRule): number =>
    cluster === null ? MAX_MARKS + 2 : cluster === "other" ? MAX_MARKS + 1 : cluster.number;
  const mapped = rules.map(
    ({ vector: _, clusterId, ...rule }): MapRule => ({
      ...rule,
      cluster:
        clusterId === null ? null : (namedOf.get(clusterId) ?? (others.has(clusterId) ? "other" : null)),
      place: places.get(rule.userPlaybookId) ?? null,
    }),
  );
  return {
    rules: mapped.sort((left, right) => rank(left) - rank(right)),
    clusters: named,
    otherClusters: others.size,
    isCut,
  };
}

/** Reads the map of a version. */
export async function readMap(
  { db, orgId, services }: RequestScope,
  agentVersion: string,
): Promise<ClusterMap> {
  const { name: model, dimension } = services.embedder.model;
  const found = await loadMappedRules(db, orgId, agentVersion, {
    space: { model, dimension },
    limit: MAX_RULES + 1,
    maxChars: MAX_TEXT_CHARS,
  });
  const rules = found.slice(0, MAX_RULES);
  const ids = bySize(rules)
    .slice(0, MAX_MARKS)
    .map(([clusterId]) => clusterId);
  return mapOf(rules, await loadMappedClusters(db, orgId, ids, MAX_TEXT_CHARS), found.length > MAX_RULES);
}
