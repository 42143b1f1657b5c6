/** Why a search did not return a rule, and why a prompt's block does not hold it: a closed set of codes. Pure. */
import * as z from "zod";
import { type PlaybookKind, playbookKinds } from "./kinds";

const plainCodes = [
  /** Less similar than the threshold, and no hit by words. */
  "below_threshold",
  /** Others fit better. */
  "beyond_top_k",
  /** This session was served it in the last day. */
  "served_to_session",
  /** Its approval state is none of those that were asked for. */
  "not_approved",
  /** It fits, but the block has no room for it. */
  "no_room",
  /** A block holds rules of the user that it is for, and none was named. */
  "no_user",
  /** It was looked at by the other of the two searches only. */
  "not_found",
] as const;

const besideCodes = [
  /** `rule` was made from it. */
  "source_of_returned_agent_rule",
  /** `rule`, of the same kind, says the same. */
  "near_duplicate",
  /** `rule`, which is approved, says the same. */
  "repeats_approved",
  /** It is in the block, behind the newer `rule` about the same thing, which wins where the two disagree. */
  "contradicted_by_newer",
] as const;

export interface RuleRef {
  kind: PlaybookKind;
  id: number;
}

export const whySchema = z.union([
  z.object({ code: z.enum(plainCodes) }),
  z.object({ code: z.enum(besideCodes), rule: z.object({ kind: z.enum(playbookKinds), id: z.int() }) }),
  /** Unsafe to show to a model, and reviewed by nobody. */
  z.object({ code: z.literal("unsafe_flag"), flags: z.array(z.string()) }),
]);
export type Why = z.infer<typeof whySchema>;
export type WhyCode = Why["code"];

export const beside = (code: (typeof besideCodes)[number], { kind, id }: RuleRef): Why => ({
  code,
  rule: { kind, id },
});

/** What hides the user rules that a returned agent rule was made from. */
export const sourceOf = (agentRuleId: number): Why =>
  beside("source_of_returned_agent_rule", { kind: "agent_playbook", id: agentRuleId });
