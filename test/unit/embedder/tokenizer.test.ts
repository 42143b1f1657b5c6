/** The tokenizer agrees with the Python one and stays linear on hostile text. */
import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { basicTokens } from "../../../src/platform/embedder/static/normaliser";
import { parseStaticTable } from "../../../src/platform/embedder/static/table";
import { addWordPieces } from "../../../src/platform/embedder/static/wordpiece";
import fixture from "./fixtures/tokens.json" with { type: "json" };
import { tableOf } from "./support";

const TABLE = new URL("../../../assets/public/embeddings/static-v1.bin", import.meta.url);
const table = parseStaticTable(Uint8Array.from(await readFile(TABLE)).buffer);
const tokens = [...table.indexOf.keys()];

function tokensOf(text: string): (string | undefined)[] {
  const indexes: number[] = [];
  for (const word of basicTokens(text)) addWordPieces(word, table, indexes);
  return indexes.map((index) => tokens[index]);
}

describe("the WordPiece tokenizer", () => {
  it.each(fixture)("splits $text as the Python tokenizer does", ({ text, tokens: expected }) => {
    expect(tokensOf(text)).toEqual(expected);
  });

  it("finds the pieces of a word from left to right, the longest first", () => {
    const small = parseStaticTable(tableOf(["un", "unit", "##ed", "##s"], 4));
    const into: number[] = [];
    addWordPieces("united", small, into);
    expect(into).toEqual([1, 2]);
  });

  it("adds nothing for a word that cannot be covered to its end", () => {
    const small = parseStaticTable(tableOf(["un", "##ed"], 4));
    const into = [7];
    addWordPieces("unedx", small, into);
    expect(into).toEqual([7]);
  });

  it("never looks up more pieces than characters times the longest token", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "b", "é", "漢", "😀"), maxLength: 300 }), (word) => {
        let lookups = 0;
        const counting = new Map<string, number>([
          ["a", 0],
          ["##a", 1],
          ["##b", 2],
        ]);
        const get = counting.get.bind(counting);
        counting.get = (key) => {
          lookups++;
          return get(key);
        };
        addWordPieces(word, { indexOf: counting, longestToken: 3 }, []);
        expect(lookups).toBeLessThanOrEqual(3 * word.length);
      }),
    );
  });

  it("loses no character of a plain word", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{1,60}$/), (word) => {
        expect(tokensOf(word).join("").replaceAll("##", "")).toBe(word);
      }),
    );
  });
});
