import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText, normalised } from "../../../src/platform/text";

const SRC = resolve(import.meta.dirname, "../../../src");

describe("clean text", () => {
  it("is well-formed and NUL-free, and stays as it is when it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const cleaned = cleanText(text);
        expect(cleaned.isWellFormed()).toBe(true);
        expect(cleaned).not.toContain("\0");
        if (text.isWellFormed() && !text.includes("\0")) expect(cleaned).toBe(text);
      }),
    );
  });
});

describe("a text of nothing but NULs", () => {
  it("does not become an empty one", () => {
    expect(cleanText("\0\0")).toBe("\ufffd");
  });
});

describe("normalised text", () => {
  it("equals what the platform normalises wherever no run of marks is endless", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(normalised(text, "NFKC")).toBe(text.normalize("NFKC"));
      }),
    );
  });

  it("keeps at most eight marks of a run, so that a long one cannot stall it", () => {
    const hostile = `a${"\u0323\u0301".repeat(50_000)}b`;
    expect(normalised(hostile, "NFD").length).toBeLessThan(20);
  });

  it("is made in one place", () => {
    const callers = readdirSync(SRC, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && file !== "platform/text.ts")
      .filter((file) => readFileSync(join(SRC, file), "utf8").includes(".normalize("));
    expect(callers).toEqual([]);
  });
});
