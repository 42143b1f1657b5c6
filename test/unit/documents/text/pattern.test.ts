/** Patterns of users: RE2 alone, linear, and no larger than they look. */
import { describe, expect, it } from "vitest";
import { compilePattern } from "../../../../src/documents/text/pattern";

const compiled = (source: string) => {
  const result = compilePattern(source);
  if (!result.ok) throw new Error(result.message);
  return result.pattern;
};
const refusal = (source: string) => {
  const result = compilePattern(source);
  return result.ok ? null : result.message;
};

describe("a pattern", () => {
  it("is searched for anywhere in the text", () => {
    expect(compiled("b+").test("abbc")).toBe(true);
    expect(compiled("^b+").test("abbc")).toBe(false);
    expect(compiled("^\\p{L}{2}$").test("éa")).toBe(true);
  });

  it("takes linear time where JavaScript's engine takes exponential time", () => {
    expect(compiled("^(a+)+$").test(`${"a".repeat(50_000)}!`)).toBe(false);
    expect(compiled("^(a|a)*$").test(`${"a".repeat(50_000)}!`)).toBe(false);
  });

  it.each(["(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", "(a)\\1", "[", "(", "a**", "\\u00e9", "a{1001}"])(
    "is refused as %s",
    (source) => {
      expect(refusal(source)).toMatch(/no RE2 expression|counted repeats/);
    },
  );

  it("is refused when it is long", () => {
    expect(refusal("a".repeat(512))).toBeNull();
    expect(refusal("a".repeat(513))).toMatch(/more than 512 characters/);
  });
});

describe("the size of a pattern", () => {
  it.each([
    ["abc", 3],
    ["a{3}", 3],
    ["a{2,5}b", 6],
    ["a{2,}", 2],
    ["a{0}", 1],
    ["[a-z\\]]{4}", 4],
    ["[]a]{4}", 4],
    ["[^]a]{4}", 4],
    ["[[:alpha:]]{4}", 4],
    ["\\p{Greek}{4}", 4],
    ["\\x{10FFFF}{4}", 4],
    ["\\({4}", 4],
    ["(ab){3}", 9],
    ["((ab){3}c){2}", 22],
    ["a+b*c?", 6],
    ["a{x}", 4],
  ])("of %s is %i", (source, size) => {
    expect(compiled(source).size).toBe(size);
  });

  it.each([
    "a{999}a{999}",
    "((a{10}){10}){11}",
    "[ab]{600}[cd]{600}",
    "(a|b|c|d){300}",
    ".{0,1000}.{0,1000}",
  ])("of %s is too much", (source) => {
    expect(refusal(source)).toMatch(/counted repeats/);
  });
});
