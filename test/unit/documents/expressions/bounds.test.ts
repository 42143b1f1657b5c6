/** Hostile expressions and hostile data end in an error after a counted amount of work. */
import { describe, expect, it } from "vitest";
import { compileExpression, type Scope } from "../../../../src/documents/expressions";
import { Program } from "../../../../src/documents/expressions/compile";
import { Meter } from "../../../../src/documents/expressions/meter";
import { LIMITS } from "../../../../src/documents/spec";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const scope: Scope = {
  trigger: {
    huge: numbers(100_000),
    thousand: numbers(1000),
    hundred: numbers(100),
    text: "a".repeat(60_000),
    lines: Array.from({ length: 1000 }, () => "a".repeat(200)),
  },
};

function run(source: string, given: Scope = scope) {
  const compiled = compileExpression(source, "value");
  if (!compiled.ok || !(compiled.expression instanceof Program)) throw new Error(JSON.stringify(compiled));
  const meter = new Meter();
  return { result: compiled.expression.evaluate(given, meter), steps: meter.steps };
}

/** Nested bindings, each twice the one before. */
const doubled = (start: string, times: number, last: string): string => {
  const names = numbers(times).map((index) => `v${index}`);
  return names.reduceRight(
    (body, name, index) =>
      `cel.bind(${name}, ${index === 0 ? start : `v${index - 1} + v${index - 1}`}, ${body})`,
    last,
  );
};

describe("work", { timeout: 60_000 }, () => {
  it.each([
    ["trigger.huge.map(x, x)", /100000 elements are to be gone through, at most 1000/],
    ["trigger.huge.exists(x, trigger.huge.exists(y, x == y))", /100000 elements/],
    ["trigger.thousand.map(x, trigger.thousand.map(y, x * y))", /more than 1000000 steps/],
    ["trigger.thousand.all(x, trigger.thousand.exists(y, x == y))", /more than 1000000 steps/],
    ["trigger.thousand.filter(x, x in trigger.huge)", /more than 1000000 steps/],
    ["trigger.thousand.all(x, trigger.huge == trigger.huge)", /more than 1000000 steps/],
    ["trigger.thousand.all(x, size(trigger.huge.filter(y, true)) > 0)", /100000 elements/],
    [`trigger.lines.all(x, trigger.thousand.all(y, x.matches("^(a+)+$")))`, /more than 1000000 steps/],
    [
      `trigger.thousand.all(x, trigger.thousand.all(y, !trigger.text.contains("b")))`,
      /more than 1000000 steps/,
    ],
  ])("of %s is refused", (source, message) => {
    const { result, steps } = run(source);
    expect(result).toMatchObject({
      ok: false,
      code: "expression_error",
      message: expect.stringMatching(message),
    });
    expect(steps).toBeLessThan(LIMITS.expressionSteps + 200_000);
  });

  it.each([
    "trigger.huge.map(x, x).size() > 0 || true",
    "true || trigger.huge.map(x, x).size() > 0 ? trigger.huge.exists(x, true) || true : false",
    "[1].exists(z, trigger.huge.all(x, x >= 0) || true)",
    "!(trigger.huge.all(x, x >= 0) && false)",
  ])("that went over a limit makes no answer, whatever stands around it: %s", (source) => {
    expect(run(source).result).toMatchObject({
      ok: false,
      message: expect.stringMatching(/100000 elements/),
    });
  });

  it("is the same count each time, and grows with the data", () => {
    const source = "trigger.hundred.map(x, trigger.hundred.filter(y, y > x).size())";
    const first = run(source);
    expect(first.result.ok).toBe(true);
    expect(run(source).steps).toBe(first.steps);
    const half = run(source, { trigger: { hundred: numbers(50) } });
    expect(half.steps).toBeGreaterThan(first.steps / 8);
    expect(half.steps).toBeLessThan(first.steps / 3);
  });

  it("does not begin where a decision is made before", () => {
    expect(run("false && trigger.huge.all(x, true)")).toMatchObject({ result: { ok: true, value: false } });
    expect(run("5 in trigger.huge").result).toEqual({ ok: true, value: true });
    expect(run("size(trigger.huge)").result).toEqual({ ok: true, value: 100_000 });
    expect(run("trigger.huge[99999]").result).toEqual({ ok: true, value: 99_999 });
  });
});

describe("what is made", { timeout: 60_000 }, () => {
  it.each([
    [doubled("[1, 1]", 20, "v19"), /a list of 1024 elements is made/],
    [doubled("trigger.text", 20, "v19"), /a text of more than 1048576 characters/],
    [doubled('"ab"', 30, "size(v29)"), /a text of more than 1048576 characters/],
    ['trigger.text.split("")', /a list of 60000 elements is made/],
    ["trigger.lines.map(x, trigger.text).join()", /a text of more than 1048576 characters/],
    ["trigger.lines.map(x, trigger.text)", /result has more than 1048576 characters/],
    ["[trigger.text, trigger.text].map(x, [x,x,x,x,x,x,x,x,x])", /result has more than 1048576 characters/],
  ])("does not grow without end: %s", (source, message) => {
    expect(run(source).result).toMatchObject({ ok: false, message: expect.stringMatching(message) });
  });

  it("may share parts, and is counted as often as they are seen", () => {
    const names = numbers(12).map((index) => `v${index}`);
    const shared = (last: string) =>
      names.reduceRight(
        (body, name, index) =>
          `cel.bind(${name}, [${Array.from({ length: 8 }, () => (index === 0 ? "1" : `v${index - 1}`)).join(", ")}], ${body})`,
        last,
      );
    expect(run(shared("v11")).result).toMatchObject({
      ok: false,
      message: expect.stringMatching(/more than 1048576|more than 1000000/),
    });
    expect(run(shared("dyn(v11) == dyn(v10)")).result).toMatchObject({
      ok: false,
      message: expect.stringMatching(/steps/),
    });
    expect(run(shared("v11 in [v11]")).result).toMatchObject({
      ok: false,
      message: expect.stringMatching(/steps/),
    });
  });
});

describe("regular expressions", () => {
  it("that backtrack elsewhere are answered", () => {
    const source = `"${"a".repeat(200)}!".matches("^(a+)+$")`;
    expect(run(source).result).toEqual({ ok: true, value: false });
  });

  it("read at most 256 characters", () => {
    const read = (length: number) =>
      run('trigger.s.matches("a$")', { trigger: { s: "a".repeat(length) } }).result;
    expect(read(256)).toEqual({ ok: true, value: true });
    expect(read(257)).toMatchObject({ ok: false, message: expect.stringMatching(/at most 256 characters/) });
  });
});

describe("data", { timeout: 60_000 }, () => {
  const nested = (depth: number): Scope => {
    let value: Scope[string] = 1;
    for (let level = 0; level < depth; level++) value = [value];
    return { trigger: { deep: value } };
  };

  it("nested too deeply is refused, not a crash", () => {
    expect(run("trigger.deep", nested(100)).result.ok).toBe(true);
    for (const source of ["trigger.deep", "trigger.deep == [1]", "1 == 1", "size(trigger.deep)"])
      for (const depth of [200, 50_000]) {
        const { result } = run(
          `${source} == trigger.deep`.replace("1 == 1 == trigger.deep", "trigger.deep == 1"),
          nested(depth),
        );
        expect(result).toMatchObject({ ok: false, message: expect.stringMatching(/nested deeper than 128/) });
      }
  });

  it("that is no JSON is refused", () => {
    for (const value of [undefined, Number.NaN, () => 1, Symbol("a"), 1n])
      expect(run("trigger.a", { trigger: { a: value } } as unknown as Scope).result).toMatchObject({
        ok: false,
      });
  });
});
