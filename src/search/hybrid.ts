/**
 * Hybrid search over both kinds of playbooks: one index query per kind, then one batch in which D1 judges the
 * index's hints, adds what changed too recently for the index, and answers the word query.
 */
import * as z from "zod";
import type { Database } from "../db/client";
import type { Statement } from "../db/sql";
import { decodeHex } from "../platform/embedder/hex";
import { asInt8, cosineInt8, quantise } from "../platform/embedder/quantise";
import type { Services } from "../services";
import { reciprocalRankFusion } from "./fusion";
import {
  type AgentPlaybookView,
  agentPlaybookHitRow,
  type Hit,
  type UserPlaybookView,
  userPlaybookHitRow,
} from "./hits";
import { type Hints, indexHints, MAX_HINTS } from "./index-hints";
import type { PlaybookKind } from "./kinds";
import { queryVector } from "./query-vector";
import { byMeaning, byWords, newest, type PlaybookFilter } from "./store";
import { orgToken, wordQuery } from "./words";

export const searchModes = ["hybrid", "vector", "fts"] as const;
export type SearchMode = (typeof searchModes)[number];

export interface HybridQuery {
  orgId: string;
  /** Null lists the newest rows. */
  query: string | null;
  mode: SearchMode;
  topK: number;
  /** Least cosine similarity of a hit by meaning; the model's own where null. Hits by words are never cut. */
  threshold: number | null;
  /** The kinds to search; null leaves one out. */
  userPlaybooks: PlaybookFilter | null;
  agentPlaybooks: PlaybookFilter | null;
}

export interface HybridResult {
  /** At most `topK`, best first. */
  userPlaybooks: Hit<UserPlaybookView>[];
  agentPlaybooks: Hit<AgentPlaybookView>[];
  /** True where meaning was asked for and could not be used; then words alone answered. */
  degraded: boolean;
  effectiveMode: SearchMode;
}

export type SearchServices = Pick<Services, "clock" | "embedder" | "vectors" | "log">;

interface Arm {
  kind: PlaybookKind;
  filter: PlaybookFilter;
}

/** A found row before it is known whether anybody will see it. */
const candidateRow = z.looseObject({ id: z.int(), hex_bytes: z.string().optional() });
type Candidate = z.infer<typeof candidateRow>;

/** Each list is fetched deeper than shown, so that fusion sees what only the other list ranks high. */
const OVER_FETCH = 5;
/** Writes to the index show within this time. */
const INDEX_DELAY_MS = 120_000;
const MAX_CHANGED_ROWS = 200;
/** How much deeper the index is asked where rules that a session was served drop out (specification 9.4). */
const SERVED_DEPTH = 50;

/** At most two statements a kind in one batch, and one more a kind where too few hints survived the judgement. */
export async function hybridSearch(
  services: SearchServices,
  db: Database,
  query: HybridQuery,
): Promise<HybridResult> {
  const arms = armsOf(query);
  const wantsMeaning = query.mode !== "fts" && query.query !== null;
  const vector = wantsMeaning ? await queryVector(services, query.orgId, query.query ?? "") : null;
  const hints = vector === null ? null : await hintsFor(services, query, vector, depthOf(query));
  const degraded = wantsMeaning && hints === null;
  const effectiveMode = degraded ? "fts" : query.mode;

  const wordStatements = effectiveMode === "vector" && query.query !== null ? [] : byWordsOf(query, arms);
  const meaningStatements = hints === null ? [] : byMeaningOf(services, query, arms, hints);
  const lists = await batch(db, [...wordStatements, ...meaningStatements]);
  const words = lists.slice(0, wordStatements.length);
  let meanings = lists.slice(wordStatements.length);
  if (vector !== null && hints !== null && needsMore(query, hints, meanings)) {
    const deeper = await hintsFor(services, query, vector, MAX_HINTS);
    if (deeper !== null) meanings = await batch(db, byMeaningOf(services, query, arms, deeper));
  }

  const threshold = query.threshold ?? services.embedder.model.retrievalSimilarity;
  const best = (kind: PlaybookKind): Candidate[] => {
    const position = arms.findIndex((arm) => arm.kind === kind);
    const near = vector === null ? [] : byCosine(meanings[position] ?? [], vector, threshold);
    return fuse(words[position] ?? [], near.slice(0, query.topK * OVER_FETCH)).slice(0, query.topK);
  };
  return {
    userPlaybooks: best("user_playbook").map((row) => userPlaybookHitRow.parse(row)),
    agentPlaybooks: best("agent_playbook").map((row) => agentPlaybookHitRow.parse(row)),
    degraded,
    effectiveMode,
  };
}

function armsOf({ userPlaybooks, agentPlaybooks }: HybridQuery): Arm[] {
  const arms: Arm[] = [];
  if (userPlaybooks !== null) arms.push({ kind: "user_playbook", filter: userPlaybooks });
  if (agentPlaybooks !== null) arms.push({ kind: "agent_playbook", filter: agentPlaybooks });
  return arms;
}

function depthOf(query: HybridQuery): number {
  const depth = query.topK * OVER_FETCH;
  const leavesOut = armsOf(query).some(({ filter }) => filter.unserved !== undefined);
  return leavesOut ? Math.max(depth, query.topK + SERVED_DEPTH) : depth;
}

function hintsFor(
  services: SearchServices,
  query: HybridQuery,
  values: Float32Array,
  wanted: number,
): Promise<Hints[] | null> {
  const { orgId } = query;
  const queries = armsOf(query).map(({ kind, filter: { agentVersion, userId } }) => ({
    ...{ orgId, kind, values },
    ...(agentVersion !== undefined && { agentVersion }),
    ...(userId !== undefined && { userId }),
  }));
  return indexHints(services, queries, wanted);
}

/** Null where a query has no words that could be looked up. */
function byWordsOf({ orgId, query, topK }: HybridQuery, arms: readonly Arm[]): (Statement | null)[] {
  if (query === null) return arms.map(({ kind, filter }) => newest(orgId, kind, filter, topK));
  const match = wordQuery(query, orgToken(orgId));
  return arms.map(({ kind, filter }) =>
    match === null ? null : byWords(orgId, kind, match, filter, topK * OVER_FETCH),
  );
}

function byMeaningOf(
  { clock, embedder: { model } }: SearchServices,
  { orgId }: HybridQuery,
  arms: readonly Arm[],
  hints: readonly Hints[],
): Statement[] {
  const changed = { changedSinceMs: clock.nowMs() - INDEX_DELAY_MS, maxChanged: MAX_CHANGED_ROWS };
  return arms.map(({ kind, filter }, position) =>
    byMeaning({ orgId, kind, model, ids: hints[position]?.ids ?? [], ...changed }, filter),
  );
}

/** Runs what there is in one batch; the place of an absent statement stays empty. */
async function batch(db: Database, statements: readonly (Statement | null)[]): Promise<Candidate[][]> {
  const present = statements.filter((statement) => statement !== null);
  const results = (present.length === 0 ? [] : await db.batch(present)).values();
  return statements.map((statement) => {
    const rows = statement === null ? [] : (results.next().value?.rows ?? []);
    return rows.map((row) => candidateRow.parse(row));
  });
}

/** True where a kind got fewer rows than asked for although the index may have more. */
function needsMore(
  { topK }: HybridQuery,
  hints: readonly Hints[],
  found: readonly (readonly Candidate[])[],
): boolean {
  return hints.some(({ isCut }, position) => isCut && (found[position]?.length ?? 0) < topK);
}

/** By the vectors in D1, best first; the index's own scores may be of an older text. */
function byCosine(rows: readonly Candidate[], vector: Float32Array, threshold: number): Candidate[] {
  const query = asInt8(quantise(vector).bytes);
  return rows
    .map((row) => ({ row, score: cosineInt8(asInt8(decodeHex(row.hex_bytes ?? "")), query) }))
    .filter(({ score }) => score >= threshold)
    .sort((left, right) => right.score - left.score || left.row.id - right.row.id)
    .map(({ row }) => row);
}

/** A list that is empty leaves the order of the other. */
function fuse(words: readonly Candidate[], near: readonly Candidate[]): Candidate[] {
  const rows = new Map([...words, ...near].map((row) => [row.id, row]));
  const lists = [words, near].map((list) => list.map(({ id }) => id));
  return reciprocalRankFusion(lists).flatMap(({ id }) => rows.get(id) ?? []);
}
