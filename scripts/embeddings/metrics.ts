/** How well similarities tell paraphrases from other texts, and which thresholds follow. */

export interface Triple {
  anchor: string;
  paraphrase: string;
  hard_negative: string;
  /** Where present, different rules count as negatives inside their domain only. */
  domain?: string | undefined;
}

export interface Similarities {
  same: number[];
  /** Every anchor with the paraphrases of other triples (of its domain, where there are domains). */
  different: number[];
  hard: number[];
  /** Share of anchors whose own paraphrase is the nearest of all paraphrases. */
  recallAt1: number;
}

export interface Threshold {
  similarity: number;
  precision: number;
  recall: number;
}

/** Similarities of all pairs, given unit vectors. */
export function similarities(
  triples: readonly Triple[],
  embed: (text: string) => Float32Array,
): Similarities {
  const rows = triples.map((triple) => ({
    domain: triple.domain,
    anchor: embed(triple.anchor),
    paraphrase: embed(triple.paraphrase),
    hard: embed(triple.hard_negative),
  }));
  const same: number[] = [];
  const different: number[] = [];
  const hard: number[] = [];
  let firsts = 0;
  for (const row of rows) {
    const own = dot(row.anchor, row.paraphrase);
    same.push(own);
    hard.push(dot(row.anchor, row.hard));
    const others = rows.filter((other) => other !== row);
    if (others.every((other) => dot(row.anchor, other.paraphrase) < own)) firsts++;
    for (const other of others) {
      if (other.domain === row.domain) different.push(dot(row.anchor, other.paraphrase));
    }
  }
  return { same, different, hard, recallAt1: firsts / rows.length };
}

/** Probability that a random positive lies above a random negative; ties count half. */
export function areaUnderCurve(positives: readonly number[], negatives: readonly number[]): number {
  let wins = 0;
  for (const positive of positives) {
    for (const negative of negatives) wins += positive > negative ? 1 : positive === negative ? 0.5 : 0;
  }
  return wins / (positives.length * negatives.length);
}

/** The observed similarity with the highest F-beta; beta below 1 puts precision first. */
export function bestThreshold(
  positives: readonly number[],
  negatives: readonly number[],
  beta: number,
): Threshold {
  let best = { similarity: 1, precision: 1, recall: 0 };
  let bestScore = -1;
  for (const similarity of positives) {
    const found = positives.filter((value) => value >= similarity).length;
    const wrong = negatives.filter((value) => value >= similarity).length;
    const precision = found / (found + wrong);
    const recall = found / positives.length;
    const score = ((1 + beta ** 2) * precision * recall) / (beta ** 2 * precision + recall);
    if (score > bestScore) {
      bestScore = score;
      best = { similarity, precision, recall };
    }
  }
  return best;
}

/** The similarity that this share of the positives reaches. */
export function thresholdAtRecall(positives: readonly number[], recall: number): number {
  const descending = [...positives].sort((left, right) => right - left);
  return descending[Math.ceil(recall * descending.length) - 1] ?? 0;
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < left.length; i++) sum += (left[i] ?? 0) * (right[i] ?? 0);
  return sum;
}
