/** Why a rule was left out, in words: every code has a sentence, and one that blames another rule links it. */
import { describe, expect, it } from "vitest";
import { type BlockLooking, type Sentence, verdictsOf } from "../../../src/dashboard/search/verdicts";
import type { Looking } from "../../../src/dashboard/search/words";
import type { Explained, Trail } from "../../../src/search/explained";
import type { RuleRef, Why, WhyCode } from "../../../src/search/why";

const search: Looking = { mode: "hybrid", degraded: false, threshold: 0.3, topK: 5 };
const block: BlockLooking = { ...search, topK: 20, maxTokens: 1200 };
const other: RuleRef = { kind: "agent_playbook", id: 7 };
const nowhere: Trail = {
  ...{ wordRank: null, wordScore: null, meaningRank: null, cosine: null },
  ...{ fusedRank: null, fusedScore: null, why: null },
};

/** One of each code; the compiler asks for those that are added. */
const whys: Record<WhyCode, Why> = {
  below_threshold: { code: "below_threshold" },
  beyond_top_k: { code: "beyond_top_k" },
  served_to_session: { code: "served_to_session" },
  not_approved: { code: "not_approved" },
  no_room: { code: "no_room" },
  no_user: { code: "no_user" },
  not_found: { code: "not_found" },
  source_of_returned_agent_rule: { code: "source_of_returned_agent_rule", rule: other },
  near_duplicate: { code: "near_duplicate", rule: other },
  repeats_approved: { code: "repeats_approved", rule: other },
  contradicted_by_newer: { code: "contradicted_by_newer", rule: other },
  unsafe_flag: { code: "unsafe_flag", flags: ["secret", "instruction_like"] },
};
const codes = Object.values(whys);

const rule = (
  why: Why | null,
  blockWhy: Why | null = null,
  playbookStatus: string | null = "rejected",
): Pick<Explained, "why" | "block" | "playbookStatus"> => ({
  ...{ why, playbookStatus },
  block: { ...nowhere, tag: null, why: blockWhy },
});
const spoken = ({ before, rule: named, after }: Sentence): string =>
  `${before}${named === null ? "" : `<#${named.id}>`}${after}`;
const said = (...given: Parameters<typeof rule>): string[] =>
  verdictsOf(rule(...given), search, block).map(spoken);

describe("a rule that is returned and in the block", () => {
  it("needs no sentence", () => {
    expect(said(null)).toEqual([]);
  });
});

describe("every reason", () => {
  it.each(codes)("is a whole sentence that names no code: $code", (why) => {
    for (const [sentence] of [said(why), said(null, why)]) {
      expect(sentence).toMatch(/^(Left out: |Not in the block: |In the block, behind )[^_]+\.$/);
    }
  });

  it.each(codes.filter((why) => "rule" in why))("names the rule that is to blame once: $code", (why) => {
    const [sentence] = verdictsOf(rule(why), search, block);
    expect(sentence?.rule).toEqual(other);
  });

  it("differs from every other", () => {
    const texts = codes.map((why) => said(null, why)[0]);
    expect(new Set(texts).size).toBe(codes.length);
  });
});

describe("what the sentences say", () => {
  it("is how many a search takes, and how many a block", () => {
    expect(said({ code: "beyond_top_k" }, { code: "beyond_top_k" })).toEqual([
      "Left out: others fit better, and a search takes the best 5 of a kind.",
      "Not in the block: others fit better, and a block takes the best 20 of a kind to choose from.",
    ]);
  });

  it("is the state of approval that was in the way", () => {
    expect(said(null, { code: "not_approved" }, "pending")).toEqual([
      "Not in the block: it is pending, and a block holds approved rules only.",
    ]);
    expect(said({ code: "not_approved" }, { code: "no_room" }, "rejected")[0]).toBe(
      "Left out: it is rejected, and a search takes approved and pending rules only.",
    );
  });

  it("is the size of the block, and what a flag means", () => {
    expect(said(null, { code: "no_room" })[0]).toContain("1,200 tokens");
    expect(said(null, whys.unsafe_flag)).toEqual([
      "Not in the block: it holds something like a secret and reads like an instruction to the model, and nobody has reviewed it.",
    ]);
  });

  it("speaks of words only where they were looked up", () => {
    const far = { code: "below_threshold" } as const;
    expect(said(far)[0]).toContain("words did not find it");
    const byMeaning = verdictsOf(rule(far), { ...search, mode: "vector" }, null);
    expect(byMeaning.map(spoken)).toEqual(["Left out: its meaning is too far from the query."]);
  });

  it("is one sentence for both searches where the reason and the rule to blame are the same", () => {
    expect(said(whys.source_of_returned_agent_rule, whys.source_of_returned_agent_rule)).toEqual([
      "Left out of both: it is a source of <#7>, which speaks for it.",
    ]);
    const third: Why = { code: "source_of_returned_agent_rule", rule: { kind: "agent_playbook", id: 8 } };
    expect(said(whys.source_of_returned_agent_rule, third)).toHaveLength(2);
    expect(said({ code: "not_approved" }, { code: "not_approved" })).toEqual([
      "Left out of both: it is rejected, and neither takes such rules.",
    ]);
  });

  it("is nothing of a block where none was made", () => {
    const found = verdictsOf({ why: null, block: null, playbookStatus: null }, search, null);
    expect(found).toEqual([]);
  });
});
