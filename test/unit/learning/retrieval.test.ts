import { describe, expect, it } from "vitest";
import { nearest, type Stored } from "../../../src/learning/retrieval";

const unit = (degrees: number): Float32Array =>
  Float32Array.from([Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]);
const policy = { threshold: 0.4, topK: 2 };

describe("what new rules are compared with", () => {
  const rows: Stored[] = [
    { id: 1, text: "alpha", vector: unit(0) },
    { id: 2, text: "beta", vector: unit(30) },
    { id: 3, text: "gamma", vector: unit(60) },
    { id: 4, text: "delta", vector: unit(120) },
  ];

  it("is what means nearly the same, best first, at most topK a query", () => {
    expect(nearest([{ text: "omega", vector: unit(25) }], rows, policy)).toEqual([2, 1]);
  });

  it("is not what lies below the threshold", () => {
    expect(nearest([{ text: "omega", vector: unit(190) }], rows, policy)).toEqual([]);
  });

  it("is found by words where there is no vector", () => {
    const bare = rows.map((row) => ({ ...row, vector: null }));
    expect(nearest([{ text: "gamma rays", vector: null }], bare, policy)).toEqual([3]);
  });

  it("is not found by words that every rule has", () => {
    const common = Array.from({ length: 20 }, (_, index) => ({
      id: index + 1,
      text: `when the person asks about subject${index}`,
      vector: null,
    }));
    expect(
      nearest(
        [{ text: "when the person asks about subject7 or other things", vector: null }],
        common,
        policy,
      )[0],
    ).toBe(8);
  });

  it("is the union over all queries, each row once, at most twenty", () => {
    const many = Array.from({ length: 60 }, (_, index) => ({
      id: index + 1,
      text: `word${index}`,
      vector: null,
    }));
    const queries = many.map(({ text }) => ({ text, vector: null }));
    const ids = nearest([...queries, ...queries], many, policy);
    expect(ids).toHaveLength(20);
    expect(new Set(ids).size).toBe(20);
  });

  it("ignores vectors of another dimension", () => {
    expect(nearest([{ text: "omega", vector: Float32Array.of(1, 0, 0) }], rows, policy)).toEqual([]);
  });
});
