/** "Did you mean": what is near enough, and how little work it takes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { didYouMean, editDistance, suggest } from "../../../../src/documents/text/suggest";

describe("a suggestion", () => {
  it.each([
    ["dnoe", ["draft", "gate", "done"], "done"],
    ["maxLLMCostCents", ["maxLlmCostCents", "maxRunDurationSeconds"], "maxLlmCostCents"],
    ["Done", ["done"], "done"],
    ["timout", ["onTimeout", "timeout"], "timeout"],
    ["operater", ["operator"], "operator"],
    ["requiresApproval", ["requiresApprovalFor"], "requiresApprovalFor"],
    ["a", ["b", "c"], "b"],
    ["gates", ["gate", "gated"], "gate"],
    ["constructor", ["toString"], null],
    ["zzz", ["draft", "gate", "done"], null],
    ["ab", ["xy"], null],
    ["abcdefghijkl", ["abcdefghXXXX"], null],
    ["", ["a"], null],
    ["x", [], null],
  ])("for %j among %j is %j", (written, candidates, expected) => {
    expect(suggest(written, candidates)).toBe(expected);
  });

  it("is never the word itself", () => {
    expect(suggest("done", ["done", "dome"])).toBe("dome");
    expect(suggest("done", ["done"])).toBeNull();
  });

  it("reads as a question, or is nothing", () => {
    expect(didYouMean("dnoe", ["done"])).toBe('did you mean "done"?');
    expect(didYouMean("zzz", ["done"])).toBeUndefined();
  });

  it("looks at a bounded part of what it is given", () => {
    let taken = 0;
    function* endless() {
      for (;;) {
        taken++;
        yield `candidate-${taken}`;
      }
    }
    expect(suggest("nothing like it", endless())).toBeNull();
    expect(taken).toBeLessThanOrEqual(1001);
    expect(suggest("x".repeat(65), ["x".repeat(64)])).toBeNull();
    expect(suggest("x".repeat(64), ["x".repeat(65), "x".repeat(63)])).toBe("x".repeat(63));
  });
});

describe("the distance", () => {
  /** The whole table, from the definition. */
  const plain = (a: string, b: string): number => {
    const table: number[][] = Array.from({ length: a.length + 1 }, () => Array<number>(b.length + 1).fill(0));
    const cell = (row: number, column: number): number => table[row]?.[column] ?? 0;
    for (let row = 0; row <= a.length; row++) {
      for (let column = 0; column <= b.length; column++) {
        const options = [row === 0 ? column : column === 0 ? row : 1000];
        if (row > 0 && column > 0) {
          options.push(cell(row - 1, column) + 1, cell(row, column - 1) + 1);
          options.push(cell(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1));
          const swapped =
            row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
          if (swapped) options.push(cell(row - 2, column - 2) + 1);
        }
        (table[row] ?? [])[column] = Math.min(...options);
      }
    }
    return cell(a.length, b.length);
  };

  it("is the one of the definition as far as the limit, and null beyond", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 9 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 4 }), (a, b, limit) => {
        const distance = plain(a, b);
        expect(editDistance(a, b, limit)).toBe(distance <= limit ? distance : null);
      }),
      { numRuns: 2000 },
    );
  });
});
