/** S433, S434: branches of a decision that can never be taken, as far as their conditions show it. */
import type { CompiledExpression } from "../expressions";
import type { ExpressionPlace } from "./expression-places";
import type { Report } from "./report";

/** The conditions of one decision, in order; null for one that could not be compiled. */
export function checkBranches(
  pointer: string,
  conditions: readonly { place: ExpressionPlace; expression: CompiledExpression | null }[],
  report: Report,
): void {
  const seen = new Map<string, string>();
  for (const [index, { place, expression }] of conditions.entries()) {
    if (!expression) continue;
    const constant = constantOf(expression);
    const isLast = index === conditions.length - 1;
    if (constant === false)
      report("S433", place.pointer, "This is never true: the branch is never taken.", {
        hint: "remove the branch",
      });
    if (constant === true && !isLast)
      report("S433", place.pointer, "This is always true: the branches after it are never taken.", {
        hint: "put it last, or make it the default",
      });
    const first = seen.get(expression.normalized);
    if (first !== undefined)
      report("S434", place.pointer, `The same condition stands in ${first.slice(pointer.length + 1)}.`, {
        hint: "the first of them is always the one that is taken",
      });
    else seen.set(expression.normalized, place.pointer);
  }
}

/** True or false, when it is that whatever the run holds; null otherwise. */
function constantOf(expression: CompiledExpression): boolean | null {
  if (expression.references.roots.length > 0) return null;
  const result = expression.evaluate({});
  return result.ok && typeof result.value === "boolean" ? result.value : null;
}
