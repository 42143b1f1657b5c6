/** What a rule's text owes to a user. */
import { describe, expect, it } from "vitest";
import { owesNothingTo } from "../../../src/erasure/owing";

const owesNothing = (text: string, users: string[], rest: string[]) => owesNothingTo(text, users)(rest);

describe("a rule's text", () => {
  it("owes nothing to a user whose words others taught as well", () => {
    const words = "Open a pull request before merging.";
    expect(owesNothing(words, [words], [words])).toBe(true);
  });

  it("owes nothing to a user for words that are a reviewer's own", () => {
    expect(
      owesNothing("Open a pull request. Reviewers insist.", ["Open a pull request"], ["open a pull request"]),
    ).toBe(true);
  });

  it("owes a word that only the user used, in whatever case and form it is written", () => {
    for (const word of ["Bluebird", "BLUEBIRD", "ｂｌｕｅｂｉｒｄ", "bluebird's"]) {
      expect(owesNothing(`Ask ${word} first`, ["the bluebird project"], ["Ask first"]), word).toBe(false);
    }
    expect(owesNothing("Ask 4711 first", ["room 4711"], ["Ask first"])).toBe(false);
  });

  it("owes nothing for words that everybody uses", () => {
    expect(owesNothing("Do it at once", ["at once, please"], ["do it"])).toBe(true);
  });

  it("owes five words in a row, though others used each of them", () => {
    const rest = ["red blue", "green yellow", "black white"];
    expect(owesNothing("red blue green yellow black", ["red blue green yellow black white"], rest)).toBe(
      false,
    );
    expect(owesNothing("red blue green yellow", ["red blue green yellow black"], rest)).toBe(true);
  });

  it("owes everything where nobody else taught anything", () => {
    expect(owesNothing("Ask first", ["Ask first"], [])).toBe(false);
  });
});
