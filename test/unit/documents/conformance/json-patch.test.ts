/** JSON Patch, held against the package of that name where the two must agree. */
import fc from "fast-check";
import { applyPatch as applyOther } from "rfc6902";
import { describe, expect, it } from "vitest";
import { applyPatch, type PatchOperation } from "../../../../src/documents/conformance/json-patch";
import type { Json } from "../../../../src/documents/model";
import { pointerOf } from "../../../../src/documents/text/pointer";

const DOCUMENT: Json = { a: { b: [1, 2, 3], "c/d": "x", "~": null }, list: [{ id: 1 }, { id: 2 }] };

describe("applyPatch", () => {
  it("adds, removes, replaces, moves, copies and tests", () => {
    const patched = applyPatch(DOCUMENT, [
      { op: "add", path: "/a/b/1", value: 9 },
      { op: "add", path: "/a/b/-", value: 4 },
      { op: "remove", path: "/a/c~1d" },
      { op: "replace", path: "/a/~0", value: "tilde" },
      { op: "move", from: "/list/0", path: "/first" },
      { op: "copy", from: "/first/id", path: "/list/0/from" },
      { op: "test", path: "/list", value: [{ from: 1, id: 2 }] },
    ]);
    expect(patched).toEqual({
      a: { b: [1, 9, 2, 3, 4], "~": "tilde" },
      list: [{ id: 2, from: 1 }],
      first: { id: 1 },
    });
  });

  it("replaces the whole document", () => {
    expect(applyPatch(DOCUMENT, [{ op: "replace", path: "", value: [] }])).toEqual([]);
  });

  it("leaves the document it was given as it was", () => {
    const text = JSON.stringify(DOCUMENT);
    applyPatch(DOCUMENT, [{ op: "remove", path: "/a" }]);
    expect(JSON.stringify(DOCUMENT)).toBe(text);
  });

  it("does not tie a copied value to its origin", () => {
    const patched = applyPatch(DOCUMENT, [
      { op: "copy", from: "/list/0", path: "/copy" },
      { op: "replace", path: "/copy/id", value: 7 },
    ]);
    expect(patched).toMatchObject({ copy: { id: 7 }, list: [{ id: 1 }, { id: 2 }] });
  });

  it("writes `__proto__` as a member like others and pollutes nothing", () => {
    const value: Json = JSON.parse('{"__proto__":{"x":1}}');
    const patched = applyPatch({}, [
      { op: "add", path: "/own", value },
      { op: "add", path: "/__proto__", value: { polluted: true } },
      { op: "replace", path: "/own/__proto__/x", value: 2 },
    ]);
    expect(JSON.stringify(patched)).toBe('{"own":{"__proto__":{"x":2}},"__proto__":{"polluted":true}}');
    expect({}).not.toHaveProperty("polluted");
  });

  const refused: [string, PatchOperation][] = [
    ["removes nothing", { op: "remove", path: "/a/zz" }],
    ["replaces nothing", { op: "replace", path: "/list/2", value: 1 }],
    ["adds under nothing", { op: "add", path: "/zz/y", value: 1 }],
    ["adds under a text", { op: "add", path: "/a/c~1d/y", value: 1 }],
    ["leaves a hole in a list", { op: "add", path: "/list/3", value: 1 }],
    ["reads an index with a leading zero", { op: "add", path: "/list/00", value: 1 }],
    ["copies nothing", { op: "copy", from: "/zz", path: "/y" }],
    ["moves a value into itself", { op: "move", from: "/a", path: "/a/b/0" }],
    ["expects another value", { op: "test", path: "/a/b", value: [1, 2] }],
    ["finds members of prototypes", { op: "test", path: "/constructor/name", value: "Object" }],
  ];
  for (const [what, operation] of refused) {
    it(`refuses an operation that ${what}, and names it`, () => {
      const patch: PatchOperation[] = [{ op: "test", path: "/a/b/0", value: 1 }, operation];
      expect(() => applyPatch(DOCUMENT, patch)).toThrow(`operation 1 (${operation.op} ${operation.path})`);
    });
  }

  it("agrees with another implementation on random patches", () => {
    const tokens = fc.constantFrom("a", "b", "0", "1", "2", "-", "x", "");
    const path = fc.array(tokens, { minLength: 1, maxLength: 3 }).map(pointerOf);
    const value = fc.jsonValue({ maxDepth: 2 }).map((json): Json => JSON.parse(JSON.stringify(json)));
    const operation: fc.Arbitrary<PatchOperation> = fc.oneof(
      fc.record({ op: fc.constant("add" as const), path, value }),
      fc.record({ op: fc.constant("remove" as const), path }),
      fc.record({ op: fc.constant("replace" as const), path, value }),
      fc.record({ op: fc.constant("copy" as const), from: path, path }),
    );
    const start = fc.record({ a: fc.array(value, { maxLength: 3 }), b: value, x: fc.record({ a: value }) });
    fc.assert(
      fc.property(start, fc.array(operation, { maxLength: 4 }), (document, patch) => {
        const plain: Json = JSON.parse(JSON.stringify(document));
        const other: Json = JSON.parse(JSON.stringify(document));
        let isFine = false;
        try {
          isFine = applyOther(other, structuredClone(patch)).every((error) => error === null);
        } catch {
          // It takes texts for lists of characters.
        }
        let ours: Json | undefined;
        try {
          ours = applyPatch(plain, patch);
        } catch {
          ours = undefined;
        }
        // The other package also takes members that a list cannot have, and goes on after an error.
        if (isFine && ours !== undefined) expect(ours).toEqual(other);
        if (!isFine) expect(ours).toBeUndefined();
      }),
      { numRuns: 2000, seed: 6902 },
    );
  });
});
