// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of documents are written so
/** S422: the literal part of a template, as far as it certainly violates the schema. */
import { describe, expect, it } from "vitest";
import type { Json, UserSchema } from "../../../../src/documents/model";
import { literalMismatch } from "../../../../src/documents/user-schema";

const input: UserSchema = {
  type: "object",
  properties: {
    to: { type: "string", format: "email" },
    count: { type: "integer", minimum: 1 },
    tags: { type: "array", items: { enum: ["a", "b"] }, maxItems: 2 },
    key: { type: "string" },
  },
  required: ["to"],
  additionalProperties: false,
};
const pointers = (template: Json, schema = input) =>
  literalMismatch(schema, template).map(({ pointer }) => pointer);

describe("a template", () => {
  it.each<Json>([
    { to: "ada@example.com" },
    { to: "${{ trigger.email }}", count: "${{ trigger.count }}", tags: "${{ trigger.tags }}" },
    { to: "Hi ${{ trigger.email }}" },
    { to: "${{ trigger.a }}@${{ trigger.b }}", tags: ["a", "${{ trigger.tag }}"] },
    { to: "${{ trigger.a }}", key: { $secret: "KEY" } },
    { to: "${{ trigger.a }}", count: { $secret: "KEY" } },
    "${{ trigger }}",
  ])("may still become right: %j", (template) => {
    expect(pointers(template)).toEqual([]);
  });

  it.each<[Json, string[]]>([
    [{}, [""]],
    [{ to: 5 }, ["/to"]],
    [{ to: "no address" }, ["/to"]],
    [{ to: "${{ trigger.a }}", count: "3" }, ["/count"]],
    [{ to: "${{ trigger.a }}", count: "n ${{ trigger.n }}" }, ["/count"]],
    [{ to: "${{ trigger.a }}", count: 0 }, ["/count"]],
    [{ to: "${{ trigger.a }}", tags: ["${{ trigger.x }}", "c"] }, ["/tags/1"]],
    [
      { to: "${{ trigger.a }}", tags: ["${{ trigger.x }}", "${{ trigger.x }}", "${{ trigger.x }}"] },
      ["/tags"],
    ],
    [{ to: ["${{ trigger.a }}"] }, ["/to"]],
    [{ to: "${{ trigger.a }}", subject: "${{ trigger.b }}" }, ["/subject"]],
    ["Hi ${{ trigger.name }}", [""]],
  ])("is certainly wrong: %j", (template, at) => {
    expect(pointers(template)).toEqual(at);
  });

  it("is only wrong under alternatives when it is wrong under each", () => {
    const either: UserSchema = {
      anyOf: [{ properties: { a: { const: 1 } } }, { properties: { a: { const: 2 } } }],
    };
    expect(pointers({ a: "${{ trigger.x }}" }, either)).toEqual([]);
    expect(pointers({ a: 3, b: "${{ trigger.x }}" }, either)).toEqual([""]);
    const one: UserSchema = { oneOf: [{ required: ["a"] }, { required: ["b"] }] };
    expect(pointers({ a: "${{ trigger.x }}" }, one)).toEqual([]);
    expect(pointers({ a: "${{ trigger.x }}", b: 1 }, one)).toEqual([""]);
    expect(
      pointers(
        { a: "${{ trigger.x }}" },
        { oneOf: [{ properties: { a: { type: "string" } } }, { properties: { a: { type: "null" } } }] },
      ),
    ).toEqual([]);
  });

  it("is compared as a whole as far as it is known", () => {
    expect(pointers({ a: "${{ x }}", b: 1 }, { const: { a: 5, b: 1 } })).toEqual([]);
    expect(pointers({ a: "${{ x }}", b: 2 }, { const: { a: 5, b: 1 } })).toEqual([""]);
    expect(pointers(["${{ x }}"], { enum: [[1], [2]] })).toEqual([]);
    expect(pointers(["${{ x }}"], { enum: [[1, 2], "a"] })).toEqual([""]);
    expect(pointers("a ${{ x }}", { enum: [1, 2] })).toEqual([""]);
    expect(pointers("a ${{ x }}", { enum: [1, "a b"] })).toEqual([]);
    expect(pointers("${{ x }}", { allOf: [false] })).toEqual([""]);
  });
});
