/** The bundled table is clearly better than feature hashing on our own sets, hard negatives included. */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { hashedVector } from "../../../scripts/embeddings/hashing";
import {
  areaUnderCurve,
  bestThreshold,
  similarities,
  thresholdAtRecall,
} from "../../../scripts/embeddings/metrics";
import { textVector } from "../../../src/platform/embedder/static";
import { parseStaticTable } from "../../../src/platform/embedder/static/table";
import paraphrases from "../../eval/paraphrases.json" with { type: "json" };
import rulePairs from "../../eval/rule-pairs.json" with { type: "json" };

const TABLE = new URL("../../../assets/public/embeddings/static-v1.bin", import.meta.url);

describe("the bundled table", () => {
  it.each([
    ["paraphrases", paraphrases, 0.97, 0.78],
    ["rule pairs", rulePairs, 0.94, 0.7],
  ])("tells %s apart", async (_name, triples, auc, recall) => {
    const bytes = await readFile(TABLE);
    expect(bytes.byteLength).toBeLessThanOrEqual(4_000_000);
    const table = parseStaticTable(Uint8Array.from(bytes).buffer);
    const ours = similarities(triples, (text) => textVector(table, text));
    const hashed = similarities(triples, hashedVector);
    expect(areaUnderCurve(ours.same, ours.different)).toBeGreaterThan(auc);
    expect(ours.recallAt1).toBeGreaterThan(recall);
    expect(areaUnderCurve(ours.same, ours.hard)).toBeGreaterThan(
      areaUnderCurve(hashed.same, hashed.hard) + 0.2,
    );
  });
});

describe("the measures", () => {
  it("count ties half", () => {
    expect(areaUnderCurve([1, 2], [1])).toBe(0.75);
  });

  it("find the threshold that parts two groups", () => {
    expect(bestThreshold([0.9, 0.8], [0.1, 0.5], 0.5)).toEqual({ similarity: 0.8, precision: 1, recall: 1 });
  });

  it("give the similarity that a share of the positives reaches", () => {
    expect(thresholdAtRecall([0.1, 0.2, 0.3, 0.4], 0.75)).toBe(0.2);
  });
});
