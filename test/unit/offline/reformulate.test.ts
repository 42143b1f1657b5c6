import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reformulateOffline } from "../../../src/platform/reasoner/offline/reformulate";

describe("the offline reformulation", () => {
  it("tidies spaces and invents nothing", () => {
    expect(reformulateOffline({ query: "  late \u200b\n parcel\u00a0 refund ", history: [] })).toEqual({
      query: "late parcel refund",
    });
  });

  it("is idempotent and never longer than the query", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 3_000 }), (query) => {
        const once = reformulateOffline({ query, history: [] }).query;
        expect(reformulateOffline({ query: once, history: [] }).query).toBe(once);
        expect(once.length).toBeLessThanOrEqual(query.length);
      }),
    );
  });
});
