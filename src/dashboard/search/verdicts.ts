/** Why a search did not return a rule and why the block does not hold it, in plain sentences. Pure. */
import type { Explained } from "../../search/explained";
import type { RuleRef, Why } from "../../search/why";
import { flagWords, type Looking } from "./words";

/** A sentence around another rule; where it names none it is all in `before`. */
export interface Sentence {
  before: string;
  rule: RuleRef | null;
  after: string;
}

export interface BlockLooking extends Looking {
  maxTokens: number;
}

/** Left out by one of the searches, or by both for the same reason. */
type LeftOutOf = "search" | "block" | "both";

const leads: Record<LeftOutOf, string> = {
  search: "Left out",
  block: "Not in the block",
  both: "Left out of both",
};

/** What is taken in place of a rule in this state of approval. */
const approvalText: Record<LeftOutOf, string> = {
  search: "a search takes approved and pending rules only",
  block: "a block holds approved rules only",
  both: "neither takes such rules",
};

const plain = (before: string): Sentence => ({ before, rule: null, after: "" });

interface Left {
  why: Why;
  from: LeftOutOf;
  looking: Looking;
  /** Null for user playbooks. */
  approval: string | null;
  maxTokens: number;
}

function sentenceOf({ why, from, looking, approval, maxTokens }: Left): Sentence {
  const lead = leads[from];
  switch (why.code) {
    case "below_threshold":
      return plain(
        `${lead}: its meaning is too far from the query${looking.mode === "vector" ? "" : ", and words did not find it"}.`,
      );
    case "beyond_top_k":
      return plain(
        `${lead}: others fit better, and a ${from} takes the best ${looking.topK} of a kind${from === "block" ? " to choose from" : ""}.`,
      );
    case "served_to_session":
      return plain(`${lead}: this session was served it in the last day.`);
    case "not_approved":
      return plain(`${lead}: it is ${approval ?? "not approved"}, and ${approvalText[from]}.`);
    case "no_room":
      return plain(
        `${lead}: it does not fit into what the others leave of ${maxTokens.toLocaleString("en-US")} tokens.`,
      );
    case "no_user":
      return plain(`${lead}: a block holds rules of the user that it is for, and none is named.`);
    case "not_found":
      return plain(
        from === "block"
          ? `${lead}: the block's own search did not come across it.`
          : `${lead}: only the block's own search came across it.`,
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

/** Whether one sentence can stand for both. The two take different numbers of rules. */
const isSame = (left: Why, right: Why): boolean =>
  left.code === right.code &&
  left.code !== "beyond_top_k" &&
  (!("rule" in left) ||
    ("rule" in right && left.rule.kind === right.rule.kind && left.rule.id === right.rule.id));

/** What became of a rule where it is not simply returned and in the block. */
export function verdictsOf(
  { why, block: place, playbookStatus: approval }: Pick<Explained, "why" | "block" | "playbookStatus">,
  search: Looking,
  block: BlockLooking | null,
): Sentence[] {
  const blockWhy = place?.why ?? null;
  const shared = { approval, maxTokens: block?.maxTokens ?? 0 };
  if (why !== null && blockWhy !== null && isSame(why, blockWhy)) {
    return [sentenceOf({ ...shared, why, from: "both", looking: search })];
  }
  return [
    ...(why === null ? [] : [sentenceOf({ ...shared, why, from: "search", looking: search })]),
    ...(blockWhy === null || block === null
      ? []
      : [sentenceOf({ ...shared, why: blockWhy, from: "block", looking: block })]),
  ];
}
