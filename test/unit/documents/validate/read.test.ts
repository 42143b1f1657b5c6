/** What comes in: texts and bytes that are no JSON, values that are none, and too much of either. */
import { describe, expect, it } from "vitest";
import { type DocumentInput, validateDocument } from "../../../../src/documents/validate";
import { comparePaths } from "../../../../src/documents/validate/report";
import { edited, example, findingsIn } from "../support/documents";

const found = (input: DocumentInput) => {
  const { findings, document, valid } = validateDocument(input, { mode: "publish" });
  return { codes: findings.map(({ code, path }) => `${code} ${path}`), document, valid };
};
const bytes = (text: string) => new TextEncoder().encode(text);
const TEXT = JSON.stringify(example());

describe("a text", () => {
  it("and its bytes are read alike", () => {
    expect(found({ text: TEXT })).toMatchObject({ codes: [], valid: true });
    expect(found({ text: bytes(TEXT) })).toMatchObject({ codes: [], valid: true });
  });

  it.each([
    ["nothing", ""],
    ["a byte order mark", `\ufeff${TEXT}`],
    ["a comment", `// no\n${TEXT}`],
    ["a trailing comma", '{"a":1,}'],
    ["more after the end", `${TEXT} {}`],
    ["a list", "[]"],
    ["a text", '"playbook"'],
    ["null", "null"],
    ["an end too early", TEXT.slice(0, -5)],
  ])("that is no JSON object, %s, is E100 of the whole", (_, text) => {
    expect(found({ text })).toEqual({ codes: ["E100 "], document: null, valid: false });
  });

  it("that is not UTF-8 is E100", () => {
    expect(found({ text: new Uint8Array([...bytes(TEXT.slice(0, 40)), 0xff, 0xfe]) }).codes).toEqual([
      "E100 ",
    ]);
  });

  it("with numbers and letters that JSON cannot carry is E100 at their places", () => {
    const text = TEXT.replace('"7d"', "1e999").replace('"operations"', '"\\ud800"');
    expect(found({ text }).codes.filter((code) => code.startsWith("E100"))).toEqual([
      "E100 /playbook/manifest/category",
      "E100 /playbook/steps/1/timeout",
    ]);
  });

  it("with a name twice is E106 at the second", () => {
    const text = TEXT.replace('"maxLlmCostCents":0', '"maxLlmCostCents":0,\n"maxLlmCostCents":99999');
    const { findings, valid } = validateDocument({ text }, { mode: "publish" });
    expect(valid).toBe(false);
    expect(findings).toEqual([
      expect.objectContaining({
        code: "E106",
        path: "/playbook/guardrails/maxLlmCostCents",
        line: 2,
        column: 1,
      }),
    ]);
  });

  it.each(["__proto__", "constructor", "prototype"])("with the name %s is E108 and nothing else", (name) => {
    const text = TEXT.replace('"configSchema":{}', `"configSchema":{"${name}":{"x":1}}`);
    expect(found({ text }).codes).toEqual([`E108 /playbook/configSchema/${name}`]);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it("of more than 256 KiB is L801 alone, read no further", () => {
    const most = 256 * 1024;
    const padded = (length: number) => TEXT + " ".repeat(length - TEXT.length);
    expect(found({ text: padded(most) }).codes).toEqual([]);
    expect(found({ text: padded(most + 1) })).toEqual({ codes: ["L801 "], document: null, valid: false });
    expect(found({ text: bytes(padded(most + 1)) }).codes).toEqual(["L801 "]);
    expect(found({ text: `{"a":"${"\u20ac".repeat(most / 3)}"}` }).codes).toEqual(["L801 "]);
  });

  it("deeper than 32 is L802 at the first place that is", () => {
    const deep = (levels: number) =>
      TEXT.replace("{", `{"x-deep":${"[".repeat(levels)}${"]".repeat(levels)},`);
    expect(found({ text: deep(31) }).codes).toEqual([]);
    expect(found({ text: deep(32) })).toMatchObject({
      codes: [`L802 /x-deep${"/0".repeat(31)}`],
      document: null,
    });
    expect(found({ text: "[".repeat(200_000) }).codes).toEqual([`L802 ${"/0".repeat(32)}`]);
  });
});

describe("a value", () => {
  it("is judged like its text", () => {
    expect(found({ value: example() })).toMatchObject({ codes: [], valid: true });
    expect(found({ value: edited({ "/playbook/steps/0/next": "x" }) }).codes).toEqual([
      "G502 /playbook/steps/0/next",
    ]);
  });

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["a number", 5],
    ["a list", []],
    ["a date", new Date(0)],
    ["a map", new Map()],
    ["a function", () => 1],
    ["bytes", new Uint8Array(3)],
  ])("that is no JSON object, %s, is E100", (_, value) => {
    expect(found({ value })).toMatchObject({ document: null, valid: false });
    expect(found({ value }).codes[0]).toBe("E100 ");
  });

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["NaN", Number.NaN],
    ["a bigint", 5n],
    ["a lone surrogate", "\ud800"],
    ["an object of a class", new (class Odd {})()],
  ])("with %s in it is E100 there", (_, inner) => {
    const value = { ...example(), "x-odd": [inner] };
    expect(found({ value }).codes).toContain("E100 /x-odd/0");
  });

  it("that holds itself is too deep or too large, and ends", () => {
    const circle: Record<string, unknown> = example();
    circle["x-self"] = circle;
    expect(found({ value: circle }).codes.map((code) => code.slice(0, 4))).toEqual(["L802"]);
    const wide: Record<string, unknown> = {};
    for (let index = 0; index < 40; index++) wide[`x-${index}`] = wide;
    expect(found({ value: wide }).codes).toEqual(["L801 "]);
  });

  it("with an own __proto__ keeps no trace of it", () => {
    const value = JSON.parse(TEXT.replace('"guardrails":{', '"guardrails":{"__proto__":{"maxToolCalls":9},'));
    const result = found({ value });
    expect(result.codes).toEqual(["E108 /playbook/guardrails/__proto__"]);
    expect(Object.keys(result.document?.playbook.guardrails ?? {})).not.toContain("__proto__");
    expect(result.document?.playbook.guardrails.maxToolCalls).toBeUndefined();
  });

  it("of an object without a prototype is fine", () => {
    expect(findingsIn(Object.assign(Object.create(null), example()))).toEqual([]);
  });
});

describe("the order of paths", () => {
  it("is by tokens, numbers by value and before names, a place before what is in it", () => {
    const sorted = ["", "/a", "/a/2", "/a/2/x", "/a/10", "/a/b", "/a~1b", "/aa", "/b"];
    expect([...sorted].reverse().sort(comparePaths)).toEqual(sorted);
  });
});
