/** Guards against two surviving rules that say the same thing (specification 7.1). Pure. */
import { containment } from "../platform/containment";

const SHORT_CHARS = 80;
const SAME_CONTENT = 0.7;
const SAME_TRIGGER = 0.6;

export interface Comparable {
  trigger: string;
  content: string;
  sourceInteractionIds: readonly number[];
}

export const sharesEvidence = (left: Comparable, right: Comparable): boolean =>
  left.sourceInteractionIds.some((id) => right.sourceInteractionIds.includes(id));

/** Whether one text holds most of the other's words. */
export const absorbs = (left: string, right: string): boolean => containment(left, right) >= SAME_CONTENT;

const sameContent = (left: string, right: string): boolean =>
  left.trim() === right.trim() ||
  (left.length >= SHORT_CHARS && right.length >= SHORT_CHARS && absorbs(left, right));

/** Whether two rows would stand side by side and say the same. */
export const overlaps = (left: Comparable, right: Comparable): boolean =>
  sameContent(left.content, right.content) &&
  (sharesEvidence(left, right) || containment(left.trigger, right.trigger) >= SAME_TRIGGER);
