/** What every adapter must do, run over all three. */
import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { embeddingModel } from "../../../src/platform/embedder/models";
import { createOpenAiCompatibleEmbedder } from "../../../src/platform/embedder/openai-compatible";
import type { Embedder } from "../../../src/platform/embedder/port";
import { createStaticEmbedder } from "../../../src/platform/embedder/static";
import { createWorkersAiEmbedder } from "../../../src/platform/embedder/workers-ai";
import { FakeEmbeddingsServer, FakeWorkersAi, lengthOf } from "./support";

const noWait = async () => {};
const TABLE = new URL("../../../assets/public/embeddings/static-v1.bin", import.meta.url);

const adapters: [string, () => Embedder][] = [
  ["static", () => createStaticEmbedder(async () => Uint8Array.from(await readFile(TABLE)).buffer)],
  [
    "workers-ai",
    () =>
      createWorkersAiEmbedder(new FakeWorkersAi(384), embeddingModel("@cf/baai/bge-small-en-v1.5"), noWait),
  ],
  [
    "openai-compatible",
    () =>
      createOpenAiCompatibleEmbedder({
        baseUrl: "https://models.example/v1",
        model: embeddingModel("nomic-embed-text-v1.5"),
        egress: new FakeEmbeddingsServer(768).egress,
        wait: noWait,
      }),
  ],
];

describe.each(adapters)("the %s embedder", (_name, create) => {
  const embedder = create();

  it("answers no texts with no vectors", async () => {
    expect(await embedder.embed([], "document")).toEqual([]);
  });

  it("gives unit vectors of the model's dimension, one per text", async () => {
    const vectors = await embedder.embed(["Ask for the order number", "Translate the menu"], "document");
    expect(vectors).toHaveLength(2);
    for (const vector of vectors) {
      expect(vector).toBeInstanceOf(Float32Array);
      expect(vector).toHaveLength(embedder.model.dimension);
      expect(lengthOf(vector)).toBeCloseTo(1, 5);
    }
  });

  it("keeps the order of 250 texts and gives each the vector it gets alone", async () => {
    const texts = Array.from({ length: 250 }, (_, i) => `rule ${i % 7} about the colour of item ${i}`);
    const together = await embedder.embed(texts, "document");
    for (const position of [0, 99, 100, 199, 200, 249]) {
      const [alone] = await embedder.embed([texts[position] ?? ""], "document");
      expect(together[position]).toEqual(alone);
    }
  });

  it("gives blank texts the zero vector, wherever they stand", async () => {
    const [first, second, third] = await embedder.embed(["", "keep it short", " \n\t"], "query");
    expect(lengthOf(first ?? new Float32Array())).toBe(0);
    expect(lengthOf(second ?? new Float32Array())).toBeCloseTo(1, 5);
    expect(lengthOf(third ?? new Float32Array())).toBe(0);
    expect(third).toHaveLength(embedder.model.dimension);
  });

  it("embeds any string to length 0 or 1", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 60 }), async (text) => {
        const [vector] = await embedder.embed([text], "document");
        const length = lengthOf(vector ?? new Float32Array([9]));
        expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("cuts a text of a million characters instead of failing", async () => {
    const [vector] = await embedder.embed(["a😀".repeat(400_000)], "document");
    expect(vector).toHaveLength(embedder.model.dimension);
  });
});
