/** The bundled table inside workerd, read through the assets binding. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createEmbedder } from "../../../src/platform/embedder";
import { decodeHex } from "../../../src/platform/embedder/hex";
import { STATIC_TABLE_PATH } from "../../../src/platform/embedder/static";

describe("the static embedder in workerd", () => {
  it("loads its asset and puts a paraphrase nearer than another rule", async () => {
    const embedder = createEmbedder(
      { adapter: "static" },
      {
        loadTable: async () => {
          const response = await env.ASSETS.fetch(new URL(STATIC_TABLE_PATH, "https://assets.local"));
          if (!response.ok) throw new Error(`the asset answered ${response.status}`);
          return response.arrayBuffer();
        },
        egress: () => Promise.reject(new Error("the static embedder must not call out")),
      },
    );
    const [rule, same, other] = await embedder.embed(
      ["Keep paragraphs short", "Use brief paragraphs", "Offer a refund for late parcels"],
      "document",
    );
    const dot = (left: Float32Array = new Float32Array(), right: Float32Array = new Float32Array()) =>
      left.reduce((sum, value, i) => sum + value * (right[i] ?? 0), 0);
    expect(dot(rule, same)).toBeGreaterThan(embedder.model.clusteringSimilarity);
    expect(dot(rule, other)).toBeLessThan(embedder.model.retrievalSimilarity);
  });

  it("decodes hexadecimal text with the runtime's own decoder", () => {
    expect(decodeHex("00ff7F")).toEqual(Uint8Array.of(0, 255, 127));
  });
});
