/** The model table, and the choice of an adapter by settings. */
import { describe, expect, it } from "vitest";
import { createEmbedder, type EmbedderDependencies } from "../../../src/platform/embedder";
import {
  EMBEDDING_MODEL_NAMES,
  embeddingModel,
  purposePrefix,
  STATIC_MODEL_NAME,
} from "../../../src/platform/embedder/models";
import { FakeEmbeddingsServer, FakeWorkersAi } from "./support";

const dependencies: EmbedderDependencies = {
  loadTable: () => Promise.reject(new Error("not loaded here")),
  ai: new FakeWorkersAi(384),
  egress: new FakeEmbeddingsServer(1536).egress,
};

describe("the model table", () => {
  it("finds a model whatever its letter case and surrounding space", () => {
    expect(embeddingModel("  ALL-MiniLM-L6-v2\n").name).toBe("all-minilm-l6-v2");
  });

  it("takes static for the bundled table", () => {
    expect(embeddingModel("static").name).toBe(STATIC_MODEL_NAME);
  });

  it("names the known models when it refuses one", () => {
    expect(() => embeddingModel("word2vec")).toThrow(/word2vec.*static-v1.*bge-m3.*multilingual-e5-small/s);
  });

  it.each(["__proto__", "constructor", ""])("knows no model called %j", (name) => {
    expect(() => embeddingModel(name)).toThrow(RangeError);
  });

  it.each(EMBEDDING_MODEL_NAMES)("has sound numbers for %s", (name) => {
    const model = embeddingModel(name);
    expect(model.name).toBe(name.trim().toLowerCase());
    expect(Number.isInteger(model.dimension) && model.dimension > 0 && model.dimension <= 1536).toBe(true);
    expect(model.clusteringSimilarity).toBeGreaterThan(0);
    expect(model.clusteringSimilarity).toBeLessThan(1);
    expect(model.retrievalSimilarity).toBeGreaterThan(0);
    expect(model.retrievalSimilarity).toBeLessThan(1);
  });

  it("tells e5's passages from its queries", () => {
    const model = embeddingModel("multilingual-e5-small");
    expect(purposePrefix(model, "document")).toBe("passage: ");
    expect(purposePrefix(model, "query")).toBe("query: ");
  });
});

describe("createEmbedder", () => {
  it("makes the adapter that the settings name", () => {
    const openAi = {
      adapter: "openai-compatible",
      model: "text-embedding-3-small",
      baseUrl: "https://a.example",
    } as const;
    expect(createEmbedder({ adapter: "static" }, dependencies).model.name).toBe(STATIC_MODEL_NAME);
    expect(createEmbedder({ adapter: "workers-ai" }, dependencies).model.name).toBe(
      "@cf/baai/bge-small-en-v1.5",
    );
    expect(createEmbedder(openAi, dependencies).model.name).toBe("text-embedding-3-small");
  });

  it.each([
    ["an unknown model", { adapter: "workers-ai", model: "@cf/none" }],
    ["another model on the static adapter", { adapter: "static", model: "all-minilm" }],
    ["a model that Workers AI has not", { adapter: "workers-ai", model: "all-minilm" }],
    [
      "the static model on a server",
      { adapter: "openai-compatible", model: "static", baseUrl: "https://a.example" },
    ],
    ["a server without an address", { adapter: "openai-compatible", model: "all-minilm" }],
    ["a server without a model", { adapter: "openai-compatible", baseUrl: "https://a.example" }],
  ] as const)("refuses %s at once", (_name, settings) => {
    expect(() => createEmbedder(settings, dependencies)).toThrow(RangeError);
  });

  it("refuses Workers AI without its binding", () => {
    expect(() => createEmbedder({ adapter: "workers-ai" }, { ...dependencies, ai: undefined })).toThrow(
      /binding AI/,
    );
  });

  it("asks a server for the model in the letter case of the setting", async () => {
    const bodies: unknown[] = [];
    const settings = {
      adapter: "openai-compatible",
      model: "all-MiniLM",
      baseUrl: "https://a.example",
    } as const;
    const embedder = createEmbedder(settings, {
      ...dependencies,
      egress: async (request) => {
        bodies.push(await request.json());
        return new Response("stop here", { status: 400 });
      },
    });
    await expect(embedder.embed(["text"], "document")).rejects.toMatchObject({ fault: "refused" });
    expect(bodies).toMatchObject([{ model: "all-MiniLM" }]);
  });
});
