/**
 * The review gate: which flags a rule of agents earns by what it rests on. A flag never blocks and never approves;
 * it is what a reviewer must have seen. Pure.
 */

import { sensitivityOf } from "./flagging/sensitive";
import { flagsOf } from "./flags";
import { type Flag, flags, type RuleText, type TextFlag } from "./model";
import { distinctPeople, independentPeople, type Voice } from "./voices";

/** Distinct users that a rule needs to wait for review without a flag. */
export interface GateThresholds {
  minDistinctUsers: number;
  /** For rules that touch money, access or data leaving; at least the other. */
  minDistinctUsersSensitive: number;
}

/** A CURRENT source of the rule. */
export interface SourceEvidence extends Voice {
  userPlaybookId: number;
  flags: readonly Flag[];
}

/** What is known of a rule's CURRENT sources. */
export interface Support {
  /** Sources read, every user's first before anyone's second. */
  sources: readonly SourceEvidence[];
  /** How many sources there are, read or not. */
  sourceCount: number;
  /** Flags that any source carries, read or not. */
  sourceFlags: readonly Flag[];
}

/** A rule that somebody wrote, without any source. */
export const noSupport: Support = { sources: [], sourceCount: 0, sourceFlags: [] };

/** What every rule earns that nobody stands behind but its writer, whatever an org asks for. */
export const flagsWithoutSupport: readonly Flag[] = ["few_distinct_users", "thin_support"];

export const neededUsers = (
  rule: Pick<RuleText, "trigger" | "content">,
  thresholds: GateThresholds,
): number =>
  sensitivityOf(rule).length > 0 ? thresholds.minDistinctUsersSensitive : thresholds.minDistinctUsers;

/**
 * - `few_distinct_users`: fewer distinct users than the rule needs. A source without a user counts as none, and
 *   spellings of one id as one.
 * - `thin_support`: fewer than two sources; or all their turns in one session; or, though the users are enough
 *   in number, they are not once copies of one text and users who share a session count as one.
 */
function flagsOfSupport(
  rule: Pick<RuleText, "trigger" | "content">,
  { sources, sourceCount }: Support,
  thresholds: GateThresholds,
): Flag[] {
  const needed = neededUsers(rule, thresholds);
  const users = distinctPeople(sources);
  const expected = Math.min(users, needed);
  const sessions = new Set(sources.flatMap((source) => source.sessions));
  const isOneSession = sessions.size === 1 && sources.every((source) => source.sessions.length > 0);
  const isThin = sourceCount < 2 || isOneSession || independentPeople(sources, expected) < expected;
  return [
    ...(users < needed ? (["few_distinct_users"] as const) : []),
    ...(isThin ? (["thin_support"] as const) : []),
  ];
}

/**
 * Flags that a rule inherits from its sources even where its own text does not show them, because what they tell
 * is the source's intent, which a rewriting hides but does not undo: commands to the model, letters and
 * characters in disguise, a destination (which detail stripping takes out of the prompt, so that "pay into account
 * DE…" becomes "pay into an account"), a cue or date to wait for. Not inherited are `secret`, `personal_detail` and
 * `link`: their harm lies in the text that is shown, a rule that lost them no longer does it, and honest sources
 * hold such details all the time.
 */
const INHERITED: readonly TextFlag[] = [
  "instruction_like",
  "redirects",
  "delayed_trigger",
  "invisible_characters",
  "look_alike",
];

/** The inherited ones among `known`. */
export const inheritable = (known: readonly Flag[]): Flag[] =>
  INHERITED.filter((flag) => known.includes(flag));

/** What sources hand down: their rules' flags, and those of the very words that prove them. */
function inheritedFlags({ sources, sourceFlags }: Support): Flag[] {
  const inTheirWords = sources.flatMap(({ wording }) => flagsOf(wording));
  return inheritable([...sourceFlags, ...inTheirWords]);
}

/** Every flag that the support earns the rule; those of its own text are the store's to add. */
export function gateFlags(
  rule: Pick<RuleText, "trigger" | "content">,
  support: Support,
  thresholds: GateThresholds,
): Flag[] {
  const found = new Set([...inheritedFlags(support), ...flagsOfSupport(rule, support, thresholds)]);
  return flags.filter((flag) => found.has(flag));
}

/** Flags that are counted anew whenever a rule's sources change. */
const COUNTED: readonly Flag[] = ["few_distinct_users", "thin_support"];

/** A row's flags after its sources changed and its text did not: counted ones anew, the others kept or added. */
export function recountedFlags(
  rule: Pick<RuleText, "trigger" | "content"> & { flags: readonly Flag[] },
  support: Support,
  thresholds: GateThresholds,
): Flag[] {
  const found = new Set<Flag>([
    ...rule.flags.filter((flag) => !COUNTED.includes(flag)),
    ...gateFlags(rule, support, thresholds),
  ]);
  return flags.filter((flag) => found.has(flag));
}
