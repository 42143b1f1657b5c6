/** Over many expressions and scopes: the guards change nothing, and nothing throws. */
import { Environment } from "@marcbachmann/cel-js";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { compileExpression, type Scope } from "../../../../src/documents/expressions";
import type { Json } from "../../../../src/documents/model";

/** The engine by itself, with the operators of mixed numbers. */
const plain = new Environment({
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
  unlistedVariablesAreDyn: true,
});
const operations: [string, (a: number, b: number) => number][] = [
  ["+", (a, b) => a + b],
  ["-", (a, b) => a - b],
  ["*", (a, b) => a * b],
];
for (const [operator, apply] of operations) {
  plain.registerOperator(`double ${operator} int`, (a, b) => apply(Number(a), Number(b)));
  plain.registerOperator(`int ${operator} double`, (a, b) => apply(Number(a), Number(b)));
}

const { expression } = fc.letrec<{ expression: string; leaf: string; body: string }>((tie) => ({
  leaf: fc.constantFrom(
    "trigger.n",
    "trigger.s",
    "trigger.list",
    "trigger.map",
    "trigger.nothing",
    "trigger.nope",
    "trigger.yes",
    "1",
    "2.5",
    '"a"',
    "true",
    "false",
    "null",
    "[]",
    '[1, "a"]',
    '{"a": 1}',
    "steps.a.output",
    "has(trigger.n)",
    "has(trigger.map.x)",
  ),
  body: fc.constantFrom(
    "x",
    "x > 1",
    'x == "a"',
    "x + x",
    '{"v": x}',
    "[x, 1]",
    "x in trigger.list",
    "x == trigger.n",
  ),
  expression: fc.oneof(
    { maxDepth: 4, depthIdentifier: "e" },
    tie("leaf"),
    fc
      .tuple(
        tie("expression"),
        fc.constantFrom("+", "-", "*", "==", "!=", "<", ">=", "in", "&&", "||"),
        tie("expression"),
      )
      .map(([a, operator, b]) => `(${a}) ${operator} (${b})`),
    fc
      .tuple(tie("expression"), tie("expression"), tie("expression"))
      .map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`),
    fc
      .tuple(tie("expression"), fc.constantFrom("map", "filter", "all", "exists", "exists_one"), tie("body"))
      .map(([a, name, body]) => `(${a}).${name}(x, ${body})`),
    fc
      .tuple(fc.constantFrom("size", "string", "int", "double", "dyn", "!", "-"), tie("expression"))
      .map(([name, a]) => `${name}(${a})`),
    fc
      .tuple(
        tie("expression"),
        fc.constantFrom(
          ".a",
          "[0]",
          '["a"]',
          ".?a.orValue(1)",
          "[?0].orValue(2)",
          ".size()",
          '.startsWith("a")',
          '.contains("1")',
          '.split(",")',
        ),
      )
      .map(([a, access]) => `(${a})${access}`),
    fc.array(tie("expression"), { maxLength: 3 }).map((list) => `[${list.join(", ")}]`),
    fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `{"a": ${a}, "b": ${b}}`),
    fc.tuple(tie("expression"), tie("body")).map(([a, body]) => `cel.bind(x, ${a}, ${body})`),
  ),
}));

const scopes: fc.Arbitrary<Scope> = fc.record({
  trigger: fc.record({
    n: fc.constantFrom<Json>(0, 1, 2, 150, -3.5),
    s: fc.constantFrom<Json>("", "a", "1,2"),
    list: fc.constantFrom<Json>([], [1, 2, 3], ["a"], [1, "a", null, { a: 1 }]),
    map: fc.constantFrom<Json>({}, { a: 1 }, { a: { a: [1] } }),
    nothing: fc.constant(null),
    yes: fc.boolean(),
  }),
  steps: fc.constant({ a: { output: { a: [1] } } }),
});

const asJson = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? Number(inner) : inner)));

it("an expression with guards yields what the engine yields without them", () => {
  let compared = 0;
  fc.assert(
    fc.property(expression, scopes, (source, scope) => {
      const compiled = compileExpression(source, "value");
      if (!compiled.ok) return;
      const ours = compiled.expression.evaluate(scope);
      let theirs: unknown;
      try {
        theirs = asJson(plain.parse(source)(scope));
      } catch {
        expect(ours.ok).toBe(false);
        return;
      }
      if (!ours.ok && /finite|optional|no JSON/.test(ours.message)) return;
      expect(ours).toEqual({ ok: true, value: theirs });
      expect(compiled.expression.evaluate(scope)).toEqual(ours);
      compared += 1;
    }),
    { numRuns: 1500 },
  );
  expect(compared).toBeGreaterThan(150);
}, 60_000);

it("no text makes the compiler throw, and no scope the evaluation", () => {
  const piece = fc.constantFrom(
    "trigger",
    "steps",
    ".",
    ".?",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "has",
    "map",
    "x",
    ",",
    ":",
    "?",
    "+",
    "-",
    "!",
    "&&",
    "||",
    "==",
    "in",
    "1",
    "1.5",
    "1u",
    '"a"',
    "'",
    '"',
    "b'a'",
    "r'\\",
    "null",
    "true",
    "cel.bind",
    "matches",
    "timestamp",
    "__e",
    "constructor",
    " ",
    "\\",
    "\u0000",
    "😀",
    "//",
    "\n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), fc.jsonValue({ maxDepth: 3 }), (pieces, data) => {
      for (const position of ["boolean", "list", "instant", "value"] as const) {
        const compiled = compileExpression(pieces.join(""), position);
        if (!compiled.ok) {
          expect(compiled.faults.length).toBeGreaterThan(0);
          continue;
        }
        const result = compiled.expression.evaluate({ trigger: data as Json });
        if (result.ok) expect(() => JSON.stringify(result.value)).not.toThrow();
      }
    }),
    { numRuns: 1500 },
  );
}, 60_000);
