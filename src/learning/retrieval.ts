/** Which stored rules a new one may repeat or contradict: words and meaning, fused by rank. Pure. */
import { tokens } from "../platform/containment";
import { MAX_EXISTING } from "./bounds";

export interface Query {
  text: string;
  /** Unit vector, or null for a text without known words. */
  vector: Float32Array | null;
}

export interface Stored {
  id: number;
  text: string;
  vector: Float32Array | null;
}

export interface RetrievalPolicy {
  /** Least cosine similarity, and least share of a query's words by rarity, for a hit. */
  threshold: number;
  /** Hits per query. */
  topK: number;
}

/** Reciprocal rank fusion's usual constant (Cormack et al. 2009). */
const RANK_CONSTANT = 60;

function cosine(left: Float32Array, right: Float32Array): number {
  if (left.length !== right.length) return 0;
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += (left[index] ?? 0) * (right[index] ?? 0);
  return sum;
}

/** What the commonest word weighs beside the logarithm of a rare one. */
const BASE_WEIGHT = 0.3;

/** How telling a token is among the stored texts: rare ones weigh more, unknown ones tell nothing apart. */
function rarity(texts: readonly ReadonlySet<string>[]): (token: string) => number {
  const counts = new Map<string, number>();
  for (const words of texts) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (token) => BASE_WEIGHT + Math.log((1 + texts.length) / (1 + (counts.get(token) ?? texts.length)));
}

function wordShare(
  query: ReadonlySet<string>,
  text: ReadonlySet<string>,
  weightOf: (token: string) => number,
): number {
  let shared = 0;
  let all = 0;
  for (const token of query) {
    const weight = weightOf(token);
    all += weight;
    if (text.has(token)) shared += weight;
  }
  return all === 0 ? 0 : shared / all;
}

interface Hit {
  id: number;
  score: number;
}

const best = (hits: readonly Hit[], { threshold, topK }: RetrievalPolicy): Hit[] =>
  hits
    .filter(({ score }) => score >= threshold)
    .sort((left, right) => right.score - left.score || left.id - right.id)
    .slice(0, topK);

function fuse(arms: readonly Hit[][]): Hit[] {
  const scores = new Map<number, number>();
  for (const arm of arms) {
    arm.forEach(({ id }, rank) => {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_CONSTANT + rank + 1));
    });
  }
  return [...scores].map(([id, score]) => ({ id, score }));
}

/** Ids of the stored rules near any of the queries, best first: at most `topK` a query and 20 in all. */
export function nearest(
  queries: readonly Query[],
  stored: readonly Stored[],
  policy: RetrievalPolicy,
): number[] {
  const words = stored.map(({ text }) => tokens(text));
  const weightOf = rarity(words);
  const found = new Map<number, number>();
  for (const query of queries) {
    const queryWords = tokens(query.text);
    const byWords = stored.map(({ id }, index) => ({
      id,
      score: wordShare(queryWords, words[index] ?? new Set(), weightOf),
    }));
    const byMeaning = stored.flatMap(({ id, vector }) =>
      vector === null || query.vector === null ? [] : [{ id, score: cosine(query.vector, vector) }],
    );
    const fused = fuse([best(byMeaning, policy), best(byWords, policy)]);
    for (const { id, score } of best(fused, { threshold: 0, topK: policy.topK })) {
      found.set(id, Math.max(found.get(id) ?? 0, score));
    }
  }
  return [...found]
    .sort(([leftId, left], [rightId, right]) => right - left || leftId - rightId)
    .slice(0, MAX_EXISTING)
    .map(([id]) => id);
}
