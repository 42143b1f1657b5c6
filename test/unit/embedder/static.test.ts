/** The static embedder: loading, damage, and the quality that the product counts on. */
import { describe, expect, it } from "vitest";
import { STATIC_MODEL_NAME } from "../../../src/platform/embedder/models";
import { createStaticEmbedder, type TableSlot } from "../../../src/platform/embedder/static";
import { parseStaticTable } from "../../../src/platform/embedder/static/table";
import { tableOf } from "./support";

describe("the static embedder", () => {
  it("loads its table once", async () => {
    let loads = 0;
    const load = async () => {
      loads++;
      return tableOf(["red", "blue"], 128);
    };
    const slot: TableSlot = {};
    await createStaticEmbedder(load, slot).embed(["red"], "query");
    await createStaticEmbedder(load, slot).embed(["blue"], "query");
    expect(loads).toBe(1);
  });

  it("does not load for no texts", async () => {
    const embedder = createStaticEmbedder(() => Promise.reject(new Error("must not be called")));
    expect(await embedder.embed([], "query")).toEqual([]);
  });

  it("is not ready while its table cannot be loaded, and tries again at the next call", async () => {
    let broken = true;
    const embedder = createStaticEmbedder(async () => {
      if (broken) throw new Error("no such asset");
      return tableOf(["red"], 128);
    });
    await expect(embedder.embed(["red"], "query")).rejects.toMatchObject({ fault: "not_ready" });
    broken = false;
    expect((await embedder.embed(["red"], "query"))[0]?.[0]).toBe(1);
  });

  it("refuses a table of another dimension", async () => {
    const embedder = createStaticEmbedder(async () => tableOf(["red"], 64));
    await expect(embedder.embed(["red"], "query")).rejects.toMatchObject({
      fault: "not_ready",
      message: expect.stringContaining("64"),
    });
  });

  it("sums the vectors of a text's tokens", async () => {
    const embedder = createStaticEmbedder(async () => tableOf(["red", "blue"], 128));
    const [vector] = await embedder.embed(["Blue, red!"], "document");
    expect(vector?.[0]).toBeCloseTo(Math.SQRT1_2, 6);
    expect(vector?.[1]).toBeCloseTo(Math.SQRT1_2, 6);
  });

  it("gives the zero vector to a text without a known token", async () => {
    const embedder = createStaticEmbedder(async () => tableOf(["red"], 128));
    expect(await embedder.embed(["grün 漢字"], "document")).toEqual([new Float32Array(128)]);
  });

  it("carries a versioned name, since vectors of two tables must not be compared", () => {
    expect(createStaticEmbedder(async () => new ArrayBuffer(0)).model.name).toBe(STATIC_MODEL_NAME);
  });
});

describe("a damaged table", () => {
  const whole = tableOf(["red", "blue"], 8);
  it.each([
    ["an empty one", new ArrayBuffer(0)],
    ["one cut short", whole.slice(0, whole.byteLength - 1)],
    ["one with bytes after its end", new Uint8Array([...new Uint8Array(whole), 0]).buffer],
    [
      "one of another format",
      Uint8Array.from(new TextEncoder().encode("<!doctype html><title>not found</title>")).buffer,
    ],
    ["one with a token twice", tableOf(["red", "red"], 8)],
    ["one without tokens", tableOf([], 8)],
  ])("is refused: %s", (_name, buffer) => {
    expect(() => parseStaticTable(buffer)).toThrow(RangeError);
  });

  it("is refused when a scale is not a number", () => {
    const buffer = tableOf(["red"], 8);
    new DataView(buffer).setFloat32(20, Number.NaN, true);
    expect(() => parseStaticTable(buffer)).toThrow(/scale/);
  });
});
