import { describe, expect, it } from "vitest";
import { visible } from "../../../src/dashboard/visible";

describe("text on a page", () => {
  it.each([
    ["a right-to-left override", "a\u202eb", "a⟦U+202E⟧b"],
    ["a zero-width space", "a\u200bb", "a⟦U+200B⟧b"],
    ["a tag character", "a\u{e0041}", "a⟦U+E0041⟧"],
    ["a variation selector that carries data", "a\u{e0100}", "a⟦U+E0100⟧"],
    ["a filler that looks like a space", "a\u3164b", "a⟦U+3164⟧b"],
    ["a line separator", "a\u2028b", "a⟦U+2028⟧b"],
    ["an escape", "a\u001b[31m", "a⟦U+001B⟧[31m"],
  ])("names %s", (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it("leaves lines, tabs, accents, emoji and other scripts alone", () => {
    const text = "é\tдля\n部署 ❤️";
    expect(visible(text)).toBe(text);
    expect(visible("a\r\nb")).toBe("a\nb");
  });

  it("is cut where it would break the page, and says how long it is", () => {
    expect(visible("x".repeat(1_000_000))).toMatch(/^x{4000}… \(1000000 characters\)$/);
    expect(visible(`${"x".repeat(3999)}😀`).isWellFormed()).toBe(true);
  });
});
