/** Values against users' schemas: what is wrong, where, and what was expected; and never without end. */
import { Validator } from "@cfworker/json-schema";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, UserSchema } from "../../../../src/documents/model";
import { checkUserSchema, compileUserSchema } from "../../../../src/documents/user-schema";

const faultsOf = (schema: UserSchema, value: Json) => compileUserSchema(schema).validate(value);
const isValid = (schema: UserSchema, value: Json) => faultsOf(schema, value).length === 0;

describe("a value", () => {
  const order: UserSchema = {
    type: "object",
    properties: {
      id: { type: "string", format: "uuid" },
      lines: { type: "array", items: { $ref: "#/$defs/line" }, minItems: 1 },
    },
    required: ["id", "lines"],
    additionalProperties: false,
    $defs: {
      line: { type: "object", properties: { count: { type: "integer", minimum: 1 } }, required: ["count"] },
    },
  };

  it("is told everything that is wrong with it, in document order", () => {
    expect(faultsOf(order, { id: "x", lines: [{ count: 0 }, {}, { count: 1.5 }], more: 1 })).toEqual([
      { pointer: "/id", message: "The text is no uuid.", expected: "uuid" },
      {
        pointer: "/lines/0/count",
        message: "The number must be at least 1, it is 0.",
        expected: "at least 1",
      },
      { pointer: "/lines/1", message: 'The property "count" is missing.', expected: 'a property "count"' },
      { pointer: "/lines/2/count", message: "This must be integer, it is number.", expected: "integer" },
      { pointer: "/more", message: 'The property "more" is not allowed.', expected: "only id, lines" },
    ]);
    expect(faultsOf(order, { id: "00000000-0000-4000-8000-000000000000", lines: [{ count: 1 }] })).toEqual(
      [],
    );
    expect(faultsOf(order, null)).toMatchObject([{ pointer: "", expected: "object" }]);
  });

  it("that fits no alternative is told of the nearest", () => {
    const schema: UserSchema = { anyOf: [{ type: "null" }, { properties: { a: { type: "string" } } }] };
    expect(faultsOf(schema, { a: 1 })).toEqual([
      { pointer: "", message: expect.stringContaining("none of the 2 alternatives"), expected: "null" },
    ]);
    expect(isValid(schema, { a: "x" })).toBe(true);
  });

  it.each<[UserSchema, Json[], Json[]]>([
    [{ type: "integer" }, [1, 1.0, -0, 1e20], [1.5, "1", null, true]],
    [{ type: "number" }, [1, 1.5], ["1", null, [1]]],
    [{ type: ["string", "null"] }, ["", null], [0, {}, []]],
    [{ type: "object" }, [{}], [[], null]],
    [{ type: "array" }, [[]], [{}, null]],
    [{ const: { a: [1, null] } }, [{ a: [1, null] }], [{ a: [1] }, { a: [1, null], b: 1 }, null]],
    [{ const: 1 }, [1, 1.0], ["1", true]],
    [{ enum: [null, "a", [1]] }, [null, "a", [1]], ["b", [2], {}]],
    [{ minLength: 2, maxLength: 2 }, ["ab", "😀😀", 5], ["a", "abc", "😀"]],
    [{ exclusiveMinimum: 1, exclusiveMaximum: 3 }, [2, 1.1], [1, 3]],
    [{ minimum: 1, maximum: 3 }, [1, 3], [0.9, 3.1]],
    [{ minItems: 1, maxItems: 2 }, [[1], [1, 2], "x"], [[], [1, 2, 3]]],
    [{ minProperties: 1, maxProperties: 1 }, [{ a: 1 }], [{}, { a: 1, b: 2 }]],
    [
      { prefixItems: [{ type: "string" }], items: { type: "number" } },
      [[], ["a"], ["a", 1]],
      [[1], ["a", "b"]],
    ],
    [{ prefixItems: [{}, {}], items: false }, [[1, 2]], [[1, 2, 3]]],
    [{ additionalProperties: { type: "number" }, properties: { a: true } }, [{ a: "x", b: 1 }], [{ b: "x" }]],
    [{ properties: { a: false } }, [{}, { b: 1 }], [{ a: 1 }]],
    [{ oneOf: [{ minimum: 1 }, { maximum: 5 }] }, [0, 6, 9], [3]],
    [{ oneOf: [{ type: "number" }, { type: "string" }] }, [1, "a"], [null]],
    [{ allOf: [{ minimum: 1 }, { maximum: 5 }] }, [3], [0, 6]],
    [{ pattern: "^a+$" }, ["aa", 1], ["ab", ""]],
    [{ $ref: "#/$defs/a", minimum: 2, $defs: { a: { type: "number" } } }, [2], [1, "x"]],
    [
      { properties: { next: { $ref: "#" }, v: { type: "number" } }, required: ["v"] },
      [{ v: 1, next: { v: 2 } }],
      [{ v: 1, next: {} }],
    ],
  ])("fits %j", (schema, valid, invalid) => {
    for (const value of valid) expect(faultsOf(schema, value)).toEqual([]);
    for (const value of invalid) expect(faultsOf(schema, value)).not.toEqual([]);
  });

  it("has own properties only", () => {
    expect(isValid({ required: ["toString"] }, {})).toBe(false);
    expect(isValid({ required: ["constructor"] }, {})).toBe(false);
    expect(isValid({ properties: {}, additionalProperties: false }, JSON.parse('{"constructor": 1}'))).toBe(
      false,
    );
    expect(isValid({ properties: {}, additionalProperties: false }, JSON.parse('{"__proto__": 1}'))).toBe(
      false,
    );
  });
});

describe("formats are asserted", { timeout: 60_000 }, () => {
  it.each<[string, string[], string[]]>([
    [
      "date-time",
      [
        "2026-01-01T00:00:00Z",
        "2026-01-01t00:00:00.5+01:00",
        "1998-12-31T23:59:60Z",
        "1998-12-31T15:59:60.1-08:00",
      ],
      [
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z",
        "1998-12-31T22:59:60Z",
        "2026-13-01T00:00:00Z",
      ],
    ],
    ["date", ["2026-02-28", "2024-02-29"], ["2026-02-29", "2026-2-1", "20260201", "2026-02-01Z"]],
    [
      "email",
      ["ada@example.com", "a.b+c@x", '"a b"@example.com', "a@[127.0.0.1]", "a@[IPv6:::1]"],
      [
        "",
        "ada",
        "@x",
        "a@",
        "a b@x.com",
        ".a@x.com",
        "a..b@x.com",
        "a@-x.com",
        "a@x..com",
        "a@b@c",
        `${"a".repeat(65)}@x.com`,
      ],
    ],
    [
      "uri",
      ["https://example.com/a?b#c", "mailto:a@b.c", "urn:isbn:1", "http://[::1]:80/a", "https://a/%20"],
      [
        "",
        "/a",
        "example.com",
        "//a/b",
        "http://a b",
        "http://a/%2",
        "http://a/<",
        "http://a#b#c",
        "http://a]b",
        "1http://a",
      ],
    ],
    [
      "uuid",
      ["00000000-0000-4000-8000-00000000000A"],
      [
        "0000000-0000-4000-8000-000000000000",
        "00000000000040008000000000000000",
        "{00000000-0000-4000-8000-000000000000}",
      ],
    ],
  ])("%s", (format, valid, invalid) => {
    for (const text of valid) expect([text, isValid({ format }, text)]).toEqual([text, true]);
    for (const text of invalid) expect([text, isValid({ format }, text)]).toEqual([text, false]);
    expect(isValid({ format }, 5)).toBe(true);
  });

  it("in linear time", () => {
    for (const format of ["date-time", "date", "email", "uri", "uuid"])
      for (const text of [
        "a".repeat(200_000),
        `${"a.".repeat(100_000)}@`,
        `"${"\\a".repeat(100_000)}@a`,
        `a:${"[".repeat(200_000)}`,
        "1".repeat(200_000),
      ])
        expect(isValid({ format }, text)).toBe(format === "uri" && false);
  });
});

describe("work is bounded", { timeout: 60_000 }, () => {
  it("where patterns backtrack elsewhere", () => {
    expect(isValid({ pattern: "^(a+)+$" }, `${"a".repeat(100_000)}!`)).toBe(false);
    expect(isValid({ pattern: "^(a+)+$" }, "a".repeat(100_000))).toBe(true);
  });

  it("where alternatives of alternatives take exponential time", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `d${index}`,
        index === 39
          ? { type: "null" }
          : { anyOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
      ]),
    );
    const schema: UserSchema = { $defs, $ref: "#/$defs/d0" };
    expect(checkUserSchema(schema)).toEqual([]);
    expect(faultsOf(schema, 1)).toEqual([
      { pointer: "", message: expect.stringMatching(/more than 500000 steps/), expected: "less to check" },
    ]);
  });

  it("where each level of the value doubles the work", () => {
    const schema: UserSchema = { allOf: [{ items: { $ref: "#" } }, { items: { $ref: "#" } }] };
    let value: Json = [];
    for (let level = 0; level < 60; level++) value = [value];
    expect(faultsOf(schema, value)).toMatchObject([{ message: expect.stringMatching(/steps/) }]);
  });

  it("where the value is deeper than the stack", () => {
    let value: Json = [];
    for (let level = 0; level < 20_000; level++) value = [value];
    expect(faultsOf({ items: { $ref: "#" } }, value)).toMatchObject([
      { message: expect.stringMatching(/nested too deeply/) },
    ]);
    expect(isValid({ type: "array" }, value)).toBe(true);
  });

  it("and so is what is told", () => {
    expect(
      faultsOf(
        { items: { type: "string" } },
        Array.from({ length: 100_000 }, () => 1),
      ),
    ).toHaveLength(50);
    const many = Array.from({ length: 400_000 }, () => 1);
    expect(
      faultsOf(
        { anyOf: [{ items: { type: "number" } }, {}, {}], allOf: [{ items: {} }, { items: {} }] },
        many,
      ),
    ).toMatchObject([{ message: expect.stringMatching(/steps/) }]);
  });
});

it("agrees with another validator wherever both can judge", () => {
  const leaf = fc.constantFrom<Json>(null, true, 0, 1, 1.5, "", "a", "ab", "aab");
  const value = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).value;
  const count = fc.integer({ min: 0, max: 3 });
  const names = fc.constantFrom("a", "b", "c");
  const { schema } = fc.letrec<{ schema: UserSchema; inner: Json }>((tie) => {
    const list = fc.array(tie("inner"), { minLength: 1, maxLength: 3 });
    const keyword = (name: string, content: fc.Arbitrary<Json>): fc.Arbitrary<UserSchema> =>
      content.map((given): UserSchema => ({ [name]: given }));
    const type = fc.constantFrom<Json>("null", "boolean", "integer", "number", "string", "array", "object", [
      "string",
      "integer",
    ]);
    const keywords = fc.oneof(
      keyword("type", type),
      keyword("enum", fc.array(value, { minLength: 1, maxLength: 3 })),
      keyword("const", value),
      ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"].map(
        (name) => keyword(name, count),
      ),
      ...["minItems", "maxItems", "minProperties", "maxProperties"].map((name) => keyword(name, count)),
      keyword("pattern", fc.constantFrom("^a", "b$", "^(a|b)*$")),
      keyword("required", fc.uniqueArray(names, { maxLength: 2 })),
      keyword("properties", fc.dictionary(names, tie("inner"), { maxKeys: 2, noNullPrototype: true })),
      keyword("additionalProperties", tie("inner")),
      keyword("items", tie("inner")),
      keyword("prefixItems", list),
      ...["anyOf", "oneOf", "allOf"].map((name) => keyword(name, list)),
      keyword("$ref", fc.constant("#/$defs/one")),
    );
    return {
      schema: fc
        .array(keywords, { minLength: 1, maxLength: 3 })
        .map((parts): UserSchema => Object.assign({}, ...parts)),
      inner: fc.oneof(
        { maxDepth: 3, depthSize: "small" },
        fc.boolean(),
        fc.constant<Json>({}),
        tie("schema"),
      ),
    };
  });
  let valid = 0;
  fc.assert(
    fc.property(schema, value, (part, instance) => {
      const root: UserSchema = {
        ...part,
        $defs: { one: { anyOf: [{ type: "string" }, { items: { $ref: "#" } }] } },
      };
      expect(checkUserSchema(root)).toEqual([]);
      const theirs = new Validator(structuredClone(root) as object, "2020-12", false).validate(
        instance,
      ).valid;
      expect(faultsOf(root, instance).length === 0).toBe(theirs);
      if (theirs) valid += 1;
    }),
    { numRuns: 1500 },
  );
  expect(valid).toBeGreaterThan(150);
}, 60_000);
