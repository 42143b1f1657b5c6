// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of documents are written so
/** Templates: typed values, texts, secrets, and data that is never code. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileTemplate, type Scope } from "../../../../src/documents/expressions";
import type { Json } from "../../../../src/documents/model";

const scope: Scope = {
  trigger: {
    amount: 150,
    price: 1.5,
    name: "Ada",
    nothing: null,
    yes: true,
    list: [3, "a"],
    map: { b: 1, a: [] },
  },
  steps: {},
};
const read = (json: Json, secrets: "allowed" | "refused" = "allowed") => compileTemplate(json, { secrets });
function fill(json: Json, given: Scope = scope) {
  const { template, faults } = read(json);
  if (!template) throw new Error(JSON.stringify(faults));
  return template.evaluate(given);
}
const filled = (json: Json, given: Scope = scope) => {
  const result = fill(json, given);
  return result.ok ? result.value : `error at ${result.pointer}: ${result.message}`;
};

describe("a template", () => {
  it("yields the typed value of a string that is one expression", () => {
    expect(filled("${{ trigger.amount }}")).toBe(150);
    expect(filled("${{trigger.list}}")).toEqual([3, "a"]);
    expect(filled("${{ trigger.nothing }}")).toBeNull();
    expect(filled('${{ {"a": {"b": trigger.amount}} }}')).toEqual({ a: { b: 150 } });
    expect(filled({ deep: [{ n: "${{ trigger.amount * 2 }}" }, "x"], k: true })).toEqual({
      deep: [{ n: 300 }, "x"],
      k: true,
    });
  });

  it.each<[string, string]>([
    ["Hi ${{ trigger.name }}", "Hi Ada"],
    ["${{ trigger.amount }} and ${{ trigger.price }}", "150 and 1.5"],
    [" ${{ trigger.amount }}", " 150"],
    ["${{ trigger.amount }}${{ trigger.amount }}", "150150"],
    ["is ${{ trigger.yes }}", "is true"],
    ["<${{ trigger.nothing }}>", "<>"],
    ["l: ${{ trigger.list }}", 'l: [3,"a"]'],
    ["m: ${{ trigger.map }}", 'm: {"a":[],"b":1}'],
    ["${{ trigger.amount / 1.0 }} ¢", "150 ¢"],
    ['${{ timestamp("2026-01-01T00:00:00Z") }}!', "2026-01-01T00:00:00.000Z!"],
  ])("writes %j as text by ruling 35", (template, text) => {
    expect(filled(template)).toBe(text);
  });

  it("is found to end where the expression ends, not in its strings and maps", () => {
    expect(filled('${{ "}}" }}')).toBe("}}");
    expect(filled("a ${{ '}}' + \"'}}\" }} b")).toBe("a }}'}} b");
    expect(filled('${{ {"a":{"b":1}}.a.b}} b')).toBe("1 b");
    expect(filled('${{ "\\"}}" }}')).toBe('"}}');
    expect(filled('${{ """a"}}""" }}')).toBe('a"}}');
    expect(filled("${{ 1 // it's }} b")).toBe("1 b");
    expect(filled("${{ 1 // it's\n + 1 }}")).toBe(2);
    expect(filled("}} }")).toBe("}} }");
    expect(filled("$ { { trigger.amount }}")).toBe("$ { { trigger.amount }}");
  });

  it("writes the marks themselves by an expression, so that a dollar before a price is a dollar", () => {
    expect(filled('use ${{ "${{" }} here')).toBe("use ${{ here");
    expect(filled('${{ "${{ x }}" }}')).toBe("${{ x }}");
    expect(filled("You owe $${{ trigger.price }}.")).toBe("You owe $1.5.");
  });

  it("leaves keys and everything without marks as they are", () => {
    const literal = { "${{ trigger.amount }}": "a", list: [1, null, true, "}}", "$"], empty: {}, text: "" };
    expect(filled(literal)).toEqual(literal);
  });

  it("never evaluates what an expression yielded", () => {
    const given: Scope = {
      trigger: { name: "${{ steps.draft.output }}" },
      steps: { draft: { output: "${{ config.key }}" } },
      config: { key: "no" },
    };
    expect(filled("${{ trigger.name }}", given)).toBe("${{ steps.draft.output }}");
    expect(filled("Hi ${{ trigger.name }}, ${{ steps.draft.output }}", given)).toBe(
      "Hi ${{ steps.draft.output }}, ${{ config.key }}",
    );
    expect(filled({ a: "${{ steps }}" }, given)).toEqual({ a: given.steps });
  });

  it("says where an error is", () => {
    expect(fill({ a: [1, "x ${{ trigger.nope }}"] })).toEqual({
      ok: false,
      code: "expression_error",
      message: "No such key: nope",
      pointer: "/a/1",
    });
    expect(fill("x ${{ trigger.t }}", { trigger: { t: ["\ud800"] } })).toMatchObject({
      ok: false,
      pointer: "",
    });
  });

  it("bounds what all of its expressions yield together", () => {
    const given: Scope = { trigger: { text: "a".repeat(200_000) } };
    const five = [
      "${{ trigger.text }}",
      "x${{ trigger.text }}",
      "${{ trigger.text }}",
      "${{ trigger.text }}",
      "${{ trigger.text }}",
    ];
    expect(fill(five, given).ok).toBe(true);
    expect(fill([...five, "${{ trigger.text }}"], given)).toMatchObject({
      ok: false,
      pointer: "/5",
      message: expect.stringMatching(/more than 1048576 characters/),
    });
  });

  it("knows a map's element by its name", () => {
    const { template } = compileTemplate(
      { id: "${{ order.id }}", n: "${{ index }}" },
      { secrets: "refused", itemName: "order" },
    );
    expect(template?.evaluate({ order: { id: "x" }, index: 2 })).toEqual({
      ok: true,
      value: { id: "x", n: 2 },
    });
  });
});

describe("faults of a template", () => {
  it("are all told, with the pointer of the string and the place in it", () => {
    const { faults, template, expressions } = read({
      a: "${{ env.X }} ${{ 1 + }}",
      b: ["ok ${{ steps.s.output }}", "x ${{ trigger.a"],
    });
    expect(template).toBeNull();
    expect(faults.map(({ code, pointer, offset }) => [code, pointer, offset])).toEqual([
      ["X602", "/a", 4],
      ["X601", "/a", 21],
      ["X610", "/b/1", 2],
    ]);
    expect(
      expressions.flatMap(({ pointer, references }) => references.steps.map(({ step }) => [pointer, step])),
    ).toEqual([["/b/0", "s"]]);
  });

  it.each(["${{", "a ${{ trigger.a }", '${{ "}}', "${{ a ${{ b", "${{ {1 }}"])(
    "X610: %j is not closed",
    (text) => {
      expect(read(text).faults).toMatchObject([
        { code: "X610", pointer: "", hint: expect.stringContaining("}}") },
      ]);
    },
  );

  it("escape pointers of keys", () => {
    expect(read({ "a/b~c": "${{ x }}" }).faults).toMatchObject([{ code: "X602", pointer: "/a~1b~0c" }]);
  });

  it("end before the stack does", () => {
    let deep: Json = "x";
    for (let level = 0; level < 20_000; level++) deep = [deep];
    expect(read(deep).faults).toMatchObject([{ code: "X607" }]);
  });
});

describe("secrets", () => {
  it("are leaves that stay, and are listed with their pointers", () => {
    const json = { key: { $secret: "STRIPE_KEY" }, list: [{ $secret: "B" }], n: "${{ trigger.amount }}" };
    expect(read(json).secrets).toEqual([
      { pointer: "/key", name: "STRIPE_KEY" },
      { pointer: "/list/0", name: "B" },
    ]);
    expect(filled(json)).toEqual({ key: { $secret: "STRIPE_KEY" }, list: [{ $secret: "B" }], n: 150 });
  });

  it("of the data are data: no pointer of a secret leads to them", () => {
    const { template } = read({ key: { $secret: "A" }, data: "${{ trigger.data }}" });
    const given: Scope = { trigger: { data: { $secret: "STOLEN" } } };
    expect(template?.evaluate(given)).toEqual({
      ok: true,
      value: { key: { $secret: "A" }, data: { $secret: "STOLEN" } },
    });
    expect(template?.secrets).toEqual([{ pointer: "/key", name: "A" }]);
  });

  it.each<[string, Json, string]>([
    ["with something beside them", { a: { $secret: "A", b: 1 } }, "/a"],
    ["that are no name", { a: { $secret: 5 } }, "/a"],
    ["whose name is computed", { a: { $secret: "${{ trigger.name }}" } }, "/a"],
    ["inside of an expression", { a: '${{ {"$secret": "A"} }}' }, "/a"],
    ["as a root", { a: "${{ secrets.A }}" }, "/a"],
  ])("%s are X612", (_, json, pointer) => {
    expect(read(json).faults).toMatchObject([{ code: "X612", pointer }]);
  });

  it("are refused where a model could see them", () => {
    expect(read({ a: { $secret: "A" } }, "refused")).toMatchObject({
      faults: [{ code: "X612", pointer: "/a" }],
      secrets: [],
    });
  });
});

it("any JSON without marks is its own template, and any text is delivered verbatim", () => {
  const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
  const plain = json.filter((value) => !/\$\{\{|\$secret/.test(JSON.stringify(value)));
  fc.assert(
    fc.property(plain, json, fc.string(), (literal, data, text) => {
      const normal: Json = JSON.parse(JSON.stringify(literal));
      expect(filled(normal)).toEqual(normal);
      const payload: Json = JSON.parse(JSON.stringify(data));
      expect(
        filled(["${{ trigger }}", "<${{ config.text }}>"], { trigger: payload, config: { text } }),
      ).toEqual([payload, `<${text}>`]);
    }),
  );
});

it("no text at all makes the compiler throw", () => {
  const parts = fc.constantFrom(
    "${{",
    "}}",
    "{",
    "}",
    '"',
    "'",
    '"""',
    "\\",
    "//",
    "\n",
    "trigger",
    ".",
    "a",
    " ",
    "+",
    "1",
    "$",
    "r'",
    "(",
    ")",
    "[",
    "]",
    "?",
    ":",
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (pieces) => {
      const reading = read(pieces.join(""));
      expect(reading.template === null).toBe(reading.faults.length > 0);
      reading.template?.evaluate(scope);
    }),
    { numRuns: 1500 },
  );
}, 60_000);
