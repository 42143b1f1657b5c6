/** The forms in which a vector may give its document. */
import { describe, expect, it } from "vitest";
import exampleDocument from "../../../../src/documents/conformance/approval-expiry.json" with {
  type: "json",
};
import { APPROVAL_EXPIRY, expiryWith, failuresOf, runVectors } from "./support/vectors";

const withDocument = (document: unknown) => expiryWith({ document });
const valid = (vector: string, document: unknown) => ({
  vector,
  level: 1,
  group: "valid",
  document,
  expect: { findings: [] },
});

describe("a vector's document", () => {
  it("may be an object", () => {
    expect(failuresOf(withDocument(exampleDocument))).toEqual([]);
  });

  it("may be a file beside the vector", () => {
    const files = { "example.playbook.json": JSON.stringify(exampleDocument) };
    expect(failuresOf(withDocument("example.playbook.json"), files)).toEqual([]);
    expect(failuresOf(withDocument("other.playbook.json"), files).join()).toContain(
      "There is no file other.playbook.json beside the vector",
    );
  });

  it("may be a raw text, which shows what no object can", () => {
    const twice = JSON.stringify(exampleDocument).replace(
      '"maxLlmCostCents":0',
      '"maxLlmCostCents":0,"maxLlmCostCents":99999',
    );
    const invalid = (document: string, code: string) => ({
      vector: "x",
      level: 1,
      group: "invalid",
      document,
      expect: { findings: [{ code }] },
    });
    expect(failuresOf(invalid(twice, "E106"))).toEqual([]);
    for (const text of ["", "null", "not json", "[]"]) expect(failuresOf(invalid(text, "E100"))).toEqual([]);
  });

  it("may be another vector's under a patch, and that another's again", () => {
    const name = (text: string) => [{ op: "replace", path: "/playbook/manifest/name", value: text }];
    const results = runVectors([
      valid("third", {
        base: "second",
        patch: [{ op: "test", path: "/playbook/manifest/name", value: "B" }],
      }),
      valid("second", { base: "first", patch: name("B") }),
      valid("first", { base: "approval-expiry", patch: name("A") }),
    ]);
    expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  });

  it("may stand on the example under the example's own name", () => {
    expect(failuresOf({ ...APPROVAL_EXPIRY, vector: "approval-expiry" })).toEqual([]);
  });

  const broken: [string, (object | string)[], string][] = [
    [
      "a base that nobody has",
      [valid("a", { base: "nowhere" })],
      "No vector in the given folders is named nowhere",
    ],
    [
      "bases in a circle",
      [valid("a", { base: "b" }), valid("b", { base: "c" }), valid("c", { base: "b" })],
      "in a circle: b > c > b",
    ],
    [
      "a patch that does not fit",
      [valid("a", { base: "approval-expiry", patch: [{ op: "remove", path: "/playbook/nope" }] })],
      "operation 0 (remove /playbook/nope): nothing is there",
    ],
    ["a base that is no JSON", [valid("a", { base: "b" }), valid("b", "{ no")], "The base b is not JSON"],
    [
      "a base of which there are two",
      [valid("a", { base: "b" }), valid("b", exampleDocument), valid("b", {})],
      "Several vectors are named b",
    ],
  ];
  for (const [what, vectors, message] of broken) {
    it(`makes the vector broken by ${what}`, () => {
      const [result] = runVectors(vectors);
      expect(result?.failures.map((failure) => failure.message).join()).toContain(message);
    });
  }
});
