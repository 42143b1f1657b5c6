/** What an expression yields: CEL's rules, on JSON's values. */
import { describe, expect, it } from "vitest";
import {
  compileExpression,
  type ExpressionPosition,
  type Scope,
} from "../../../../src/documents/expressions";

const scope: Scope = {
  trigger: {
    amount: 150,
    half: 1.5,
    text: "150",
    list: [1, 2, 3],
    mixed: [1, "a", null],
    nothing: null,
    map: { a: 1 },
    email: "ada@example.com",
    at: "2026-01-01T00:00:00Z",
    orders: [{ total: 1 }, { total: 2 }],
    words: ["a", "b"],
  },
  steps: { draft: { output: [5, 6], artifacts: [] }, "a-b": { output: 7 } },
  config: { limit: 100 },
  item: { id: "x" },
  index: 1,
};

function evaluate(source: string, position: ExpressionPosition = "value", given: Scope = scope) {
  const compiled = compileExpression(source, position, { itemName: "item" });
  if (!compiled.ok) throw new Error(`${source}: ${JSON.stringify(compiled.faults)}`);
  return compiled.expression.evaluate(given);
}
const valueIn = (source: string) => {
  const result = evaluate(source);
  return result.ok ? result.value : `error: ${result.message}`;
};

describe("numbers", () => {
  it.each([
    ["trigger.amount > 100", true],
    ["trigger.amount >= 150.0 && trigger.amount <= 150", true],
    ["150.0 > 100", true],
    ["trigger.amount * 2", 300],
    ["2 * trigger.amount - 1", 299],
    ["trigger.amount / 100", 1.5],
    ["trigger.amount % 7", 3],
    ["7 % trigger.half", 1],
    ["7 / 2", 3],
    ["7.0 / 2", 3.5],
    ["-trigger.amount + 1", -149],
    ["int(trigger.text) + 1", 151],
    ["int(trigger.half)", 1],
    ["double(trigger.text) + 0.5", 150.5],
    ["string(trigger.amount)", "150"],
    ["size(trigger.list) + 1", 4],
    ["index + 1", 2],
    ["trigger.amount == 150", true],
    ["dyn(1) == 1.0", true],
    ["0x1F", 31],
    ["1u", 1],
    ["-0.0", 0],
  ])("%s yields %j", (source, value) => {
    expect(valueIn(source)).toEqual(value);
  });

  it.each([
    ["trigger.text > 100", /no such overload/],
    ['"n: " + trigger.amount', /no such overload/],
    ["trigger.nothing > 1", /no such overload/],
    ["1 / 0", /division by zero/],
    ["trigger.amount / 0", /division by zero/],
    ["trigger.amount / 0.0", /no finite number/],
    ["trigger.amount % 0", /division by zero/],
    ['double("inf")', /no finite number/],
    ['double("nan") == 1.0', /no finite number/],
    ["9007199254740993", /too large for a JSON number/],
    ["9223372036854775807 + 1", /integer overflow/],
  ])("%s is an error, never a guess", (source, message) => {
    const result = evaluate(source);
    expect(result).toMatchObject({
      ok: false,
      code: "expression_error",
      message: expect.stringMatching(message),
    });
  });
});

describe("what is missing", () => {
  it.each([
    ["trigger.nope.x == 1", /No such key: nope/],
    ["trigger.nope", /No such key: nope/],
    ["trigger.list[7]", /out of bounds/],
    ["trigger.list[-1]", /out of bounds/],
    ["trigger.list[1.5]", /out of bounds/],
    ["has(trigger.nope.x)", /No such key: nope/],
    ["trigger.nope && true", /No such key: nope/],
    ["steps.later.output", /No such key: later/],
    ["signals.paid.amount", /No such key: paid/],
    ["run.id", /there is no run here/],
  ])("%s is an error", (source, message) => {
    expect(evaluate(source)).toMatchObject({ ok: false, message: expect.stringMatching(message) });
  });

  it.each([
    ["has(trigger.nope) && trigger.nope > 1", false],
    ["has(trigger.nothing)", true],
    ["trigger.?nope.orValue(2)", 2],
    ["trigger.list[?7].orValue(9)", 9],
    ["trigger.list[?1].orValue(9)", 2],
    ["optional.none().orValue(2)", 2],
    ['has(trigger["map"].a)', true],
    ["has(item.id) ? item.id : null", "x"],
    ["trigger.nope && false", false],
    ["false && trigger.nope", false],
    ["trigger.nope || true", true],
  ])("%s yields %j", (source, value) => {
    expect(valueIn(source)).toEqual(value);
  });

  it("may be asked of a step that did not run and of a signal that never came, however deep", () => {
    expect(valueIn("has(steps.later.output.ok)")).toBe(false);
    expect(valueIn("has(steps.later.output)")).toBe(false);
    expect(valueIn("has(steps.later)")).toBe(false);
    expect(valueIn("has(steps.draft.output)")).toBe(true);
    expect(valueIn('has(steps["a-b"].output) && steps["a-b"].output == 7')).toBe(true);
    expect(valueIn('has(steps["c-d"].output)')).toBe(false);
    expect(valueIn("has(signals.paid.amount)")).toBe(false);
    expect(valueIn('"later" in steps || "draft" in steps')).toBe(true);
  });

  it("finds no members that JavaScript's objects have by themselves", () => {
    for (const name of ["constructor", "toString", "hasOwnProperty", "valueOf"]) {
      expect(valueIn(`trigger.${name}`)).toBe(`error: No such key: ${name}`);
      expect(valueIn(`trigger["${name}"]`)).toBe(`error: No such key: ${name}`);
      expect(valueIn(`"${name}" in trigger`)).toBe(false);
      expect(valueIn(`has(trigger.${name})`)).toBe(false);
    }
    expect(valueIn('trigger["__proto__"]')).toBe("error: No such key: __proto__");
    expect(valueIn("trigger.text.length")).toBe("error: No such key: length");
  });

  it("reads such members as data when a payload has them", () => {
    const hostile: Scope = {
      trigger: JSON.parse(
        '{"inner": {"constructor": "x", "__proto__": {"a": 1}, "z": 1}, "list": [{"constructor": 1}]}',
      ),
    };
    const read = (source: string) => evaluate(source, "value", hostile);
    expect(read("trigger.inner.z")).toEqual({ ok: true, value: 1 });
    expect(read("trigger.inner.constructor")).toEqual({ ok: true, value: "x" });
    expect(read('trigger.inner["__proto__"].a')).toEqual({ ok: true, value: 1 });
    expect(read("trigger.list[0].constructor")).toEqual({ ok: true, value: 1 });
    const whole = read("trigger");
    expect(whole.ok && JSON.stringify(whole.value)).toBe(JSON.stringify(hostile.trigger));
    expect(({} as { a?: number }).a).toBeUndefined();
  });
});

describe("lists, maps and texts", () => {
  it.each([
    ["steps.draft.output[0]", 5],
    ["trigger.list[index]", 2],
    ["trigger.list[index + 1]", 3],
    ["trigger.list[size(trigger.list) - 1]", 3],
    ['"a" in trigger.mixed', true],
    ["null in trigger.mixed", true],
    ['"x" in trigger.list', false],
    ["2 in trigger.list", true],
    ['"a" in trigger.map', true],
    ['trigger.list == ["a"]', false],
    ["trigger.list == [1, 2, 3]", true],
    ['trigger.map == {"a": 1}', true],
    ["trigger.nothing == null", true],
    ["trigger.map == null", false],
    ["trigger.text == 150", false],
    ['trigger.list + ["a"]', [1, 2, 3, "a"]],
    ["trigger.list.map(x, x * 2)", [2, 4, 6]],
    ["trigger.list.map(x, x > 1, x * 10)", [20, 30]],
    ["trigger.orders.filter(o, o.total > 1)[0].total", 2],
    [
      'trigger.orders.map(o, {"total": o.total, "n": 1})',
      [
        { total: 1, n: 1 },
        { total: 2, n: 1 },
      ],
    ],
    ["trigger.list.all(x, x > 0) && trigger.list.exists(x, x == 2)", true],
    ['trigger.words.exists_one(w, w == "a")', true],
    ["trigger.map.map(key, key)", ["a"]],
    [
      '{"to": trigger.email, "n": 3, "deep": [{"a": null}]}',
      { to: "ada@example.com", n: 3, deep: [{ a: null }] },
    ],
    ['{trigger.text: "computed key"}', { "150": "computed key" }],
    ['trigger.words.join("-")', "a-b"],
    ['trigger.words.map(w, w + "!").join()', "a!b!"],
    ['"a,b".split(",")', ["a", "b"]],
    [
      'trigger.email.contains("@") && trigger.email.endsWith(".com") && trigger.email.startsWith("ada")',
      true,
    ],
    ['trigger.email.matches("^[a-z]+@")', true],
    ['"Ada".lowerAscii() + "Ada".upperAscii()', "adaADA"],
    ['" a ".trim()', "a"],
    ['"abc".substring(1, 2) + "abc".substring(2)', "bc"],
    ['"abcb".indexOf("b") + "abcb".lastIndexOf("b")', 4],
    ['size("é😀")', 2],
    ['trigger.amount > 100 ? "high" : "low"', "high"],
    ["trigger.amount == 150 ? has(trigger.map) ? 1 : 2 : 3", 1],
    ["cel.bind(total, trigger.amount * 2, total + total)", 600],
    ["type(trigger.amount) == double && type(trigger.text) == string", true],
    ["!(trigger.amount > 1)", false],
  ])("%s yields %j", (source, value) => {
    expect(valueIn(source)).toEqual(value);
  });

  it.each([
    ["{trigger.amount: 1}", /key of a map must be a string/],
    ['{"proto" + "type": 1}', /"prototype" cannot be the key/],
    ['trigger.mixed.join(",")', /join\(\) needs a list of strings/],
    ["trigger.amount.map(x, x)", /only a list or a map/],
    ['trigger.amount.matches("a")', /matches\(\) needs a string/],
  ])("%s is an error", (source, message) => {
    expect(evaluate(source)).toMatchObject({ ok: false, message: expect.stringMatching(message) });
  });

  it("shares nothing with the scope", () => {
    const given = { trigger: { list: [{ a: 1 }] } };
    const result = evaluate("trigger.list", "value", given);
    if (result.ok && Array.isArray(result.value)) result.value.push("changed");
    expect(given).toEqual({ trigger: { list: [{ a: 1 }] } });
  });
});

describe("time", () => {
  it.each([
    ["timestamp(trigger.at)", "2026-01-01T00:00:00.000Z"],
    ['timestamp(trigger.at) + duration("90m")', "2026-01-01T01:30:00.000Z"],
    ['string(timestamp("2026-01-01T01:00:00+01:00"))', "2026-01-01T00:00:00.000Z"],
    ["int(timestamp(trigger.at))", 1767225600],
    ["timestamp(1767225600)", "2026-01-01T00:00:00.000Z"],
    ['timestamp("2026-06-01T12:00:00Z").getHours()', 12],
    ['timestamp("2026-06-01T12:00:00Z").getHours("America/New_York")', 8],
    ['timestamp("2026-06-01T22:00:00Z").getDate("+02:30")', 2],
    ['timestamp("2026-03-01T00:00:00Z").getDayOfYear()', 59],
    ['timestamp("2026-06-01T23:59:59Z").getDayOfWeek("Asia/Tokyo")', 2],
    ['timestamp(trigger.at).getFullYear("America/Los_Angeles")', 2025],
    ['duration("90m").getMinutes()', 90],
    ['timestamp(trigger.at) < timestamp("2026-01-01T00:00:01Z")', true],
  ])("%s yields %j", (source, value) => {
    expect(valueIn(source)).toEqual(value);
  });

  it.each([
    ['timestamp("2026-01-01T00:00:00")', /RFC 3339/],
    ['timestamp("2026-02-30T00:00:00Z")', /RFC 3339/],
    ["timestamp(trigger.amount)", /RFC 3339/],
    ['timestamp(trigger.at).getHours("Mars/Base")', /no time zone/],
    ['timestamp("9999-12-31T23:59:59Z") + duration("48h")', /outside the years/],
    ['timestamp(trigger.at) + duration("1111111111111111111111111111111111111111111h")', /short text/],
  ])("%s is an error", (source, message) => {
    expect(evaluate(source)).toMatchObject({ ok: false, message: expect.stringMatching(message) });
  });
});

describe("the place decides what counts", () => {
  it("wants exactly true or false of a decision", () => {
    expect(evaluate("trigger.amount > 1", "boolean")).toEqual({ ok: true, value: true });
    for (const source of ["trigger.amount", "trigger.text", "trigger.nothing", "trigger.list"])
      expect(evaluate(source, "boolean")).toMatchObject({ ok: false, code: "expression_error" });
  });

  it("wants a list of a map's items, and a list of one stays a list", () => {
    expect(evaluate("[trigger.map]", "list")).toEqual({ ok: true, value: [{ a: 1 }] });
    expect(evaluate("[]", "list")).toEqual({ ok: true, value: [] });
    for (const source of ["trigger.map", "trigger.nothing", "trigger.text"])
      expect(evaluate(source, "list")).toMatchObject({ ok: false, code: "map_items_not_list" });
    expect(evaluate("trigger.nope", "list")).toMatchObject({ ok: false, code: "expression_error" });
  });

  it("wants an instant of until, and writes it in UTC", () => {
    expect(evaluate("trigger.at", "instant")).toEqual({ ok: true, value: "2026-01-01T00:00:00.000Z" });
    expect(evaluate('timestamp(trigger.at) + duration("1h")', "instant")).toEqual({
      ok: true,
      value: "2026-01-01T01:00:00.000Z",
    });
    for (const source of ["trigger.text", "trigger.amount", "trigger.nothing"])
      expect(evaluate(source, "instant")).toMatchObject({ ok: false, code: "expression_error" });
  });
});
