import { describe, expect, it } from "vitest";
import { rulesOf } from "./turns";

const contentsOf = (...lines: string[]): string =>
  rulesOf(...lines)
    .map((rule) => rule.content)
    .join("\n");

describe("a conversation under way", () => {
  it("takes an order that follows a complaint about the agent's answer for a rule", () => {
    const lines = [
      "When do the tiles arrive?",
      "A: Soon.",
      "That's not an answer. Tell me the day they arrive.",
    ];
    expect(contentsOf(...lines)).toMatch(/tell the user the day/i);
  });

  it("leaves the same order alone where nothing is wrong with the answer", () => {
    expect(rulesOf("Did the tiles ship?", "A: They did.", "Great. Tell me the day they arrive.")).toEqual([]);
  });

  it("reads a reproach as what to do the next time", () => {
    const contents = contentsOf(
      "Please tidy the shared folder.",
      "A: I deleted the old scans.",
      "You should have asked me first, two of those were contracts.",
    );
    expect(contents).toMatch(/ask the user first/i);
  });

  it("keeps a wish for a form when the user gives a lasting reason", () => {
    const contents = contentsOf(
      "I need last year's statements.",
      "A: Here they are.",
      "Could I have the statements in Polish? My accountant doesn't read German.",
    );
    expect(contents).toMatch(/in polish/i);
  });

  it("makes no rule of one errand after another", () => {
    const lines = [
      "Find me a train to Bath.",
      "A: There is one at 9:40.",
      "Book it please.",
      "A: Booked.",
      "Put milk on the list too.",
      "A: Added.",
      "That's terrible. Tell me another.",
    ];
    expect(rulesOf(...lines)).toEqual([]);
  });
});

describe("occasions", () => {
  it("leaves the rejected alternative out of the occasion", () => {
    const [rule] = rulesOf("From now on always give distances in miles when you plan hikes, not kilometres.");
    expect(rule?.trigger).not.toMatch(/kilomet/i);
  });

  it("keeps like wishes for different jobs apart", () => {
    const rules = rulesOf(
      "From now on always mention the code word falcon1 when writing release notes.",
      "A: Noted.",
      "From now on always mention the code word falcon2 when planning a sprint.",
    );
    expect(rules).toHaveLength(2);
  });

  it("keeps a limit that is put on 'it'", () => {
    expect(contentsOf("From now on keep it under 100 words when writing summaries.")).toMatch(/100 words/);
  });
});
