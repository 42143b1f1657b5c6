/** Faults of the two remote services: what is tried again, what is refused, and what never leaks. */
import { describe, expect, it } from "vitest";
import { embeddingModel } from "../../../src/platform/embedder/models";
import { createOpenAiCompatibleEmbedder } from "../../../src/platform/embedder/openai-compatible";
import { createWorkersAiEmbedder } from "../../../src/platform/embedder/workers-ai";
import { FakeEmbeddingsServer, FakeWorkersAi, rawVector } from "./support";

const model = embeddingModel("all-minilm");
const bge = embeddingModel("@cf/baai/bge-small-en-v1.5");

function openAi(server: FakeEmbeddingsServer, waits: number[] = []) {
  return createOpenAiCompatibleEmbedder({
    baseUrl: "https://models.example/v1/",
    apiKey: "sk-secret",
    model,
    egress: server.egress,
    wait: async (delayMs) => {
      waits.push(delayMs);
    },
  });
}

function answering(...rows: { index: number; embedding: unknown }[]) {
  return () => Response.json({ data: rows });
}
const good = rawVector("x", 384);

describe("the OpenAI-compatible embedder", () => {
  it("posts to the base's /embeddings with the key and the model's name", async () => {
    const server = new FakeEmbeddingsServer(384);
    await openAi(server).embed(["hello"], "document");
    expect(server.requests[0]?.url).toBe("https://models.example/v1/embeddings");
    expect(server.requests[0]?.method).toBe("POST");
    expect(server.requests[0]?.headers.get("authorization")).toBe("Bearer sk-secret");
  });

  it("sends no authorization without a key", async () => {
    const server = new FakeEmbeddingsServer(384);
    await createOpenAiCompatibleEmbedder({
      baseUrl: "http://127.0.0.1:8080",
      model,
      egress: server.egress,
    }).embed(["hello"], "query");
    expect(server.requests[0]?.headers.has("authorization")).toBe(false);
  });

  it("reads base64 answers like lists of numbers", async () => {
    const server = new FakeEmbeddingsServer(384);
    const [listed] = await openAi(server).embed(["hello"], "document");
    server.encoding = "base64";
    const [encoded] = await openAi(server).embed(["hello"], "document");
    expect(encoded).toEqual(listed);
  });

  it.each([408, 429, 500, 503])("tries once more after status %i", async (status) => {
    const server = new FakeEmbeddingsServer(384);
    const waits: number[] = [];
    server.planned.push(() => new Response("busy", { status }));
    expect(await openAi(server, waits).embed(["hello"], "document")).toHaveLength(1);
    expect(waits).toHaveLength(1);
  });

  it.each([400, 401, 403, 404, 302])("refuses at once on status %i", async (status) => {
    const server = new FakeEmbeddingsServer(384);
    server.planned.push(() => new Response("no", { status }));
    await expect(openAi(server).embed(["hello"], "document")).rejects.toMatchObject({ fault: "refused" });
    expect(server.calls).toHaveLength(1);
  });

  it.each([
    ["too few answers", answering()],
    ["too many answers", answering({ index: 0, embedding: good }, { index: 1, embedding: good })],
    ["an index that was not asked", answering({ index: 3, embedding: good })],
    ["text that is not JSON", () => new Response("<html>")],
    ["a number out of range", () => new Response(`{"data":[{"index":0,"embedding":[1e999]}]}`)],
    ["null for a number", answering({ index: 0, embedding: good.map(() => null) })],
    ["base64 of not-a-number", answering({ index: 0, embedding: "AADAfw==".repeat(384) })],
    ["text that is not base64", answering({ index: 0, embedding: "***" })],
  ])("calls %s a transient fault after two attempts", async (_name, plan) => {
    const server = new FakeEmbeddingsServer(384);
    server.planned.push(plan, plan);
    await expect(openAi(server).embed(["hello"], "document")).rejects.toMatchObject({ fault: "transient" });
    expect(server.calls).toHaveLength(2);
  });

  it("refuses vectors of another dimension, naming both", async () => {
    const server = new FakeEmbeddingsServer(768);
    await expect(openAi(server).embed(["hello"], "document")).rejects.toMatchObject({
      fault: "refused",
      message: expect.stringMatching(/768.*384/),
    });
  });

  it("stops reading an endless answer", async () => {
    const server = new FakeEmbeddingsServer(384);
    const block = new Uint8Array(1_000_000).fill(32);
    let pulled = 0;
    const endless = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            pulled++;
            controller.enqueue(block);
          },
        }),
      );
    server.planned.push(endless);
    await expect(openAi(server).embed(["hello"], "document")).rejects.toMatchObject({ fault: "refused" });
    expect(pulled).toBeLessThan(25);
  });

  it("calls a broken connection transient and repeats neither the key nor the text in its message", async () => {
    const embedder = createOpenAiCompatibleEmbedder({
      baseUrl: "https://models.example/v1",
      apiKey: "sk-secret",
      model,
      egress: () => Promise.reject(new Error("connect failed with Bearer sk-secret and private words")),
      wait: async () => {},
    });
    const error: unknown = await embedder
      .embed(["private words"], "document")
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ fault: "transient" });
    expect(String(error)).not.toMatch(/sk-secret|private words/);
  });

  it.each(["", "models.example", "file:///etc/passwd", "javascript:alert(1)"])(
    "refuses the base address %j when it is made",
    (baseUrl) => {
      expect(() =>
        createOpenAiCompatibleEmbedder({ baseUrl, model, egress: new FakeEmbeddingsServer(384).egress }),
      ).toThrow(RangeError);
    },
  );
});

describe("the Workers AI embedder", () => {
  const create = (ai: FakeWorkersAi) => createWorkersAiEmbedder(ai, bge, async () => {});

  it("asks for at most 100 texts at a time and prefixes queries only", async () => {
    const ai = new FakeWorkersAi(384);
    await create(ai).embed(
      Array.from({ length: 201 }, (_, i) => `text ${i}`),
      "document",
    );
    expect(ai.calls.map((call) => call.length)).toEqual([100, 100, 1]);
    expect(ai.calls[2]).toEqual(["text 200"]);
    await create(ai).embed(["text"], "query");
    expect(ai.calls[3]).toEqual(["Represent this sentence for searching relevant passages: text"]);
  });

  it.each(["3040: Capacity temporarily exceeded", "3036: account limited", "InferenceUpstreamError: oops"])(
    "tries once more after %j",
    async (message) => {
      const ai = new FakeWorkersAi(384);
      ai.planned.push(() => Promise.reject(new Error(message)));
      expect(await create(ai).embed(["text"], "document")).toHaveLength(1);
      expect(ai.calls).toHaveLength(2);
    },
  );

  it.each(["5007: No such model @cf/x", "5004: Invalid data", "Binding AI needs to be run remotely"])(
    "refuses at once on %j",
    async (message) => {
      const ai = new FakeWorkersAi(384);
      ai.planned.push(() => Promise.reject(new Error(message)));
      await expect(create(ai).embed(["text"], "document")).rejects.toMatchObject({ fault: "refused" });
      expect(ai.calls).toHaveLength(1);
    },
  );

  it.each([
    ["nothing", undefined],
    ["no data", { shape: [1, 384] }],
    ["too few vectors", { data: [] }],
    ["not-a-number", { data: [good.map(() => Number.NaN)] }],
  ])("calls an answer of %s transient after two attempts", async (_name, answer) => {
    const ai = new FakeWorkersAi(384);
    ai.planned.push(
      () => answer,
      () => answer,
    );
    await expect(create(ai).embed(["text"], "document")).rejects.toMatchObject({ fault: "transient" });
    expect(ai.calls).toHaveLength(2);
  });

  it("refuses vectors of another dimension", async () => {
    await expect(create(new FakeWorkersAi(768)).embed(["text"], "document")).rejects.toMatchObject({
      fault: "refused",
    });
  });
});
