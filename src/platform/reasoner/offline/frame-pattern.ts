/** What the tables of sentence frames share. */

import type { Directive } from "./directive";

/** Adverbs that may stand before the verb of a wish; a pattern source. */
export const adverbs =
  "(?:(?:really|much|strongly|definitely|generally|usually|normally|always|also|honestly|personally|just|actually|still|do|so|kindly|please|greatly|far|vastly|typically|tend to|would|simply|absolutely|mostly|rather) )*";
/** Words that may stand before an order; a pattern source. */
export const mode =
  "(?:(?:please|kindly|just|maybe|perhaps|possibly|also|at least|always|generally|simply|instead|then|all|actually|first|try to|consistently|start to|begin to) )*";

export type Reader = (match: RegExpExecArray) => Directive | null;

export function group(match: RegExpExecArray, index: number): string {
  return match[index] ?? "";
}

/** "I'd rather have X": the agent is to give it. */
export function receives(match: RegExpExecArray): boolean {
  return /\b(?:rather|sooner) (?:have|see|get|read|hear|receive|know)\b/i.test(group(match, 0));
}

export const pattern = (source: string): RegExp => new RegExp(source, "is");
