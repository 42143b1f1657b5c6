/** Traces and values against what is expected of them. */
import { describe, expect, it } from "vitest";
import {
  findForbidden,
  firstDivergence,
  matchEntry,
  matchExactly,
  matchInOrder,
} from "../../../../src/documents/conformance/match-trace";
import { matchText, matchValue, NO_BINDINGS } from "../../../../src/documents/conformance/placeholders";

const EVENTS = ["run.created", "step.entered:a", "gate.opened:gate:a", "step.entered:b", "run.completed"];
/** A placeholder, and an expression of a document. */
const id = (number: number): string => `\${G${number}}`;
const EXPRESSION = `\${{ config.key }}`;
const matches = (entry: string, event: string) => matchEntry(entry, event, NO_BINDINGS) !== null;

describe("matchEntry", () => {
  it("takes an entry without a subject for any subject of that type", () => {
    expect(matches("step.entered", "step.entered:a")).toBe(true);
    expect(matches("step.entered", "step.entered")).toBe(true);
    expect(matches("step.enter", "step.entered:a")).toBe(false);
    expect(matches("entered", "step.entered:a")).toBe(false);
  });

  it("takes a subject literally, brackets and dots included", () => {
    expect(matches("step.entered:a[1]", "step.entered:a[1]")).toBe(true);
    expect(matches("step.entered:a[1]", "step.entered:a1")).toBe(false);
    expect(matches("step.entered:a", "stepXentered:a")).toBe(false);
    expect(matches("step.entered:a", "step.entered:ab")).toBe(false);
  });

  it("takes `*` for any run of characters, in types and in subjects", () => {
    expect(matches("step.*", "step.failed:a")).toBe(true);
    expect(matches("step.*:a[*]", "step.failed:a[12]")).toBe(true);
    expect(matches("*>done", "edge.taken:a>done")).toBe(true);
    expect(matches("step.*:b", "step.failed:a")).toBe(false);
  });
});

describe("matchInOrder", () => {
  const failure = (entries: string[]): string | null => {
    const result = matchInOrder(entries, EVENTS, NO_BINDINGS);
    return result.ok ? null : result.message;
  };

  it("wants every entry, in order, whatever lies between", () => {
    expect(failure(["run.created", "step.entered:b", "run.completed"])).toBeNull();
    expect(failure([])).toBeNull();
    expect(failure(["step.entered:b", "step.entered:a"])).toContain(
      "expected step.entered:a after step.entered:b",
    );
    expect(failure(["step.entered:a", "step.entered:a"])).toContain("not seen");
  });

  it("names the entry that is missing and shows where it was looked for", () => {
    const message = failure(["step.entered:a", "step.failed:a"]);
    expect(message).toContain("expected step.failed:a after step.entered:a (event 2), not seen");
    expect(message).toContain("> 3 gate.opened:gate:a");
  });

  it("looks on when a placeholder stood for the wrong id first", () => {
    const events = ["llm.usage:x1", "llm.usage:x2", "step.entered:x2"];
    const result = matchInOrder([`llm.usage:${id(1)}`, `step.entered:${id(1)}`], events, NO_BINDINGS);
    expect(result.ok && result.bindings.get("G1")).toBe("x2");
  });
});

describe("matchExactly", () => {
  const failure = (entries: string[]): string | null => {
    const result = matchExactly(entries, EVENTS, NO_BINDINGS);
    return result.ok ? null : result.message;
  };

  it("wants one entry for each event", () => {
    expect(failure(["run.created", "step.entered", "gate.*", "*:b", "run.completed"])).toBeNull();
  });

  it("notices a missing, an additional and another event, with its place", () => {
    expect(failure(EVENTS.slice(0, 4))).toContain("expected the end as event 5, seen run.completed");
    expect(failure([...EVENTS, "late_result"])).toContain("expected late_result as event 6, seen the end");
    expect(failure(["run.created", "step.entered:b"])).toContain("expected step.entered:b as event 2");
  });
});

describe("findForbidden", () => {
  it("finds what must never be there", () => {
    expect(findForbidden(["run.failed", "step.entered:c"], EVENTS, NO_BINDINGS)).toBeNull();
    expect(findForbidden(["run.failed", "gate.opened"], EVENTS, NO_BINDINGS)).toContain(
      "gate.opened must never be seen, but is event 3",
    );
  });
});

describe("firstDivergence", () => {
  it("tells where two traces part, also by their ends", () => {
    expect(firstDivergence(EVENTS, [...EVENTS])).toBeNull();
    expect(firstDivergence(EVENTS, EVENTS.slice(0, 4))).toContain(
      "event 5: expected run.completed, seen (end)",
    );
    expect(firstDivergence(EVENTS.slice(0, 4), EVENTS)).toContain(
      "event 5: expected (end), seen run.completed",
    );
  });
});

describe("values", () => {
  it("compares as JSON: numbers by value, members in any order, nothing coerced", () => {
    const equal = (wanted: unknown, seen: unknown) =>
      matchValue(JSON.parse(JSON.stringify(wanted)), JSON.parse(JSON.stringify(seen)), NO_BINDINGS) !== null;
    expect(equal({ a: 150.0, b: [1, null] }, { b: [1, null], a: 150 })).toBe(true);
    expect(equal(150, "150")).toBe(false);
    expect(equal(null, false)).toBe(false);
    expect(equal({}, [])).toBe(false);
    expect(equal({ a: 1 }, { a: 1, b: 2 })).toBe(false);
    expect(equal({ a: 1, b: 2 }, { a: 1, c: 2 })).toBe(false);
    expect(equal([1, 2], [2, 1])).toBe(false);
    expect(equal("*", "anything")).toBe(false);
  });

  it("tells a missing value from null", () => {
    expect(matchValue(null, undefined, NO_BINDINGS)).toBeNull();
    expect(matchValue(null, null, NO_BINDINGS)).not.toBeNull();
  });

  it("binds a placeholder once and holds it everywhere", () => {
    const wanted = { run: id(1), link: `/runs/${id(1)}/x`, other: id(2) };
    expect(matchValue(wanted, { run: "r7", link: "/runs/r7/x", other: "r7" }, NO_BINDINGS)).toEqual(
      new Map([
        ["G1", "r7"],
        ["G2", "r7"],
      ]),
    );
    expect(matchValue(wanted, { run: "r7", link: "/runs/r8/x", other: "r9" }, NO_BINDINGS)).toBeNull();
    expect(matchText(`${id(1)}-${id(1)}`, "a-a", NO_BINDINGS)).not.toBeNull();
    expect(matchText(`${id(1)}-${id(1)}`, "a-b", NO_BINDINGS)).toBeNull();
  });

  it("does not take a document's own expressions for placeholders", () => {
    expect(matchText(EXPRESSION, EXPRESSION, NO_BINDINGS)).toBe(NO_BINDINGS);
    expect(matchText(EXPRESSION, "anything", NO_BINDINGS)).toBeNull();
  });
});
