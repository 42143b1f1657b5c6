/** Lexemes and word queries as text; the real index is asked in the workers project. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold } from "../../../src/search/fold";
import { orgToken, searchText, wordQuery } from "../../../src/search/words";

const anyText = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.string({ maxLength: 200 }));
const lexemesOf = (text: string): string[] =>
  searchText(text)
    .split(" ")
    .filter((lexeme) => lexeme !== "");
const quoted = (expression: string): string[] =>
  [...expression.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? "");

describe("folding", () => {
  it("is the same once or twice applied", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
    );
  });

  it("gives well-formed text without NUL", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(fold(text)).not.toMatch(/\p{Cs}|\0/u);
      }),
    );
  });

  it("ignores case, accents and typographic variants", () => {
    for (const [left, right] of [
      ["CAFÉ", "cafe\u0301"],
      ["don’t", "DON'T"],
      ["multi‑agent", "Multi-Agent"],
      ["Ｆｕｌｌ　Ｗｉｄｔｈ", "full width"],
      ["ΛΌΓΟΣ", "λόγος"],
      ["so\u00adft", "soft"],
    ] as const) {
      expect(fold(left)).toBe(fold(right));
    }
  });

  it("keeps marks that tell words apart", () => {
    for (const [left, right] of [
      ["が", "か"],
      ["हिन्दी", "हन्द"],
      ["ไม่", "ไม"],
    ] as const) {
      expect(fold(left)).not.toBe(fold(right));
    }
  });
});

describe("the search text of a row", () => {
  it("has only characters that the index keeps in a token", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const lexeme of lexemesOf(text)) expect(lexeme).toMatch(/^[\p{L}\p{N}\u{f0000}-\u{fffff}]+$/u);
      }),
    );
  });

  it("has a name whole and in parts, and a run without spaces in pairs", () => {
    expect(lexemesOf("multi-agent")).toHaveLength(4);
    expect(lexemesOf("部署服务")).toEqual(["部署", "署服", "服务", "务"]);
    expect(lexemesOf("Deployments deployed deploying")).toEqual(["deploy", "deploy", "deploy"]);
  });

  it("repeats no lexeme more than 16 times", () => {
    expect(lexemesOf("refund ".repeat(1000))).toHaveLength(16);
  });

  it("stays below what one database value may hold", () => {
    let text = "";
    for (let n = 0; text.length < 1_400_000; n += 1) text += `${n.toString(36)}字${n} `;
    expect(new TextEncoder().encode(searchText(text)).byteLength).toBeLessThan(1_000_001);
  });

  it("cuts runs of marks, which normalising would sort in quadratic time", () => {
    const length = 200_000;
    const work = (unit: string) => {
      const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
      return fold(text).length;
    };
    // Normalising a run of marks is quadratic; uncut, the first of these would run for a minute.
    expect(work("\u0323\u0301")).toBe(0);
    expect(work("\u0345\u0f71\u3099")).toBeLessThan(20);
    expect(work("\uff9e\u0301")).toBeLessThan(20);
  });
});

describe("a word query", () => {
  const token = orgToken("acme");

  it("finds every row that has one of its own words", () => {
    const word = fc.stringMatching(/^[a-z]{3,12}$/).filter((text) => wordQuery(text, token) !== null);
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 5 }), (wanted, others) => {
        const terms = quoted(wordQuery(wanted, token) ?? "");
        const lexemes = lexemesOf([...others, wanted.toUpperCase()].join(" "));
        expect(terms.slice(1).some((term) => lexemes.includes(term))).toBe(true);
      }),
    );
  });

  it("has nothing but quoted terms between its own operators, whatever is typed", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const expression = wordQuery(text, token);
        if (expression === null) return;
        expect(expression).toMatch(
          /^scope : "o[0-9a-f]+" AND search_text : \("[^"]+"(?: OR "[^"]+")*(?: OR "[^"]+" \*)?\)$/,
        );
      }),
    );
  });

  it("has at most 16 terms, the last word among them", () => {
    const words = Array.from({ length: 60 }, (_, n) => `term${"x".repeat(n % 7)}${n}`).join(" ");
    const terms = quoted(wordQuery(`${words} refunds`, token) ?? "").slice(1);
    expect(terms).toHaveLength(16);
    expect(terms.at(-1)).toBe("refund");
  });

  it("is null where nothing can be looked up", () => {
    for (const text of ["", " ", '"', "*", "(", "\0", "\ud800", "-- ++ ::"])
      expect(wordQuery(text, token)).toBeNull();
  });

  it("drops stop words unless nothing else remains", () => {
    expect(wordQuery("what is the refund", token)).toBe(
      `scope : "${token}" AND search_text : ("refund" OR "refund" *)`,
    );
    expect(quoted(wordQuery("what is", token) ?? "").slice(1)).toEqual(["what", "is"]);
  });

  it("drops one-letter parts of names and the tail of a run of pairs", () => {
    expect(quoted(wordQuery("GB/s", token) ?? "")).toHaveLength(3);
    expect(quoted(wordQuery("部署", token) ?? "").slice(1)).toEqual(["部署"]);
    expect(wordQuery("部", token)).toContain('"部" *');
  });
});

describe("an org's token", () => {
  it("is one token and another for every org", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        expect(orgToken(left)).toMatch(/^o[0-9a-f]*$/);
        expect(orgToken(left) === orgToken(right)).toBe(left === right);
      }),
    );
  });
});
