/** What the model is shown of a cluster: bounded, ranked and grouped; membership is unaffected. */
import { containment, termsOf } from "../platform/rules/terms";
import { cosine, meanVector } from "./clustering/vector-math";

const MAX_PROMPT_SOURCES = 100;
const MAX_CONTEXT_RULES = 20;

export interface PromptRow {
  id: number;
  userId: string | null;
  /** Seconds. */
  createdAtSec: number;
  content: string;
  vector: Float32Array;
}

const newestFirst = (left: PromptRow, right: PromptRow): number =>
  right.createdAtSec - left.createdAtSec || right.id - left.id;

/**
 * At most 100 rows, ids ascending: for a refresh the newest, else those most like the cluster's mean
 * (ties by id), or the newest where vectors have no common mean (specification 8.8).
 */
export function choosePromptSources<Row extends PromptRow>(
  rows: readonly Row[],
  mode: "new" | "refresh" | "rebuild",
  limit = MAX_PROMPT_SOURCES,
): Row[] {
  const byId = (left: Row, right: Row) => left.id - right.id;
  if (rows.length <= limit) return [...rows].sort(byId);
  const mean = mode === "refresh" ? null : meanVector(rows.map(({ vector }) => vector));
  const ranked =
    mean === null
      ? [...rows].sort(newestFirst)
      : rows
          .map((row) => ({ row, score: cosine(row.vector, mean) }))
          .sort((left, right) => right.score - left.score || left.row.id - right.row.id)
          .map(({ row }) => row);
  return ranked.slice(0, limit).sort(byId);
}

export interface ContextRule {
  agentPlaybookId: number;
  trigger: string;
  content: string;
  /** Null where it was not embedded with the bound model. */
  vector: Float32Array | null;
}

/**
 * At most 20 existing rules, most alike first (ties by id): by cosine to the cluster's mean, or by token
 * containment of trigger and content where a vector is missing. `excludedIds` are the cluster's own rules.
 */
export function chooseContextRules<Rule extends ContextRule>(
  rules: readonly Rule[],
  cluster: { vectors: readonly Float32Array[]; text: string },
  excludedIds: readonly number[],
  limit = MAX_CONTEXT_RULES,
): Rule[] {
  const mean = meanVector(cluster.vectors);
  const clusterTerms = termsOf(cluster.text);
  return rules
    .filter(({ agentPlaybookId }) => !excludedIds.includes(agentPlaybookId))
    .map((rule) => ({
      rule,
      score:
        mean !== null && rule.vector !== null
          ? cosine(rule.vector, mean)
          : containment(termsOf(`${rule.trigger} ${rule.content}`), clusterTerms),
    }))
    .sort((left, right) => right.score - left.score || left.rule.agentPlaybookId - right.rule.agentPlaybookId)
    .slice(0, limit)
    .map(({ rule }) => rule);
}

/** Greedy groups in input order: a row joins the first group with a member it overlaps enough (trap 59). */
export function groupByDirection<Row extends { content: string }>(
  rows: readonly Row[],
  threshold: number,
): Row[][] {
  const groups: { rows: Row[]; terms: Set<string>[] }[] = [];
  for (const row of rows) {
    const terms = termsOf(row.content);
    const home = groups.find((group) => group.terms.some((other) => containment(other, terms) >= threshold));
    if (home === undefined) groups.push({ rows: [row], terms: [terms] });
    else {
      home.rows.push(row);
      home.terms.push(terms);
    }
  }
  return groups.map(({ rows: members }) => members);
}

/** `U1`, `U2`, … per cluster in order of appearance; a row without a user counts as one of its own. */
export function labelUsers(rows: readonly { id: number; userId: string | null }[]): Map<number, string> {
  const labels = new Map<string, string>();
  return new Map(
    rows.map(({ id, userId }) => {
      const key = userId === null ? `row:${id}` : `user:${userId}`;
      const label = labels.get(key) ?? `U${labels.size + 1}`;
      labels.set(key, label);
      return [id, label];
    }),
  );
}
