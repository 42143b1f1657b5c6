/** The query cache: what it remembers, for whom, and for how long. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { QueryEmbeddingCache, queryCacheKey, withQueryCache } from "../../../src/platform/embedder/cache";
import { embeddingModel } from "../../../src/platform/embedder/models";
import type { Embedder } from "../../../src/platform/embedder/port";

const model = embeddingModel("all-minilm");
let nowMs = 0;
let asked: string[] = [];
const embedder: Embedder = {
  model,
  async embed(texts) {
    asked.push(...texts);
    return texts.map((text) => Float32Array.of(text.length));
  },
};
const create = (maxEntries = 1024) => new QueryEmbeddingCache({ nowMs: () => nowMs, maxEntries });

beforeEach(() => {
  nowMs = 1_000;
  asked = [];
});

describe("the query cache", () => {
  it("answers a repeated query without the model, whatever its case and spacing", async () => {
    const cached = withQueryCache(embedder, create(), "org-1");
    const first = await cached.embed(["Refund  policy"], "query");
    expect(await cached.embed([" refund policy\n"], "query")).toEqual(first);
    expect(asked).toEqual(["Refund  policy"]);
  });

  it("asks only for what is missing and keeps the order", async () => {
    const cached = withQueryCache(embedder, create(), "org-1");
    await cached.embed(["bb"], "query");
    const vectors = await cached.embed(["a", "bb", "ccc"], "query");
    expect(vectors.map((vector) => vector[0])).toEqual([1, 2, 3]);
    expect(asked).toEqual(["bb", "a", "ccc"]);
  });

  it("shares nothing between orgs", async () => {
    const cache = create();
    await withQueryCache(embedder, cache, "org-1").embed(["salary"], "query");
    await withQueryCache(embedder, cache, "org-2").embed(["salary"], "query");
    expect(asked).toEqual(["salary", "salary"]);
  });

  it("never answers documents", async () => {
    const cached = withQueryCache(embedder, create(), "org-1");
    await cached.embed(["rule"], "query");
    await cached.embed(["rule"], "document");
    expect(asked).toEqual(["rule", "rule"]);
  });

  it("forgets after 300 seconds, not before", async () => {
    const cached = withQueryCache(embedder, create(), "org-1");
    await cached.embed(["rule"], "query");
    nowMs += 299_999;
    await cached.embed(["rule"], "query");
    expect(asked).toHaveLength(1);
    nowMs += 1;
    await cached.embed(["rule"], "query");
    expect(asked).toHaveLength(2);
  });

  it("drops the least recently used entry first", async () => {
    const cached = withQueryCache(embedder, create(2), "org-1");
    await cached.embed(["a"], "query");
    await cached.embed(["b"], "query");
    await cached.embed(["a"], "query");
    await cached.embed(["c"], "query");
    await cached.embed(["a"], "query");
    await cached.embed(["b"], "query");
    expect(asked).toEqual(["a", "b", "c", "b"]);
  });

  it("never holds more than its limit", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(fc.string({ maxLength: 2 })), (limit, keys) => {
        const cache = create(limit);
        for (const key of keys) cache.set(key, Float32Array.of(1));
        expect(cache.size).toBe(Math.min(limit, new Set(keys).size));
      }),
    );
  });

  it("is not changed by a caller that changes its vector", async () => {
    const cached = withQueryCache(embedder, create(), "org-1");
    const [first] = await cached.embed(["rule"], "query");
    first?.fill(9);
    expect(await cached.embed(["rule"], "query")).toEqual([Float32Array.of(4)]);
  });

  it("remembers nothing of a failed call", async () => {
    const failing: Embedder = { model, embed: () => Promise.reject(new Error("down")) };
    const cache = create();
    await expect(withQueryCache(failing, cache, "org-1").embed(["rule"], "query")).rejects.toThrow("down");
    expect(cache.size).toBe(0);
  });

  it("makes no key for a very long text, and different keys for parts that join alike", () => {
    expect(queryCacheKey("org", model, "x".repeat(2_001))).toBeUndefined();
    expect(queryCacheKey('a","b', model, "c")).not.toBe(queryCacheKey("a", model, 'b","c'));
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses a limit of %d entries", (maxEntries) => {
    expect(() => create(maxEntries)).toThrow(RangeError);
  });
});
