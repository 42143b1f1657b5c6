/** A user's schema is checked itself: what is not understood is refused, not ignored. */
import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/documents/model";
import { LIMITS } from "../../../../src/documents/spec";
import { checkUserSchema, compileUserSchema } from "../../../../src/documents/user-schema";

const pointers = (schema: Json) => checkUserSchema(schema).map(({ pointer }) => pointer);

describe("a schema", () => {
  it.each<Json>([
    {},
    {
      type: "object",
      properties: { a: { type: "string" }, b: true },
      required: ["a"],
      additionalProperties: false,
    },
    { type: ["string", "null"], minLength: 1, maxLength: 3, pattern: "^a+$", format: "email" },
    {
      items: { type: "integer", minimum: 0, exclusiveMaximum: 10 },
      prefixItems: [{ const: null }],
      minItems: 0,
      maxItems: 2,
    },
    { anyOf: [{ enum: [1, "a", null] }], oneOf: [{}], allOf: [false] },
    {
      $defs: { tree: { properties: { left: { $ref: "#/$defs/tree" }, right: { $ref: "#" } } } },
      $ref: "#/$defs/tree",
    },
    { $ref: "#/properties/a~1b%20c", properties: { "a/b c": { type: "string" } } },
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "t",
      description: "d",
      default: [1],
      $comment: "c",
      examples: [1],
    },
    { "x-anything": { maxLenght: 3 }, default: { $ref: "http://x" }, const: { $ref: "#/nope" } },
    { properties: { maxLenght: {}, $ref: {}, type: {} } },
  ])("is fine as %j", (schema) => {
    expect(checkUserSchema(schema)).toEqual([]);
    expect(() => compileUserSchema(schema as never)).not.toThrow();
  });

  it("with a mistyped keyword is told what was meant", () => {
    expect(checkUserSchema({ properties: { a: { maxLenght: 3 } } })).toEqual([
      {
        pointer: "/properties/a/maxLenght",
        message: '"maxLenght" is no keyword of the supported subset of JSON Schema.',
        hint: 'Did you mean "maxLength"?',
      },
    ]);
    expect(checkUserSchema({ definitions: {} })).toMatchObject([{ hint: 'Use "$defs".' }]);
    expect(checkUserSchema({ nullable: true })).toMatchObject([{ hint: expect.stringContaining("null") }]);
  });

  it.each([
    "not",
    "if",
    "then",
    "patternProperties",
    "$dynamicRef",
    "unevaluatedProperties",
    "$id",
    "$anchor",
    "dependentRequired",
    "constructor",
    "__proto__",
  ])("with %s is refused, for that would be ignored", (keyword) => {
    expect(pointers(JSON.parse(`{${JSON.stringify(keyword)}: {}}`))).toEqual([`/${keyword}`]);
  });

  it.each<[Json, string[]]>([
    ["a text", [""]],
    [true, [""]],
    [[], [""]],
    [{ type: "strin" }, ["/type"]],
    [{ type: [] }, ["/type"]],
    [{ type: ["null", "null"] }, ["/type"]],
    [{ properties: [] }, ["/properties"]],
    [{ properties: { a: 1, "b/c": null } }, ["/properties/a", "/properties/b~1c"]],
    [{ required: "a" }, ["/required"]],
    [{ required: ["a", 1] }, ["/required"]],
    [{ required: ["a", "a"] }, ["/required"]],
    [{ additionalProperties: "no" }, ["/additionalProperties"]],
    [{ items: [{}] }, ["/items"]],
    [{ prefixItems: {} }, ["/prefixItems"]],
    [{ anyOf: [] }, ["/anyOf"]],
    [{ allOf: [{}, 3] }, ["/allOf/1"]],
    [{ enum: [] }, ["/enum"]],
    [{ enum: "a" }, ["/enum"]],
    [
      { minLength: -1, maxLength: 1.5, minItems: "1", maxItems: null },
      ["/minLength", "/maxLength", "/minItems", "/maxItems"],
    ],
    [{ minimum: "1", exclusiveMaximum: true }, ["/minimum", "/exclusiveMaximum"]],
    [{ format: "emial" }, ["/format"]],
    [{ format: "ipv4" }, ["/format"]],
    [{ title: 1, description: {} }, ["/title", "/description"]],
  ])("is refused as %j", (schema, at) => {
    expect(pointers(schema)).toEqual(at);
  });
});

describe("patterns", () => {
  it.each(["(?=a)b", "(a)\\1", "[", "a{2000}"])("must be RE2's: %s", (pattern) => {
    expect(pointers({ items: { pattern } })).toEqual(["/items/pattern"]);
  });

  it("are bounded together", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 6 }, (_, index) => [`p${index}`, { pattern: "a{900}" }]),
    );
    expect(pointers({ properties })).toEqual(["/properties/p4/pattern"]);
  });
});

describe("references", () => {
  it.each([
    "http://example.com/schema",
    "other.json",
    "other.json#/a",
    "//x",
    "/a",
    "urn:uuid:1",
    "#foo",
    "#%",
    "#/a~2",
    "",
  ])("%j is no place of this schema", (reference) => {
    expect(pointers({ properties: { a: { $ref: reference } } })).toEqual(["/properties/a/$ref"]);
  });

  it("must name a schema, not just anything", () => {
    for (const reference of [
      "#/$defs/nope",
      "#/$defs",
      "#/default",
      "#/properties",
      "#/enum/0",
      "#/required",
    ])
      expect(
        pointers({
          $defs: { a: {} },
          default: {},
          properties: {},
          enum: [{}],
          required: [],
          items: { $ref: reference },
        }),
      ).toEqual(["/items/$ref"]);
    expect(checkUserSchema({ $defs: { address: {} }, $ref: "#/$defs/adress" })).toMatchObject([
      { hint: 'Did you mean "#/$defs/address"?' },
    ]);
  });

  it.each<[Json, string[]]>([
    [{ $ref: "#" }, ["/$ref"]],
    [{ allOf: [{ $ref: "#" }] }, ["/allOf/0/$ref"]],
    [
      { $defs: { a: { $ref: "#/$defs/b" }, b: { anyOf: [{ $ref: "#/$defs/a" }] } } },
      ["/$defs/a/$ref", "/$defs/b/anyOf/0/$ref"],
    ],
    [{ $defs: { a: { $ref: "#/$defs/a" } } }, ["/$defs/a/$ref"]],
  ])("that never look into the value are refused: %j", (schema, at) => {
    expect(pointers(schema)).toEqual(at);
  });

  it("may come back through a property or an element", () => {
    expect(pointers({ properties: { a: { $ref: "#" } }, items: { allOf: [{ $ref: "#" }] } })).toEqual([]);
    expect(pointers({ anyOf: [{ properties: { next: { $ref: "#" } } }, { type: "null" }] })).toEqual([]);
  });
});

describe("size", () => {
  it("is bounded in depth before the stack is", () => {
    let schema: Json = {};
    for (let level = 0; level < 20_000; level++) schema = { items: schema };
    const faults = checkUserSchema(schema);
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toMatch(/at most 32 deep/);
  });

  it("is bounded in parts", () => {
    const properties = (count: number) => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, {}])),
    });
    expect(pointers(properties(LIMITS.userSchemaNodes - 1))).toEqual([]);
    expect(pointers(properties(50_000))).toHaveLength(1);
  });
});

it("a schema with faults cannot be compiled", () => {
  expect(() => compileUserSchema({ maxLenght: 3 })).toThrow(/at "\/maxLenght"/);
});
