/** Traps of the specification (§16) in the pure parts of aggregation. */
import { expect, it } from "vitest";
import { matchCentroid } from "../../../src/aggregation/centroids";
import { fingerprintOf } from "../../../src/aggregation/clustering/fingerprint";
import { DetailStripper, neutralisePlaceholders } from "../../../src/aggregation/detail-stripping";
import { groupByDirection } from "../../../src/aggregation/prompt-sources";
import { embeddingModel, purposePrefix } from "../../../src/platform/embedder/models";

it("trap 46: a centroid of another version, model or dimension matches nothing, however near", () => {
  const vector = Float32Array.from([1, 0]);
  const space = { agentVersion: "v1", model: "m", dimension: 2 };
  const centroid = { clusterId: "c", vector, ...space };
  expect(matchCentroid(vector, space, [centroid], 0.9)).toMatchObject({ clusterId: "c" });
  const others = [
    { ...centroid, agentVersion: "v2" },
    { ...centroid, model: "n" },
    { ...centroid, dimension: 3, vector: Float32Array.from([1, 0, 0]) },
  ];
  for (const other of others) expect(matchCentroid(vector, space, [other], 0.9)).toBeNull();
  const twins = [{ ...centroid, clusterId: "d" }, centroid];
  expect(matchCentroid(vector, space, twins, 0.9)).toMatchObject({ clusterId: "c" });
});

it("trap 55: a fingerprint sorts ids as numbers, and is the same in every order", async () => {
  // The first 16 digits of SHA-256 over "9,10".
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("9,10"));
  const expected = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  expect(await fingerprintOf([10, 9])).toBe(expected.slice(0, 16));
  expect(await fingerprintOf([9, 10, 9])).toBe(expected.slice(0, 16));
});

it("trap 57: thresholds and prefixes are the model's own", () => {
  const told = (name: string) => {
    const model = embeddingModel(name);
    return {
      clustering: model.clusteringSimilarity,
      retrieval: model.retrievalSimilarity,
      query: purposePrefix(model, "query"),
      document: purposePrefix(model, "document"),
    };
  };
  expect(told(" Nomic-Embed-Text-v1.5 ")).toEqual({
    ...{ clustering: 0.85, retrieval: 0.7 },
    ...{ query: "search_query: ", document: "search_document: " },
  });
  expect(told("multilingual-e5-small")).toEqual({
    ...{ clustering: 0.9284577369689941, retrieval: 0.7993814945220947 },
    ...{ query: "query: ", document: "passage: " },
  });
  expect(told("all-minilm")).toEqual({ clustering: 0.3, retrieval: 0.3, query: "", document: "" });
  expect(() => embeddingModel("unheard-of")).toThrow(RangeError);
});

it("trap 58: one person is one placeholder within a cluster, a new one starts anew, and none gets out", () => {
  const stripper = new DetailStripper(["ada@example.org"]);
  const [first, again, other] = [
    stripper.strip("Write to ada@example.org."),
    stripper.strip("Copy ada@example.org and bob@example.org."),
    new DetailStripper([]).strip("Write to bob@example.org."),
  ];
  expect(first).not.toContain("ada@");
  const placeholder = /\[EMAIL_\d+\]/.exec(first)?.[0] ?? "";
  expect(again).toContain(placeholder);
  expect(again.match(/\[EMAIL_\d+\]/g)).toHaveLength(2);
  expect(other).toContain(placeholder);
  const { text, leaked } = neutralisePlaceholders(`Tell ${placeholder} and [PERSON_1] at once.`);
  expect(leaked).toBe(2);
  expect(text).not.toMatch(/[[\]]|_1/);
});

it("trap 59: groups are greedy in the order of their rows: the first that fits takes a row", () => {
  const rows = [
    { content: "alpha beta gamma" },
    { content: "delta epsilon zeta" },
    { content: "alpha beta delta epsilon" },
  ];
  const grouped = (order: number[]) =>
    groupByDirection(
      order.map((at) => rows[at] ?? { content: "" }),
      0.5,
    ).map((group) => group.map(({ content }) => content[0]));
  expect(grouped([0, 1, 2])).toEqual([["a", "a"], ["d"]]);
  expect(grouped([1, 0, 2])).toEqual([["d", "a"], ["a"]]);
  expect(grouped([0, 1, 2])).toEqual(grouped([0, 1, 2]));
});
