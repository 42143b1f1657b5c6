/** JSON values without lone surrogates and NUL, which no database column keeps as they are. */
import { cleanText } from "../../../text";

/** Nesting beyond which a value is no answer to any task. */
export const maxValueDepth = 32;

/** The value with every string cleaned, keys included; null when it is nested too deeply. */
export function wellFormedValue(value: unknown): { value: unknown } | null {
  let tooDeep = false;
  const visit = (node: unknown, depth: number): unknown => {
    if (depth > maxValueDepth) {
      tooDeep = true;
      return null;
    }
    if (typeof node === "string") return cleanText(node);
    if (Array.isArray(node)) return node.map((item) => visit(item, depth + 1));
    if (node !== null && typeof node === "object") {
      return Object.fromEntries(
        Object.entries(node).map(([key, item]) => [cleanText(key), visit(item, depth + 1)]),
      );
    }
    return node;
  };
  const visited = visit(value, 0);
  return tooDeep ? null : { value: visited };
}
