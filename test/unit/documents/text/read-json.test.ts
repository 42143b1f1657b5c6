/** Reading JSON text: strictly, with the place of everything, whatever the text is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pointerOf } from "../../../../src/documents/text/pointer";
import { readJson } from "../../../../src/documents/text/read-json";

const fault = (source: string | Uint8Array) => {
  const { value, faults } = readJson(source);
  expect(value).toBeUndefined();
  const last = faults.at(-1);
  if (!last) throw new Error("no fault");
  return last;
};
const bytes = (...parts: (string | number)[]): Uint8Array =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === "number" ? [part] : [...new TextEncoder().encode(part)])),
  );

describe("what is read", () => {
  it.each([
    "null",
    "true",
    " false ",
    "0",
    "-0",
    "1.5e-3",
    "1E+2",
    '""',
    '"é😀\\u00e9\\ud83d\\ude00\\"\\\\\\/\\b\\f\\n\\r\\t"',
    "[]",
    "{}",
    "\t\r\n[ 1 , [ ] , { } ]\n",
    '{"a":{"b":[1,{"":null}]}}',
    "9007199254740993",
    "0.1",
    "1e-400",
    '"\u007f\u2028"',
    '{"a\\u0062":1}',
  ])("%j, as JSON.parse reads it", (text) => {
    const { value, faults } = readJson(text);
    expect(faults).toEqual([]);
    expect(value).toStrictEqual(JSON.parse(text));
  });

  it("reads bytes as it reads text", () => {
    expect(readJson(bytes('{"a":"é😀"}')).value).toEqual({ a: "é😀" });
  });

  it("reads, refuses and rounds exactly what JSON.parse does", () => {
    const json = fc
      .jsonValue({ maxDepth: 4 })
      .chain((value) => fc.constantFrom(JSON.stringify(value), JSON.stringify(value, null, 2)));
    const spoiled = fc
      .tuple(
        json,
        fc.nat(),
        fc.nat(3),
        fc.constantFrom("", ",", "]", "}", "{", "[", '"', "\\", "0", "-", ".", "e", "u", " ", "\n", ":", "t"),
      )
      .map(([text, place, cut, put]) => {
        const at = place % (text.length + 1);
        return text.slice(0, at) + put + text.slice(at + cut);
      });
    fc.assert(
      fc.property(fc.oneof(json, spoiled), (text) => {
        let parsed: unknown;
        try {
          parsed = JSON.parse(text);
        } catch {
          parsed = undefined;
        }
        const { value, faults } = readJson(text);
        const ended = faults.some(({ kind }) => kind === "syntax");
        expect(ended).toBe(parsed === undefined);
        if (faults.length === 0) expect(value).toStrictEqual(parsed);
        for (const { offset } of faults) {
          expect(offset).toBeGreaterThanOrEqual(0);
          expect(offset).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("what is refused", () => {
  it.each([
    ["", 1, 1, "Expected a value, found the end of the text."],
    ["  \n ", 2, 2, "Expected a value, found the end of the text."],
    ["{} x", 1, 4, '"x" follows the end of the value.'],
    ["{}{}", 1, 3, '"{" follows the end of the value.'],
    ["[1,]", 1, 4, 'Expected a value, found "]".'],
    ['{"a":1,}', 1, 8, 'Expected the name of a member in double quotes, found "}".'],
    ["{,}", 1, 2, 'Expected the name of a member in double quotes, found ",".'],
    ["{a:1}", 1, 2, 'Expected the name of a member in double quotes, found "a".'],
    ["{'a':1}", 1, 2, 'Expected the name of a member in double quotes, found "\'".'],
    ["['a']", 1, 2, 'Expected a value, found "\'".'],
    ['{"a" 1}', 1, 6, 'Expected a colon after the name, found "1".'],
    ["[1 2]", 1, 4, 'Expected a comma or "]", found "2".'],
    ["[1}", 1, 3, 'Expected a comma or "]", found "}".'],
    ['{"a":1]', 1, 7, 'Expected a comma or "}", found "]".'],
    ['{"a":1', 1, 7, 'Expected a comma or "}", found the end of the text.'],
    ["[", 1, 2, "Expected a value, found the end of the text."],
    ["]", 1, 1, 'Expected a value, found "]".'],
    ["// no\n{}", 1, 1, 'Expected a value, found "/".'],
    ["{} /* no */", 1, 4, '"/" follows the end of the value.'],
    ["[1,\n2 # no\n]", 2, 3, 'Expected a comma or "]", found "#".'],
    ["01", 1, 2, 'The number cannot go on with "1".'],
    ["1.", 1, 2, 'The number cannot go on with ".".'],
    ["1e", 1, 2, 'The number cannot go on with "e".'],
    ["-", 1, 1, "A minus sign stands alone."],
    ["+1", 1, 1, 'Expected a value, found "+".'],
    [".5", 1, 1, 'Expected a value, found ".".'],
    ["0x10", 1, 2, '"x" follows the end of the value.'],
    ["NaN", 1, 1, 'Expected a value, found "NaN".'],
    ["-Infinity", 1, 1, "A minus sign stands alone."],
    ["True", 1, 1, 'Expected a value, found "True".'],
    ["nul", 1, 1, 'Expected a value, found "nul".'],
    ["nulll", 1, 1, 'Expected a value, found "nulll".'],
    ['"abc', 1, 1, "The text ends inside a string that begins here."],
    ['"a\\"', 1, 1, "The text ends inside a string that begins here."],
    ['"a\nb"', 1, 3, "A string may not hold the character U+000A as it is."],
    ['"a\u0000b"', 1, 3, "A string may not hold the character U+0000 as it is."],
    ['"\\x41"', 1, 2, "\\x is not an escape of JSON."],
    ['"\\u12G4"', 1, 2, "\\u is not an escape of JSON."],
    ['{"a\\x":1}', 1, 4, "\\x is not an escape of JSON."],
    ['"\\u12"', 1, 2, "\\u is not an escape of JSON."],
    ["\ufeff{}", 1, 1, "The text begins with a byte order mark."],
    ["\u00a0{}", 1, 1, 'Expected a value, found "\u00a0".'],
    ["[1\u2028]", 1, 3, 'Expected a comma or "]", found "\u2028".'],
  ])("%j", (text, line, column, message) => {
    expect(fault(text)).toMatchObject({ kind: "syntax", line, column, message });
    expect(readJson(text).faults).toHaveLength(1);
  });

  it("names the value that it was reading", () => {
    expect(fault('{"steps":[{"id":"a"},{"id":tru}]}')).toMatchObject({ pointer: "/steps/1/id", offset: 27 });
    expect(fault('{"a":{"b/c":[1,2,}}').pointer).toBe("/a/b~1c/2");
    expect(fault('{"a":{"b":1,}}').pointer).toBe("/a");
  });

  it.each([
    ["{a:1}", 'a name such as "id"'],
    ["['a']", "double quotes"],
    ["[1,]", "no comma before a closing bracket"],
    ['{"a":1,}', "no comma before }"],
    ["[1 2]", "a comma between two values"],
    ['{"a":1]', "} first"],
    ['["a":1]', "members with names stand in {…}"],
    ['{"a":1:2}', "a comma between two values"],
    ["[NaN]", "null, or a number"],
    ["[TRUE]", "true"],
    ["// x", "no comments"],
    ['{"a":1 // x\n}', "no comments"],
    ['{"a":[1}', "] first"],
    ['{"a":[1', "] is missing"],
    ["01", "no leading zero"],
    ['"a\tb"', "a \\u escape"],
  ])("says of %j what would be right: %s", (text, hint) => {
    expect(fault(text).hint).toContain(hint);
  });

  it("bytes that are no UTF-8, at the first wrong one", () => {
    expect(fault(bytes('["é', 0xff, '"]'))).toMatchObject({ kind: "encoding", offset: 3, column: 4 });
    expect(fault(bytes('["é', 0xff, '"]')).message).toContain("Byte 4");
    expect(fault(bytes('"', 0xe2, 0x82, '"')).message).toContain("Byte 1");
    // Cut in the middle of a character, an overlong slash, half a surrogate pair, UTF-16.
    expect(fault(bytes('"', 0xc3)).message).toContain("Byte 1");
    expect(fault(bytes('"', 0xc0, 0xaf, '"'))).toMatchObject({ kind: "encoding", offset: 1 });
    expect(fault(bytes('"', 0xed, 0xa0, 0x80, '"'))).toMatchObject({ kind: "encoding", offset: 1 });
    expect(fault(bytes(0xff, 0xfe, "{", 0, "}", 0))).toMatchObject({ kind: "encoding", offset: 0 });
  });

  it("a byte order mark in bytes", () => {
    expect(fault(bytes(0xef, 0xbb, 0xbf, "{}")).message).toBe("The text begins with a byte order mark.");
  });

  it.each(["[", '{"a":', '[{"a":'])("256 KiB of %j by their depth, not by a crash", (unit) => {
    const text = unit.repeat((256 * 1024) / unit.length);
    expect(fault(text).kind).toBe("too_deep");
    expect(fault(text + "]".repeat(10)).kind).toBe("too_deep");
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.uint8Array()), (source) => {
        const { value, faults } = readJson(source);
        expect(value === undefined).toBe(faults.some(({ kind }) => kind === "syntax" || kind === "encoding"));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("what is read and reported", () => {
  it("numbers that no double can hold", () => {
    expect(readJson('{"a":1e400,"b":-1e400}')).toMatchObject({
      value: { a: Number.MAX_VALUE, b: -Number.MAX_VALUE },
      faults: [
        { kind: "number_out_of_range", pointer: "/a", column: 6 },
        { kind: "number_out_of_range", pointer: "/b", column: 16 },
      ],
    });
  });

  it("halves of surrogate pairs, escaped or not, in values and in names", () => {
    expect(readJson('["\\ud800"]')).toMatchObject({
      value: ["\ufffd"],
      faults: [{ kind: "lone_surrogate", pointer: "/0" }],
    });
    expect(readJson('["\\ude00\\ud83d"]').faults).toHaveLength(1);
    expect(readJson('["\ud800"]').faults).toMatchObject([{ kind: "lone_surrogate" }]);
    expect(readJson('{"\\ud800":1}')).toMatchObject({
      value: { "\ufffd": 1 },
      faults: [{ kind: "lone_surrogate" }],
    });
    expect(readJson('["\\ud83d\\ude00"]').faults).toEqual([]);
  });

  it("names given twice in one object, each repeat with its place", () => {
    const reading = readJson('{"a":1,\n "b":{"a":2},\n "a":3, "\\u0061":4}');
    expect(reading.value).toEqual({ a: 4, b: { a: 2 } });
    expect(reading.duplicates).toMatchObject([
      { pointer: "/a", line: 3, column: 2 },
      { pointer: "/a", line: 3, column: 9 },
    ]);
    expect(reading.faults).toEqual([]);
  });

  it("a cap that is smuggled in behind another", () => {
    const text = '{"guardrails":{"maxLlmCostCents":0,"maxLlmCostCents":99999}}';
    expect(readJson(text).duplicates).toMatchObject([{ pointer: "/guardrails/maxLlmCostCents", offset: 35 }]);
  });

  it("names of prototypes, which change none", () => {
    const text = '{"__proto__":{"x":1},"a":[{"constructor":{"prototype":2}}],"b":{"\\u005f_proto__":null}}';
    const reading = readJson(text);
    expect(reading.prototypeKeys.map(({ pointer }) => pointer)).toEqual([
      "/__proto__",
      "/a/0/constructor",
      "/a/0/constructor/prototype",
      "/b/__proto__",
    ]);
    expect(JSON.stringify(reading.value)).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.getPrototypeOf(reading.value)).toBe(Object.prototype);
    expect("x" in Object(reading.value)).toBe(false);
    expect("x" in {}).toBe(false);
    expect(reading.at("/__proto__/x")).toMatchObject({ offset: 18 });
  });

  it("a name given twice even if it is a prototype's, or one that objects have", () => {
    expect(readJson('{"__proto__":1,"__proto__":2}').duplicates).toHaveLength(1);
    expect(readJson('{"toString":1}').duplicates).toEqual([]);
    expect(readJson('{"toString":1}').prototypeKeys).toEqual([]);
  });

  it("at most a hundred of each, and then still what ended the reading", () => {
    const many = Array.from({ length: 1000 }, () => '"a":1e999').join(",");
    expect(readJson(`{${many}}`).duplicates).toHaveLength(100);
    expect(readJson(`{${many}}`).faults).toHaveLength(100);
    expect(readJson(`{${many.replaceAll("a", "constructor")}}`).prototypeKeys).toHaveLength(100);
    expect(readJson(`{${many}}`).faults.at(-1)).toMatchObject({ offset: 1 + 99 * 10 + 4 });
    expect(readJson(`{${many}`).faults.at(-1)).toMatchObject({ kind: "syntax" });
  });

  it("how deep it is, and where it is too deep", () => {
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    expect(readJson("1")).toMatchObject({ depth: 0, tooDeepAt: null });
    expect(readJson('{"a":1}')).toMatchObject({ depth: 1, tooDeepAt: null });
    expect(readJson('{"a":[{},1]}')).toMatchObject({ depth: 3, tooDeepAt: null });
    expect(readJson(nested(32))).toMatchObject({ depth: 32, tooDeepAt: null });
    expect(readJson(`[0,${nested(32)},${nested(40)}]`)).toMatchObject({
      depth: 41,
      tooDeepAt: `/1${"/0".repeat(31)}`,
    });
    expect(readJson(nested(512)).value).toBeDefined();
    expect(fault(nested(513)).kind).toBe("too_deep");
  });
});

describe("where everything stands", () => {
  const text = '{\n  "a": [10,\r\n    {"b/c": "x"}],\r  "é~": null\n}';
  const reading = () => readJson(text);

  it.each([
    ["", 0, 1, 1],
    ["/a", 9, 2, 8],
    ["/a/0", 10, 2, 9],
    ["/a/1", 19, 3, 5],
    ["/a/1/b~1c", 27, 3, 13],
    ["/é~0", 42, 4, 9],
  ])("the value at %j", (pointer, offset, line, column) => {
    expect(reading().at(pointer)).toEqual({ offset, line, column });
  });

  it.each([
    ["/a", 4, 2, 3],
    ["/a/1/b~1c", 20, 3, 6],
    ["/é~0", 36, 4, 3],
  ])("the name at %j", (pointer, offset, line, column) => {
    expect(reading().keyAt(pointer)).toEqual({ offset, line, column });
  });

  it.each(["/b", "/a/2", "/a/-", "/a/00", "/a/0/x", "a", "/~", "/a/length", "/toString", "/__proto__"])(
    "nothing at %j",
    (pointer) => {
      expect(reading().at(pointer)).toBeNull();
      expect(reading().keyAt(pointer)).toBeNull();
    },
  );

  it("no name for the root and for what a list holds", () => {
    expect(reading().keyAt("")).toBeNull();
    expect(reading().keyAt("/a/0")).toBeNull();
  });

  it("the last of values with the same name", () => {
    expect(readJson('{"a":1,"a":2}').at("/a")).toMatchObject({ offset: 11 });
  });

  it("what came before a fault", () => {
    expect(readJson('{"a":1,"b":x}').at("/a")).toMatchObject({ offset: 5 });
    expect(readJson("x").at("")).toBeNull();
  });

  it("every value of a text, at the text that is that value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
        const written = JSON.stringify(json, null, 1);
        const { at } = readJson(written);
        const visit = (value: unknown, path: (string | number)[]): void => {
          const offset = at(pointerOf(path))?.offset ?? -1;
          const begin =
            typeof value === "object" && value !== null
              ? Array.isArray(value)
                ? "["
                : "{"
              : JSON.stringify(value);
          expect(written.startsWith(begin, offset)).toBe(true);
          if (Array.isArray(value))
            for (const [index, item] of value.entries()) visit(item, [...path, index]);
          else if (typeof value === "object" && value !== null) {
            for (const [name, member] of Object.entries(value)) visit(member, [...path, name]);
          }
        };
        visit(JSON.parse(written), []);
      }),
      { numRuns: 200 },
    );
  });

  it("takes no more memory for long names around many values than the text has", () => {
    // A pointer for each value would be 30,000 texts of 60,000 characters.
    const long = "k".repeat(60_000);
    const wide = readJson(`{"${long}":[${Array.from({ length: 30_000 }, () => "0").join(",")}]}`);
    expect(wide.at(`/${long}/29999`)).toMatchObject({ line: 1 });
  });
});
