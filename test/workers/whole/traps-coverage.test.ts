/// <reference types="vite/types/importMeta.d.ts" />
/** Every trap of the specification (§16) has a test that is named for it, or a reason why it does not apply. */
import { expect, it } from "vitest";

const TRAPS = 75;

/** Traps of what is not here yet; the test that comes with it takes the number out of this list. */
const NOT_APPLYING: Readonly<Record<number, string>> = {
  14: "There is one extractor a user: that of profiles, which could fail beside it, comes later.",
  68: "Profiles, the only rows that expire, come later.",
  73: "Pending tool calls come with clarification, later.",
};

const sources = import.meta.glob<string>(["../../**/*.test.ts", "!./traps-coverage.test.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The numbers in the titles of tests: `trap 8: …`, `trap 1 and 2: …`, `… (trap 30)`. */
function namedIn(source: string): number[] {
  const titles = [
    ...source.matchAll(/(?:\b(?:it|test|describe)(?:\.\w+)?|\))\(\s*(["`])((?:\\.|(?!\1).)*)\1/gs),
  ];
  return titles.flatMap(([, , title = ""]) =>
    [...title.matchAll(/\btraps? (\d+(?:(?:, | and )\d+)*)/gi)].flatMap(([, numbers = ""]) =>
      numbers.split(/, | and /).map(Number),
    ),
  );
}

it("finds the traps that titles name, and none in what a test does or says beside them", () => {
  const source = `
    // trap 1
    it("trap 2: a thing", () => { expect("trap 3").toBe("trap 4"); });
    it.each([[1, "trap 5"]])("is each (trap 6)", () => {});
    describe("traps 7, 8 and 9", () => {});
    test.skipIf(isMissing)(
      "is long (trap 10)",
      () => {},
    );
    it(\`trap 11: \${name}\`, () => {});`;
  expect(namedIn(source).toSorted((a, b) => a - b)).toEqual([2, 6, 7, 8, 9, 10, 11]);
});

it("has a test for each trap that applies, and a reason for each that does not", () => {
  const named = new Set(Object.values(sources).flatMap(namedIn));
  const numbers = Array.from({ length: TRAPS }, (_, index) => index + 1);
  expect(numbers.filter((trap) => !named.has(trap) && NOT_APPLYING[trap] === undefined)).toEqual([]);
  expect(numbers.filter((trap) => named.has(trap) && NOT_APPLYING[trap] !== undefined)).toEqual([]);
  expect([...named].filter((trap) => trap < 1 || trap > TRAPS)).toEqual([]);
});
