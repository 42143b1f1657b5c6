/**
 * What a search looked at, and beyond it what its filters hid, for explaining. The same search runs again
 * without those filters; what only that one finds, a filter hid.
 */
import * as z from "zod";
import type { Database } from "../db/client";
import {
  type CandidateRow,
  candidateRow,
  compare,
  type HybridQuery,
  type HybridTrace,
  hybridTrace,
  type SearchServices,
} from "./hybrid";
import { type PlaybookKind, playbookKinds } from "./kinds";
import type { Ranked } from "./ranking";
import { servedIds } from "./served-store";
import { byMeaning, type PlaybookFilter } from "./store";

export interface Seen extends Ranked<CandidateRow> {
  /** The filter that hid it; null where none did. */
  hiddenAs: "not_approved" | "served_to_session" | null;
  /** Its rank in the fusion, or the one it had without the filters; null where neither list holds it. */
  standing: number | null;
}

type PerKind<Value> = Record<PlaybookKind, Value>;

const hiddenRow = z.object({ playbook_status: z.string().optional() });
const servedRow = z.object({ entity_id: z.int() });

/** @param trace what `query` found */
export async function lookFurther(
  services: SearchServices,
  db: Database,
  query: HybridQuery,
  trace: HybridTrace,
): Promise<PerKind<Seen[]>> {
  const [wide, served] = await Promise.all([
    withoutHidingFilters(services, db, query),
    servedRules(db, query),
  ]);
  const seen = perKind((kind) => {
    const looked = rankedOf(trace, kind).map(
      (ranked): Seen => ({ ...ranked, hiddenAs: null, standing: ranked.fusedRank }),
    );
    const known = new Set(looked.map(({ row }) => row.id));
    const others = wide === null ? [] : rankedOf(wide, kind).filter(({ row }) => !known.has(row.id));
    return [...looked, ...others.flatMap((ranked) => hidden(ranked, filterOf(query, kind), served[kind]))];
  });
  return trace.vector === null ? seen : await withEveryCosine(services, db, query, seen, trace.vector);
}

/** A rule that a filter hid has no ranks: nobody ranked it. Without such a filter it is not told of. */
function hidden(
  ranked: Ranked<CandidateRow>,
  filter: PlaybookFilter | null,
  served: ReadonlySet<number>,
): Seen[] {
  const hiddenAs = filterThatHid(ranked.row, filter, served);
  if (hiddenAs === null) return [];
  const unranked = { wordRank: null, meaningRank: null, fusedRank: null, fusedScore: null };
  return [{ ...ranked, ...unranked, hiddenAs, standing: ranked.fusedRank }];
}

function filterThatHid(
  row: CandidateRow,
  filter: PlaybookFilter | null,
  served: ReadonlySet<number>,
): Seen["hiddenAs"] {
  const { playbook_status: status } = hiddenRow.parse(row);
  if (status !== undefined && filter?.approvals?.includes(status) === false) return "not_approved";
  return served.has(row.id) ? "served_to_session" : null;
}

/** Null where `query` has no filter that hides what it could explain. */
function withoutHidingFilters(
  services: SearchServices,
  db: Database,
  query: HybridQuery,
): Promise<HybridTrace | null> {
  const userPlaybooks = widened(query.userPlaybooks);
  const agentPlaybooks = widened(query.agentPlaybooks);
  if (userPlaybooks === null && agentPlaybooks === null) return Promise.resolve(null);
  return hybridTrace(services, db, { ...query, userPlaybooks, agentPlaybooks });
}

function widened(filter: PlaybookFilter | null): PlaybookFilter | null {
  if (filter === null) return null;
  const { approvals, unserved, ...rest } = filter;
  return approvals === undefined && unserved === undefined ? null : rest;
}

async function servedRules(db: Database, query: HybridQuery): Promise<PerKind<ReadonlySet<number>>> {
  const { orgId } = query;
  const asked = playbookKinds.flatMap((kind) => {
    const session = filterOf(query, kind)?.unserved;
    return session === undefined ? [] : [{ kind, statement: servedIds({ orgId, ...session }, kind) }];
  });
  const results = asked.length === 0 ? [] : await db.batch(asked.map(({ statement }) => statement));
  return perKind((kind) => {
    const rows = results[asked.findIndex((each) => each.kind === kind)]?.rows ?? [];
    return new Set(rows.map((row) => servedRow.parse(row).entity_id));
  });
}

/** The index was not asked about hits by words, but their similarity tells how far off they are. */
async function withEveryCosine(
  { embedder: { model } }: SearchServices,
  db: Database,
  { orgId }: HybridQuery,
  seen: PerKind<Seen[]>,
  vector: Float32Array,
): Promise<PerKind<Seen[]>> {
  const asked = playbookKinds.flatMap((kind) => {
    const ids = seen[kind].flatMap(({ row, cosine }) => (cosine === null ? [row.id] : []));
    return ids.length === 0 ? [] : [{ kind, ids }];
  });
  if (asked.length === 0) return seen;
  const onlyThose = { changedSinceMs: Number.MAX_SAFE_INTEGER, maxChanged: 0 };
  const results = await db.batch(
    asked.map(({ kind, ids }) => byMeaning({ orgId, kind, model, ids, ...onlyThose }, { statuses: [null] })),
  );
  return perKind((kind) => {
    const rows = results[asked.findIndex((each) => each.kind === kind)]?.rows ?? [];
    const compared = compare(
      rows.map((row) => candidateRow.parse(row)),
      vector,
    );
    const cosines = new Map(compared.map(({ row, cosine }) => [row.id, cosine]));
    return seen[kind].map((each) => ({ ...each, cosine: each.cosine ?? cosines.get(each.row.id) ?? null }));
  });
}

const perKind = <Value>(of: (kind: PlaybookKind) => Value): PerKind<Value> => ({
  user_playbook: of("user_playbook"),
  agent_playbook: of("agent_playbook"),
});

const rankedOf = (trace: HybridTrace, kind: PlaybookKind): Ranked<CandidateRow>[] =>
  kind === "user_playbook" ? trace.userPlaybooks : trace.agentPlaybooks;

const filterOf = (query: HybridQuery, kind: PlaybookKind): PlaybookFilter | null =>
  kind === "user_playbook" ? query.userPlaybooks : query.agentPlaybooks;
