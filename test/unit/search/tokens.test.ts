/** The token estimate: an upper one. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/search/tokens";

describe("the estimate", () => {
  it.each([
    // Text and the larger of the counts that two current byte-pair vocabularies (100,000 and 200,000 entries) give.
    ["Always confirm the order number before you issue a refund.", 11],
    ["xqzjkv bqwrtp zzkkqj", 14],
    ["kobazu mirelo tafigu", 10],
    ["0123456789abcdef0123456789ABCDEF", 16],
    ["先检查再部署服务", 10],
    ["Überprüfen Sie die Bestellnummer", 11],
    ["a b c d e f g h", 8],
    ["https://example.test/a?b=c&d=e#f", 14],
    ["if (a[i] !== b[j]) { return -1; }", 15],
    ["🙂🙂🙂", 9],
  ])("is not below what a tokenizer counts for %j", (text, counted) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(counted);
  });

  it("is at most about three times too high for English", () => {
    const text = "Always confirm the order number before you issue a refund.";
    expect(estimateTokens(text)).toBeLessThanOrEqual(33);
  });

  it("is never below a third of the words' letters, and never above the bytes by more than the seam", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const bytes = new TextEncoder().encode(text).byteLength;
        const letters = text.replace(/[^A-Za-z]/g, "").length;
        expect(estimateTokens(text)).toBeLessThanOrEqual(bytes + 1);
        expect(estimateTokens(text)).toBeGreaterThanOrEqual(letters / 3);
      }),
    );
  });

  it("never falls when text is put behind", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: "grapheme" }), (left, right) => {
        expect(estimateTokens(`${left}\n${right}`)).toBeGreaterThanOrEqual(estimateTokens(left));
      }),
    );
  });

  it("is nothing for nothing", () => {
    expect(estimateTokens("")).toBe(0);
  });
});
