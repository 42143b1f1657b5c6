// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of documents are written so
/** Run by without-code-generation.test.ts in a Node that refuses eval, as Workers do: prints what it did. */
import { compileExpression, compileTemplate } from "../../../../src/documents/expressions";
import { compileUserSchema, literalMismatch } from "../../../../src/documents/user-schema";

const evalRefused = ((): boolean => {
  try {
    return typeof new Function("return 1") !== "function";
  } catch {
    return true;
  }
})();

const scope = { trigger: { n: 150, s: "abc", list: [1, 2, 3], at: "2026-01-01T00:00:00Z" } };
const values = [
  'trigger.s.matches("^a") && trigger.list.all(x, x * 2 > 1) && has(trigger.n)',
  'timestamp(trigger.at) + duration("1h")',
  'timestamp(trigger.at).getHours("America/New_York")',
  "trigger.?nope.orValue(cel.bind(y, trigger.list.map(x, x + 1), y))",
].map((source) => {
  const compiled = compileExpression(source, "value");
  return compiled.ok ? compiled.expression.evaluate(scope) : compiled.faults;
});
const { template } = compileTemplate(
  { a: "${{ trigger.n }}", b: "n: ${{ trigger.list }}" },
  { secrets: "allowed" },
);
const schema = { properties: { a: { type: "string", pattern: "^(a+)+$", format: "email" } } };

console.log(
  JSON.stringify({
    evalRefused,
    values,
    filled: template?.evaluate(scope),
    faults: compileUserSchema(schema).validate({ a: "b" }).length,
    mismatch: literalMismatch(schema, { a: 5 }).length,
  }),
);
