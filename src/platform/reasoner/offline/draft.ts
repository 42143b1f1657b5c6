/** What the assembling of rules passes on to their wording. */

import type { EvidenceKind } from "../port";
import type { Condition } from "./conditions";
import type { Part } from "./reading";

/** A part with the quotations of the sentence it came from. */
export interface QuotedPart extends Part {
  readonly quotations: readonly string[];
}

export interface QuotedCondition extends Condition {
  readonly quotations: readonly string[];
}

/** A rule found in one user turn, before it is put into words. */
export interface Draft {
  /** Index of the user turn in the window. */
  readonly turnIndex: number;
  /** UTF-16 offsets of its sentences in that turn. */
  readonly start: number;
  readonly end: number;
  readonly kind: EvidenceKind;
  readonly parts: readonly QuotedPart[];
  readonly conditions: readonly QuotedCondition[];
  /** What "that", "it" or "the same" stands for, in the user's words, or "". */
  readonly antecedent: string;
  /** True where the rule answers what the agent did in the turn before. */
  readonly answersAgent: boolean;
  /** True where the user says that the topic is new to them. */
  readonly isForNovice: boolean;
  /** True where the user says that it replaces an earlier rule. */
  readonly takesBack: boolean;
  /** True where the user found fault with the form of the answer: "too long". */
  readonly reshapes: boolean;
  /** "hides the leak": what the user says the agent's approach only does, or "". */
  readonly masked: string;
}
