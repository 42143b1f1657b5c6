import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markFinder } from "../../../src/playbooks/evidence-marks";

const marked = (content: string, span: string | null): string[] =>
  markFinder()(content, span).map(([start, end]) => content.slice(start, end));

describe("the marks of a turn", () => {
  it("are where the quotation stands, each time it does", () => {
    const content = "Use tabs. I said it: use tabs. Use tabs.";
    expect(markFinder()(content, "Use tabs.")).toEqual([
      [0, 9],
      [31, 40],
    ]);
  });

  it("are none where the turn does not hold the quotation, or there is none", () => {
    expect(marked("Use spaces.", "Use tabs.")).toEqual([]);
    expect(marked("Use spaces.", null)).toEqual([]);
    expect(marked("Use spaces.", "  \n\n  ")).toEqual([]);
    expect(marked("", "Use tabs.")).toEqual([]);
    expect(marked("--- ---", "---")).toEqual([]);
  });

  it("are counted in UTF-16 units, whatever stands before them", () => {
    const content = "👩‍🚀🎉 Ja! Bitte immer „duzen“.";
    const [mark] = markFinder()(content, "Bitte immer");
    expect(mark).toEqual([content.indexOf("Bitte"), content.indexOf("Bitte") + 11]);
  });

  it.each([
    ["other quotation marks and dashes", "Say “no” – never ‘nope’.", `Say "no" - never 'nope'.`],
    ["other white space", "Say\u00a0no,\r\n   please.", "Say no, please."],
    ["an ellipsis in either form", "Wait … then go.", "Wait ... then go."],
    ["letters with marks in either form", "Ein Cafe\u0301 bitte.", "Ein Café bitte."],
    ["invisible characters", "Ta\u200bbs, pl\u00adease.", "Tabs, please."],
    ["full-width letters", "Ｕｓｅ tabs.", "Use tabs."],
  ])("forgive %s and cover the turn's own form", (_, content, span) => {
    expect(marked(content, span)).toEqual([content]);
    expect(marked(`Well: ${content} Yes?`, span)).toEqual([content]);
  });

  it("do not forgive another case, word or sign", () => {
    expect(marked("use tabs.", "Use tabs.")).toEqual([]);
    expect(marked("Use no tabs.", "Use tabs.")).toEqual([]);
    expect(marked("Use tabs!", "Use tabs.")).toEqual([]);
  });

  it("of several cited texts are each in the turn that has it", () => {
    const span = "Name the branch.\n\nNot that one.";
    expect(marked("Name the branch. OK?", span)).toEqual(["Name the branch."]);
    expect(marked("Not that one.", span)).toEqual(["Not that one."]);
  });

  it("of a quotation with blank lines of its own are one", () => {
    const content = "First this.\n\nThen that.\n \nDone.";
    expect(marked(content, "First this.\n\nThen that.")).toEqual(["First this.\n\nThen that."]);
  });

  it("never begin or end inside a word, nor before the mark of a letter", () => {
    expect(marked("Now I know nothing; no.", "no")).toEqual(["no"]);
    expect(marked("cafe\u0301", "cafe")).toEqual([]);
  });

  it("end where the shown turn was cut inside the quotation", () => {
    const span = `${"Never send the offer before the manager has read it. ".repeat(3)}Ever.`;
    const shown = `OK. ${span.slice(0, 100)}`;
    expect(marked(shown, span)).toEqual([span.slice(0, 100)]);
    expect(marked(`${shown} else`, span)).toEqual([]);
  });

  it("are at most twenty, in linear time for hostile texts", () => {
    expect(marked("yes ".repeat(1000), "yes")).toHaveLength(1);
    expect(marked("yes, ".repeat(1000), "yes")).toHaveLength(20);
    expect(marked("\u0301".repeat(4000), "x\u0301".repeat(2000))).toEqual([]);
  });

  it("lie inside the turn, in order and apart", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.array(fc.string({ unit: "binary" })),
        (content, parts) => {
          const marks = markFinder()(content, [...parts, content.slice(1, 9)].join("\n\n"));
          let last = 0;
          for (const [start, end] of marks) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThan(start);
            last = end;
          }
          expect(last).toBeLessThanOrEqual(content.length);
        },
      ),
    );
  });

  it("find any line of words that was quoted from a turn", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 3, maxLength: 30 });
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), (all, left, right) => {
        const [from, to] = [left % all.length, right % all.length].sort((a, b) => a - b);
        const quote = all.slice(from, (to ?? 0) + 1).join(" ");
        expect(marked(all.join("  "), quote).join(" ").replaceAll("  ", " ")).toContain(quote);
      }),
    );
  });
});
