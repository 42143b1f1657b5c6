/** What is said about an expression before it ever runs. */
import { describe, expect, it } from "vitest";
import {
  compileExpression,
  type ExpressionOptions,
  type ExpressionPosition,
  isItemName,
} from "../../../../src/documents/expressions";

const faultsOf = (
  source: string,
  position: ExpressionPosition = "value",
  options: ExpressionOptions = {},
) => {
  const compiled = compileExpression(source, position, options);
  return compiled.ok ? [] : compiled.faults;
};
const codesOf = (...given: Parameters<typeof faultsOf>) =>
  faultsOf(...given).map(({ code, offset }) => `${code}@${offset}`);

describe("X601 expr_syntax", () => {
  it.each([
    "a >>",
    "",
    "  ",
    "trigger.",
    "trigger..a",
    "(trigger",
    "[1, 2",
    '"open',
    "trigger.a b",
    "1 +",
    "if",
    "a.b{}",
  ])("refuses %j", (source) => {
    expect(faultsOf(source)).toHaveLength(1);
    expect(codesOf(source)[0]).toMatch(/^X60[12]/);
  });

  it("names what is wrong with the types, and how to convert", () => {
    expect(faultsOf('"a" + 1')).toEqual([
      {
        code: "X601",
        message: "no such overload: string + int.",
        hint: "Nothing is converted by itself: use string(), int(), double() or dyn().",
        offset: 0,
      },
    ]);
    expect(codesOf('trigger.a ? 1 : "a"')).toEqual(["X601@0"]);
    expect(codesOf("1 == 1.0")).toEqual(["X601@0"]);
    expect(codesOf('has(trigger["m"])')).toEqual(["X601@4"]);
  });

  it("names unknown functions, the guards' own ones included", () => {
    expect(faultsOf("trigger.a.containz(1)")).toMatchObject([
      { code: "X601", hint: 'Did you mean "contains"?' },
    ]);
    for (const source of ["foo(1)", "__checked(trigger)", "__key(trigger)", 'bytes("a")', "eval(trigger.a)"])
      expect(codesOf(source)).toEqual(["X601@0"]);
  });

  it("refuses what JSON cannot hold", () => {
    for (const source of ['b"abc"', "type(1)", "int", 'duration("1h")'])
      expect(codesOf(source)).toEqual(["X601@0"]);
    expect(codesOf("{1: 2}")).toEqual(["X601@1"]);
    expect(codesOf('{"a": 1, "a": 2}')).toEqual(["X601@9"]);
    expect(codesOf('{"__proto__": 1, "constructor": 2}')).toEqual(["X601@1", "X601@17"]);
    expect(faultsOf("trigger.?a")).toMatchObject([
      { code: "X601", hint: expect.stringContaining(".orValue(") },
    ]);
  });

  it("refuses variables that hide the guards", () => {
    expect(codesOf("trigger.a.map(__e, 1)")).toEqual(["X601@0"]);
    expect(codesOf("cel.bind(__e, 1, 2)")).toEqual(["X601@0"]);
  });

  it("refuses half a character", () => {
    expect(codesOf('"\ud800"')).toEqual(["X601@undefined"]);
  });
});

describe("X602 expr_unknown_root", () => {
  it("names the root, where it stands, and what is near", () => {
    expect(faultsOf('env.KEY == ""', "boolean")).toEqual([
      {
        code: "X602",
        message: 'There is no "env".',
        hint: "Known are trigger, steps, config, run, signals, item, index.",
        offset: 0,
      },
    ]);
    expect(faultsOf("1 < triger.amount")).toMatchObject([
      { code: "X602", offset: 4, hint: 'Did you mean "trigger"?' },
    ]);
  });

  it("reports every one of them", () => {
    expect(codesOf("foo.a && bar.b", "boolean")).toEqual(["X602@0", "X602@9"]);
  });

  it("knows the variables of comprehensions where they hold, and nowhere else", () => {
    expect(codesOf("trigger.list.map(x, x + 1)")).toEqual([]);
    expect(codesOf("trigger.list.map(x, x).size() + x")).toEqual(["X602@32"]);
    expect(codesOf("cel.bind(y, 1, y) + y")).toEqual(["X602@20"]);
  });

  it("says how a step with a hyphen is written", () => {
    expect(faultsOf("steps.send-mail.output")).toMatchObject([
      { code: "X602", hint: 'Write steps["send-mail"].' },
    ]);
    expect(codesOf("steps.a.output - trigger.b")).toEqual([]);
  });
});

describe("X603, X609: the place", () => {
  it("wants true or false of a decision", () => {
    for (const source of ["1 + 2", '"a"', "[true]", "{}", "null", "size(trigger)", "trigger.?a"])
      expect(codesOf(source, "boolean")).toEqual(["X603@0"]);
    for (const source of ["true", "trigger.a", "trigger.a > 1", "has(trigger.a)", "!trigger.a"])
      expect(codesOf(source, "boolean")).toEqual([]);
  });

  it("wants a list of a map's items", () => {
    for (const source of ["1", '"a"', '{"a": 1}', "true", "null"])
      expect(codesOf(source, "list")).toEqual(["X609@0"]);
    for (const source of [
      "[]",
      "[1, 2]",
      "trigger.items",
      "trigger.items.filter(x, x > 1)",
      '"a,b".split(",")',
    ])
      expect(codesOf(source, "list")).toEqual([]);
  });

  it("wants an instant of until", () => {
    for (const source of ["1", "[]", "true"]) expect(codesOf(source, "instant")).toEqual(["X601@0"]);
    for (const source of ["trigger.at", '"2026-01-01T00:00:00Z"', "timestamp(trigger.at)"])
      expect(codesOf(source, "instant")).toEqual([]);
  });
});

describe("X607 expr_limit", () => {
  it.each([
    ["nested parentheses", `${"(".repeat(70)}1${")".repeat(70)}`],
    ["a row of !", `${"!".repeat(5000)}true`],
    ["a row of - and spaces", `${"- ".repeat(2000)}1`],
    ["a long sum", `1${" + 1".repeat(70)}`],
    ["a long path", `trigger${".a".repeat(70)}`],
    ["nested lists", `${"[".repeat(100)}${"]".repeat(100)}`],
    ["many nodes", `[${"1,".repeat(2100)}1]`],
    ["a long text", `"${"a".repeat(9000)}"`],
    ["three comprehensions in each other", "trigger.a.map(x, [1].map(y, [2].map(z, z)))"],
  ])("refuses %s", (_, source) => {
    expect(faultsOf(source).map(({ code }) => code)).toEqual(["X607"]);
  });

  it("lets a long row of && pass, and comprehensions one after the other", () => {
    expect(codesOf(`true${" && true".repeat(300)}`, "boolean")).toEqual([]);
    expect(codesOf("trigger.a.filter(x, x > 1).map(y, y).filter(z, [z].exists(w, w > 2))")).toEqual([]);
  });
});

describe("X608 expr_regex", () => {
  it("refuses what RE2 has not, and patterns that are data", () => {
    for (const source of [
      'trigger.a.matches("(?=a)b")',
      'trigger.a.matches("(a)\\\\1")',
      'trigger.a.matches("(?<!a)b")',
      'trigger.a.matches("[")',
    ])
      expect(codesOf(source)).toEqual(["X608@18"]);
    expect(codesOf("trigger.a.matches(trigger.pattern)")).toEqual(["X608@0"]);
    expect(codesOf('trigger.a.matches("a" + "b")')).toEqual(["X608@0"]);
    expect(codesOf('trigger.a.matches("(a{30}){40}")')).toEqual(["X608@18"]);
  });

  it("lets RE2's own patterns pass", () => {
    expect(codesOf('trigger.a.matches("^(a+)+$") || trigger.a.matches(r"\\d{4}-\\d{2}")', "boolean")).toEqual(
      [],
    );
  });
});

describe("X611 item_outside_map", () => {
  it("knows item and index inside of a map alone", () => {
    expect(codesOf("item.a + index")).toEqual(["X611@0", "X611@9"]);
    expect(codesOf("item.a + index", "value", { itemName: "item" })).toEqual([]);
  });

  it("treats a map's own name as it treats item, and item as gone", () => {
    expect(codesOf("order.a + index", "value", { itemName: "order" })).toEqual([]);
    expect(faultsOf("item.a", "value", { itemName: "order" })).toMatchObject([
      { code: "X611", hint: "This map names its element order." },
    ]);
    expect(codesOf("order.a")).toEqual(["X602@0"]);
  });

  it("says which names a map may give", () => {
    for (const name of ["item", "order", "lineItem2"]) expect(isItemName(name)).toBe(true);
    for (const name of [
      "trigger",
      "index",
      "Order",
      "2a",
      "a-b",
      "",
      "__e",
      "list",
      "true",
      "in",
      "for",
      "constructor",
      "type",
    ])
      expect(isItemName(name)).toBe(false);
  });
});

describe("X612 secret_in_expr", () => {
  it("is not X602", () => {
    expect(codesOf("secrets.STRIPE_KEY")).toEqual(["X612@0"]);
    expect(codesOf('{"$secret": "STRIPE_KEY"}')).toEqual(["X612@1"]);
    expect(codesOf('trigger["$secret"]')).toEqual(["X612@8"]);
  });
});

describe("the normal form", () => {
  const normalized = (source: string) => {
    const compiled = compileExpression(source, "value");
    return compiled.ok ? compiled.expression.normalized : null;
  };

  it("is one for expressions that differ in writing alone", () => {
    const form = normalized('trigger.a == "b" && (1 + 2) * 3 > trigger.c');
    expect(normalized("trigger.a=='b'&&((1+2)*3)>(trigger . c) // why")).toBe(form);
    expect(normalized('trigger.a == "b" && 1 + 2 * 3 > trigger.c')).not.toBe(form);
  });
});
