/** Canonical JSON: one text for one value, and none for what is no JSON. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/documents/model";
import { canonicalJson, findNotJson, NotJsonError } from "../../../../src/documents/text/canonical-json";
import { sha256Base64Url, sha256Hex } from "../../../../src/documents/text/hash";

describe("the canonical text", () => {
  it("orders names by UTF-16 code units, at every level", () => {
    // RFC 8785, section 3.2.3.
    const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 };
    expect(Object.values(JSON.parse(canonicalJson(value)))).toHaveLength(7);
    expect([...canonicalJson(value).matchAll(/:(\d)/g)].map(([, number]) => number).join("")).toBe("2467153");
    expect(canonicalJson({ b: { d: 1, c: 2 }, a: [{ z: 1, y: 2 }] })).toBe(
      '{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}',
    );
  });

  it.each([
    [0, "0"],
    [-0, "0"],
    [5e-324, "5e-324"],
    [-5e-324, "-5e-324"],
    [1.7976931348623157e308, "1.7976931348623157e+308"],
    [9007199254740992, "9007199254740992"],
    [295147905179352830000, "295147905179352830000"],
    [9.999999999999997e22, "9.999999999999997e+22"],
    [1e23, "1e+23"],
    [1e21, "1e+21"],
    [999999999999999900000, "999999999999999900000"],
    [Number("333333333.33333329"), "333333333.3333333"],
    [0.000001, "0.000001"],
    [1e-7, "1e-7"],
    [150.0, "150"],
  ])("writes the number %d as ECMAScript does", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it("escapes in strings what must be and nothing else", () => {
    expect(canonicalJson('\u20ac$\u000f\nA\'B"\\\\"/\u007f\u2028')).toBe(
      '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u007f\u2028"',
    );
    expect(canonicalJson({ "\n": "\u00e9" })).toBe('{"\\n":"\u00e9"}');
  });

  it("is JSON for the same value, the same for any order of names, with no space", () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, member]) => [name, shuffled(member)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
        const value: Json = JSON.parse(JSON.stringify(json));
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toStrictEqual(value);
        expect(canonicalJson(JSON.parse(JSON.stringify(shuffled(value))))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it("writes objects without a prototype, and members named __proto__", () => {
    expect(canonicalJson(Object.assign(Object.create(null), { b: 1, a: 2 }))).toBe('{"a":2,"b":1}');
    expect(canonicalJson(JSON.parse('{"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1}}');
  });
});

describe("what has no canonical text", () => {
  const circle: unknown[] = [];
  circle.push({ circle });
  class Point {
    x = 1;
  }
  it.each<[string, unknown, string, string]>([
    ["undefined", undefined, "", "undefined"],
    ["a member that is undefined", { a: { b: undefined } }, "/a/b", "undefined"],
    ["a hole in a list", { "x/y": Object.assign([1], { 2: 2 }) }, "/x~1y/1", "undefined"],
    ["NaN", [Number.NaN], "/0", "NaN"],
    ["an infinity", { a: Number.NEGATIVE_INFINITY }, "/a", "-Infinity"],
    ["a bigint", [1n], "/0", "a bigint"],
    ["a function", { f: () => 1 }, "/f", "a function"],
    ["a toJSON", { toJSON: () => 1 }, "/toJSON", "a function"],
    ["a symbol", [Symbol("s")], "/0", "a symbol"],
    ["a date", { at: new Date(0) }, "/at", "an object of the class Date"],
    ["a map", new Map(), "", "an object of the class Map"],
    ["bytes", [new Uint8Array(2)], "/0", "an object of the class Uint8Array"],
    ["an object of a class", { p: new Point() }, "/p", "an object of the class Point"],
    ["half a surrogate pair", ["\ud800"], "/0", "a text with a lone surrogate"],
    ["half a surrogate pair in a name", { "\udc00": 1 }, "/\udc00", "a text with a lone surrogate"],
  ])("%s", (_name, value, pointer, found) => {
    expect(findNotJson(value)).toMatchObject({ pointer, found });
    expect(() => canonicalJson(value as Json)).toThrow(NotJsonError);
  });

  it("a circle, and a value too deep, without exhausting the stack", () => {
    expect(findNotJson(circle)?.found).toContain("1000 levels deep");
    let deep: Json = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(findNotJson(deep)?.found).toContain("1000 levels deep");
    expect(findNotJson(circle)?.pointer.length).toBeLessThan(100);
  });

  it("is found in nothing that JSON.parse gives", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(findNotJson(JSON.parse(JSON.stringify(json)))).toBeNull();
      }),
    );
  });
});

describe("hashes", () => {
  it("are SHA-256 of the UTF-8, in hexadecimal and base64url", () => {
    // FIPS 180-4, and the same by another tool.
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(sha256Base64Url("abc")).toBe("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
    expect(sha256Base64Url("")).toBe("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
  });

  it("are what WebCrypto says", async () => {
    for (const text of ["é😀", "\0", "x".repeat(100_000), "a\0b"]) {
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
      expect(sha256Hex(text)).toBe(Buffer.from(digest).toString("hex"));
      expect(sha256Base64Url(text)).toBe(Buffer.from(digest).toString("base64url"));
    }
  });
});
