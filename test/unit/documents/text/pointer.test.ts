/** JSON Pointers: tokens and back, and what they find. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { childPointer, parsePointer, pointerOf, valueAt } from "../../../../src/documents/text/pointer";

describe("a pointer", () => {
  // The examples of RFC 6901, section 5.
  const document = {
    foo: ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
  };
  it.each([
    ["", document],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/e^f", 3],
    ["/g|h", 4],
    ["/i\\j", 5],
    ['/k"l', 6],
    ["/ ", 7],
    ["/m~0n", 8],
  ])("%j finds what RFC 6901 says", (pointer, value) => {
    expect(valueAt(document, pointer)).toEqual(value);
  });

  it.each([
    "foo",
    "/foo/2",
    "/foo/-",
    "/foo/01",
    "/foo/-1",
    "/foo/1e0",
    "/foo/length",
    "/bar",
    "/foo/0/0",
    "/m~n",
    "/m~2n",
    "#/foo",
  ])("%j finds nothing", (pointer) => {
    expect(valueAt(document, pointer)).toBeUndefined();
  });

  it.each(["/toString", "/constructor", "/__proto__", "/foo/constructor", "/hasOwnProperty"])(
    "%j finds no inherited member",
    (pointer) => {
      expect(valueAt(document, pointer)).toBeUndefined();
    },
  );

  it("unescapes ~01 to ~1, not to a slash", () => {
    expect(parsePointer("/~01")).toEqual(["~1"]);
    expect(pointerOf(["~1"])).toBe("/~01");
  });

  it.each(["a", "/~", "/a~", "/~2", "/a/~x"])("%j is no pointer", (text) => {
    expect(parsePointer(text)).toBeNull();
  });

  it("comes back as the tokens that it was made of, one by one too", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom("~", "/", "~1", "~0", ""))), (tokens) => {
        expect(parsePointer(pointerOf(tokens))).toEqual(tokens);
        expect(tokens.reduce(childPointer, "")).toBe(pointerOf(tokens));
      }),
    );
  });
});
