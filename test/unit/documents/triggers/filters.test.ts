/** Typed filters: nothing is coerced, a missing path never matches, nothing throws. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Filter, Json } from "../../../../src/documents/model";
import { FILTER_OPS, FILTER_TYPES } from "../../../../src/documents/spec";
import { meetsFilters } from "../../../../src/documents/triggers/filters";

const meets = (type: Filter["type"], op: Filter["op"], found: Json | undefined, value?: Json): boolean => {
  const payload: Json = found === undefined ? {} : { at: found };
  return meetsFilters([{ path: "/at", type, op, ...(value === undefined ? {} : { value }) }], payload);
};

describe("a filter", () => {
  it("compares numbers, and only numbers", () => {
    expect(meets("number", "gt", 5, 3)).toBe(true);
    expect(meets("number", "gt", 3, 3)).toBe(false);
    expect(meets("number", "gte", 3, 3)).toBe(true);
    expect(meets("number", "lt", 3, 5)).toBe(true);
    expect(meets("number", "lte", 6, 5)).toBe(false);
    for (const found of ["5", true, null, [5], { n: 5 }]) expect(meets("number", "gt", found, 3)).toBe(false);
    expect(meets("number", "gt", 5, "3")).toBe(false);
  });

  it("compares instants, whatever their zone, and no other texts", () => {
    expect(meets("timestamp", "eq", "2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00Z")).toBe(true);
    expect(meets("timestamp", "lt", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.001Z")).toBe(true);
    expect(meets("timestamp", "gte", "2026-01-01", "2020-01-01T00:00:00Z")).toBe(false);
    expect(meets("timestamp", "in", "2026-01-01T00:00:00Z", ["2026-01-01T02:00:00+02:00"])).toBe(true);
  });

  it("compares texts by code points, with prefix and contains, but not by order", () => {
    expect(meets("string", "eq", "Ada", "ada")).toBe(false);
    expect(meets("string", "prefix", "invoice.paid", "invoice.")).toBe(true);
    expect(meets("string", "contains", "invoice.paid", "ice.p")).toBe(true);
    expect(meets("string", "contains", ["a"], "a")).toBe(false);
    expect(meets("string", "gt", "b", "a")).toBe(false);
  });

  it("knows lists of values", () => {
    expect(meets("string", "in", "b", ["a", "b"])).toBe(true);
    expect(meets("number", "in", 1, ["1"])).toBe(false);
    expect(meets("string", "nin", "c", ["a", "b"])).toBe(true);
    expect(meets("string", "nin", 3, ["a"])).toBe(false);
    expect(meets("string", "in", "a", "a")).toBe(false);
  });

  it("tells what is there from what is not, by type", () => {
    expect(meets("null", "eq", null, null)).toBe(true);
    expect(meets("null", "exists", undefined)).toBe(false);
    expect(meets("boolean", "exists", false)).toBe(true);
    expect(meets("boolean", "exists", "false")).toBe(false);
    expect(meets("string", "absent", undefined)).toBe(true);
    expect(meets("string", "absent", null)).toBe(false);
    expect(meets("boolean", "neq", undefined, true)).toBe(false);
    expect(meets("boolean", "neq", "true", true)).toBe(false);
    expect(meets("boolean", "neq", false, true)).toBe(true);
  });

  it("does not look into prototypes, nor past lists' ends", () => {
    const at = (path: string, payload: Json) =>
      meetsFilters([{ path, type: "string", op: "exists" }], payload);
    expect(at("/constructor/name", {})).toBe(false);
    expect(at("/items/length", { items: ["a"] })).toBe(false);
    expect(at("/items/0", { items: ["a"] })).toBe(true);
    expect(at("/items/-1", { items: ["a"] })).toBe(false);
    expect(at("no pointer", { "no pointer": "a" })).toBe(false);
  });

  it("must hold together with all others", () => {
    const filters: Filter[] = [
      { path: "/a", type: "number", op: "gt", value: 1 },
      { path: "/b", type: "string", op: "absent" },
    ];
    expect(meetsFilters(filters, { a: 2 })).toBe(true);
    expect(meetsFilters(filters, { a: 2, b: "x" })).toBe(false);
    expect(meetsFilters([], null)).toBe(true);
    expect(meetsFilters(undefined, null)).toBe(true);
  });

  it("never throws, and never matches a missing path unless it asks for its absence", () => {
    const json = fc.jsonValue().map((value): Json => JSON.parse(JSON.stringify(value)));
    const filter = fc.record({
      path: fc.constantFrom("/a", "/a/0", "/b/c", "", "/", "a~"),
      type: fc.constantFrom(...FILTER_TYPES),
      op: fc.constantFrom(...FILTER_OPS),
      value: json,
    });
    fc.assert(
      fc.property(filter, json, (one, payload) => {
        meetsFilters([one], payload);
        if (one.op !== "absent")
          expect(meetsFilters([{ ...one, path: "/no/such" }], { a: payload })).toBe(false);
      }),
      { seed: 60 },
    );
  });
});
