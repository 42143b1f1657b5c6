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
import {
  type AgentPlaybookView,
  agentPlaybookHitRow,
  type Hit,
  json,
  type UserPlaybookView,
  userPlaybookHitRow,
} from "./hits";
import { type Hints, indexHints, MAX_HINTS } from "./index-hints";
import type { PlaybookKind } from "./kinds";
import { queryVector } from "./query-vector";
import { best, type Compared, OVER_FETCH, type Ranked, rank } from "./ranking";
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

interface Outcome {
  /** True where meaning was asked for and could not be used; then words alone answered. */
  degraded: boolean;
  effectiveMode: SearchMode;
}

/** All that was looked at, what was left out included. */
export interface HybridTrace extends Outcome {
  userPlaybooks: Ranked<CandidateRow>[];
  agentPlaybooks: Ranked<CandidateRow>[];
  /** Null where meaning was not compared. */
  vector: Float32Array | null;
  /** Least cosine similarity that was asked of hits by meaning. */
  threshold: number;
}

export interface HybridResult extends Outcome {
  /** At most `topK`, best first. */
  userPlaybooks: Hit<UserPlaybookView>[];
  agentPlaybooks: Hit<AgentPlaybookView>[];
}

export type SearchServices = Pick<Services, "clock" | "embedder" | "vectors" | "log">;

interface Arm {
  kind: PlaybookKind;
  filter: PlaybookFilter;
}

/** A found row before it is known whether anybody will see it. */
export const candidateRow = z.looseObject({
  id: z.int(),
  word_score: z.number().optional(),
  hex_bytes: z.string().optional(),
  verdicts: json(z.tuple([z.int(), z.int()]))
    .transform(([helpful, harmful]) => ({ helpful, harmful }))
    .nullish(),
});
export type CandidateRow = z.infer<typeof candidateRow>;

/** Writes to the index show within this time. */
const INDEX_DELAY_MS = 120_000;
const MAX_CHANGED_ROWS = 200;
/** How much deeper the index is asked where rules that a session was served drop out (specification 9.4). */
const SERVED_DEPTH = 50;

/** What a trace of the same query found. */
export async function hybridSearch(
  services: SearchServices,
  db: Database,
  query: HybridQuery,
): Promise<HybridResult> {
  return resultOf(await hybridTrace(services, db, query));
}

export const resultOf = (trace: HybridTrace): HybridResult => ({
  userPlaybooks: best(trace.userPlaybooks).map((row) => userPlaybookHitRow.parse(row)),
  agentPlaybooks: best(trace.agentPlaybooks).map((row) => agentPlaybookHitRow.parse(row)),
  degraded: trace.degraded,
  effectiveMode: trace.effectiveMode,
});

/** At most two statements a kind in one batch, and one more a kind where too few hints survived the judgement. */
export async function hybridTrace(
  services: SearchServices,
  db: Database,
  query: HybridQuery,
): Promise<HybridTrace> {
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
  const ranked = (kind: PlaybookKind): Ranked<CandidateRow>[] => {
    const position = arms.findIndex((arm) => arm.kind === kind);
    const compared = vector === null ? [] : compare(meanings[position] ?? [], vector);
    return rank(words[position] ?? [], compared, {
      ...{ threshold, topK: query.topK },
      // The newest rules are asked for in their order.
      weighsFeedback: query.query !== null,
    });
  };
  return {
    userPlaybooks: ranked("user_playbook"),
    agentPlaybooks: ranked("agent_playbook"),
    vector: hints === null ? null : vector,
    ...{ threshold, degraded, effectiveMode },
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
async function batch(db: Database, statements: readonly (Statement | null)[]): Promise<CandidateRow[][]> {
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
  found: readonly (readonly CandidateRow[])[],
): boolean {
  return hints.some(({ isCut }, position) => isCut && (found[position]?.length ?? 0) < topK);
}

/** By the vectors in D1; the index's own scores may be of an older text. */
export function compare(rows: readonly CandidateRow[], vector: Float32Array): Compared<CandidateRow>[] {
  const query = asInt8(quantise(vector).bytes);
  return rows.map((row) => ({ row, cosine: cosineInt8(asInt8(decodeHex(row.hex_bytes ?? "")), query) }));
}
