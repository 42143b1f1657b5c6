/** How either list found a rule, in plain words. Pure. */
import { flags } from "../../playbooks/model";
import type { Trail } from "../../search/explained";
import type { SearchMode } from "../../search/hybrid";
import { flagText } from "../review/words";

/** One of the two searches: the one that was asked for, or the block's own. */
export interface Looking {
  /** By what it looked in the end. */
  mode: SearchMode;
  degraded: boolean;
  /** Null where meaning was not compared. */
  threshold: number | null;
  /** Rules of one kind that it takes. */
  topK: number;
}

export const modeText: Record<SearchMode, string> = {
  hybrid: "words and meaning",
  fts: "words only",
  vector: "meaning only",
};

/** `0.62`. BM25 of a word that most rules hold is next to nothing. */
export const score = (value: number): string =>
  value > 0 && value < 0.005 ? "below 0.01" : value.toFixed(2);

export const flagWords = (flag: string): string => {
  const known = flags.find((each) => each === flag);
  return known === undefined ? flag : flagText[known];
};

const isHidden = ({ why }: Trail): boolean =>
  why?.code === "not_approved" || why?.code === "served_to_session";

/** Its place in the list by words. */
export function wordsText(trail: Trail, { mode }: Looking): string {
  const { wordRank: rank, wordScore } = trail;
  const bm25 = wordScore === null ? "" : `BM25 ${score(wordScore)}`;
  if (rank !== null) return bm25 === "" ? `rank ${rank}` : `rank ${rank}, ${bm25}`;
  if (mode === "vector") return "not asked";
  if (bm25 !== "") return `${bm25}, not ranked`;
  return isHidden(trail) ? "not ranked" : "not found";
}

/** Its place in the list by meaning, beside the least similarity that is asked for. */
export function meaningText(trail: Trail, { mode, degraded, threshold }: Looking): string {
  const { meaningRank: rank, cosine, why } = trail;
  if (degraded) return "could not be compared";
  if (threshold === null) return mode === "fts" ? "not asked" : "not compared";
  if (cosine === null) return why?.code === "not_found" ? "not found" : "not compared: no embedding yet";
  const beside = `cosine ${score(cosine)} ${cosine < threshold ? "<" : "≥"} ${score(threshold)}`;
  if (rank !== null) return `rank ${rank}, ${beside}`;
  return cosine < threshold ? beside : `${beside}, not ranked`;
}

/** Its place once both lists are one. */
export const fusedText = ({ fusedRank, fusedScore }: Trail): string =>
  fusedRank === null || fusedScore === null
    ? "in neither list"
    : `rank ${fusedRank}, score ${fusedScore.toFixed(4)}`;
