/** Why a search or a block left a rule out, and how either list found it, in plain words. Pure. */
import { flags } from "../../playbooks/model";
import type { Trail } from "../../search/explained";
import type { SearchMode } from "../../search/hybrid";
import { MAX_BLOCK_RULES } from "../../search/prompt-context";
import type { RuleRef, Why } from "../../search/why";
import { flagText } from "../review/words";

/** One of the two searches: the one that was asked for, or the block's own. */
export interface Looking {
  at: "search" | "block";
  /** How it went in the end. */
  mode: SearchMode;
  degraded: boolean;
  /** Null where meaning was not compared. */
  threshold: number | null;
  /** Rules of one kind that are returned at most. */
  topK: number;
  maxTokens: number;
}

/** A sentence around another rule; where it names none it is all in `before`. */
export interface Sentence {
  before: string;
  rule: RuleRef | null;
  after: string;
}

export const modeText: Record<SearchMode, string> = {
  hybrid: "words and meaning",
  fts: "words only",
  vector: "meaning only",
};

/** `0.62`: enough to tell two rules apart. */
export const score = (value: number, digits = 2): string => value.toFixed(digits);

export const flagWords = (flag: string): string => {
  const known = flags.find((each) => each === flag);
  return known === undefined ? flag : flagText[known];
};

const plain = (before: string): Sentence => ({ before, rule: null, after: "" });

/** @param approval of agent playbooks */
export function whyText(why: Why, looking: Looking, approval: string | null): Sentence {
  const lead = looking.at === "search" ? "Left out" : "Not in the block";
  switch (why.code) {
    case "below_threshold":
      return plain(
        `${lead}: its meaning is too far from the query${looking.mode === "vector" ? "." : ", and words did not find it."}`,
      );
    case "beyond_top_k":
      return plain(
        looking.at === "search"
          ? `${lead}: others fit better, and a search takes the best ${looking.topK} of a kind.`
          : `${lead}: others fit better, and a block looks at the best ${MAX_BLOCK_RULES} of a kind.`,
      );
    case "served_to_session":
      return plain(`${lead}: this session was served it in the last day.`);
    case "not_approved": {
      const holds =
        looking.at === "search"
          ? "a search takes approved and pending rules"
          : "a block holds approved rules";
      return plain(`${lead}: it is ${approval ?? "not approved"}, and ${holds} only.`);
    }
    case "no_room":
      return plain(
        `${lead}: it does not fit into what the others leave of ${looking.maxTokens.toLocaleString("en-US")} tokens.`,
      );
    case "no_user":
      return plain(`${lead}: a block holds rules of the user that it is for, and none is named.`);
    case "not_found":
      return plain(
        looking.at === "search"
          ? `${lead}: only the block's own search came across it.`
          : `${lead}: the block's own search did not come across it.`,
      );
    case "source_of_returned_agent_rule":
      return { before: `${lead}: it is a source of `, rule: why.rule, after: ", which speaks for it." };
    case "near_duplicate":
      return { before: `${lead}: `, rule: why.rule, after: " says the same and is newer." };
    case "repeats_approved":
      return { before: `${lead}: `, rule: why.rule, after: ", which is approved, says the same." };
    case "contradicted_by_newer":
      return {
        before: "In the block, behind ",
        rule: why.rule,
        after: ": both are about the same thing, and where they disagree the newer one wins.",
      };
    case "unsafe_flag":
      return plain(`${lead}: it ${why.flags.map(flagWords).join(" and ")}, and nobody has reviewed it.`);
  }
}

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
  const { meaningRank: rank, cosine } = trail;
  if (cosine === null || threshold === null) {
    if (degraded) return "could not be compared";
    return mode === "fts"
      ? "not asked"
      : trail.why?.code === "not_found"
        ? "not found"
        : "not compared: no embedding yet";
  }
  const beside =
    cosine < threshold ? `below the ${score(threshold)} asked for` : `at least ${score(threshold)} asked for`;
  return `${rank === null ? "" : `rank ${rank}, `}cosine ${score(cosine)}, ${beside}${rank === null && cosine >= threshold ? ", not ranked" : ""}`;
}

/** Its place once both lists are one. */
export const fusedText = ({ fusedRank, fusedScore }: Trail): string =>
  fusedRank === null || fusedScore === null
    ? "in neither list"
    : `rank ${fusedRank}, score ${score(fusedScore, 4)}`;
