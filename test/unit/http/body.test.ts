import { describe, expect, it } from "vitest";
import { parseForm, parseJson, readBody } from "../../../src/http/body";
import { Failure } from "../../../src/platform/failure";

const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  new Request("http://localhost/", { method: "POST", body, headers, duplex: "half" } as RequestInit);

/** A body of unknown length, delivered in pieces. */
const chunked = (pieces: readonly string[]): ReadableStream =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });

describe("a request body", () => {
  it("is read whole up to its limit", async () => {
    expect(await readBody(post("x".repeat(10)), 10)).toBe("x".repeat(10));
  });

  it.each([
    ["declared too long", post("x".repeat(11))],
    ["chunked past the limit", post(chunked(["xxxxx", "xxxxx", "x"]))],
    ["declaring a length that is no number", post(chunked(["x".repeat(11)]), { "content-length": "abc" })],
    ["counted in bytes, not characters", post("é".repeat(6))],
  ])("is refused when %s", async (_, request) => {
    await expect(readBody(request, 10)).rejects.toMatchObject({ kind: "too_large" });
  });

  it("keeps characters that are split between chunks", async () => {
    const bytes = new TextEncoder().encode("€");
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.slice(0, 1));
        controller.enqueue(bytes.slice(1));
        controller.close();
      },
    });
    expect(await readBody(post(body), 10)).toBe("€");
  });
});

describe("JSON", () => {
  it("is made well-formed and NUL-free, keys included", () => {
    expect(parseJson('{"a\\u0000b":["\\ud800x","y\\u0000"]}')).toEqual({ ab: ["\ufffdx", "y"] });
  });

  it("is refused when nested so deeply that it could exhaust the stack", () => {
    const deep = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;
    expect(() => parseJson(deep)).toThrow(Failure);
  });

  it("that is nested too deeply is named at its place", () => {
    const deep = `{"a":{"b":${"[".repeat(80)}${"]".repeat(80)}}}`;
    const pointer = `/a/b${"/0".repeat(62)}`;
    expect(() => parseJson(deep)).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ pointer })] }),
    );
  });

  it("never reaches a prototype", () => {
    const value = parseJson('{"__proto__":{"admin":true}}');
    expect(Object.hasOwn(value as object, "__proto__")).toBe(true);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it.each(["", "{", "nope", "{'a':1}"])("is refused when it is not JSON: %j", (text) => {
    expect(() => parseJson(text)).toThrow("not JSON");
  });
});

describe("a form", () => {
  it("gives each field its last value", () => {
    expect(parseForm("a=1&b=%00x&a=2")).toEqual({ a: "2", b: "x" });
  });
});
