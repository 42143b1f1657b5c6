/** What counts as a vector: everything else is a failure with its reason, never passed over. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { APPROVAL_EXPIRY, expiryWith, failuresOf, runVectors } from "./support/vectors";

describe("a vector", () => {
  it("is read as it stands in the format's own example", () => {
    expect(failuresOf(APPROVAL_EXPIRY)).toEqual([]);
  });

  it("is read as the description of the format shows one", () => {
    const readme = readFileSync(resolve(import.meta.dirname, "../../../conformance/README.md"), "utf8");
    const [, shown = ""] = /```json\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(failuresOf(shown)).toEqual([]);
  });

  const step = (action: object) => expiryWith({ script: [action] });
  const broken: [string, object | string, string][] = [
    ["an unknown key", expiryWith({ comment: "x" }), 'Unrecognized key: "comment"'],
    ["an unknown group", expiryWith({ group: "soak" }), "/group"],
    ["no level", expiryWith({ level: undefined }), "/level"],
    ["a level beyond three", expiryWith({ level: 4 }), "/level"],
    ["an unknown expectation", expiryWith({}, { stauts: "x" }), 'Unrecognized key: "stauts"'],
    ["hostTrace in group runtime", expiryWith({}, { hostTrace: [] }), 'Unrecognized key: "hostTrace"'],
    ["an unknown script step", step({ sleep: "+1d" }), 'Unrecognized key: "sleep"'],
    ["a script step that does two things", step({ cancel: {}, pause: {} }), "expected exactly one of"],
    ["a script step that does nothing", step({ at: "+1d" }), "expected exactly one of"],
    ["a place on the clock that is none", step({ advanceTo: "1d" }), "/script/0/advanceTo"],
    ["a clock without an offset", step({ advanceTo: "2026-01-01T00:00:00" }), "/script/0/advanceTo"],
    [
      "an unknown decision",
      step({ decide: { gate: "gate", decision: "maybe" } }),
      "/script/0/decide/decision",
    ],
    ["an unknown trigger kind", step({ trigger: { kind: "cron" } }), "/script/0/trigger/kind"],
    ["a webhook without its event", step({ trigger: { kind: "webhook", source: "s" } }), "/event"],
    ["an empty expectState", step({ expectState: {} }), "expected at least one of"],
    [
      "an answer with an unknown key",
      expiryWith({ harness: { agents: { draft: [{ outptu: 1 }] } } }),
      "outptu",
    ],
    ["an empty list of answers", expiryWith({ harness: { agents: { draft: [] } } }), "at least one answer"],
    [
      "a negative cost",
      expiryWith({ harness: { tools: { t: [{ costMicroCents: -1 }] } } }),
      "costMicroCents",
    ],
    ["a start without an instant", expiryWith({ start: { at: "yesterday" } }), "/start/at"],
    ["document and documents at once", expiryWith({ documents: [{}] }), "either `document` or `documents`"],
    ["no document at all", expiryWith({ document: undefined }), "either `document` or `documents`"],
    ["traceExact without a trace", expiryWith({}, { trace: undefined, traceExact: true }), "`traceExact`"],
    [
      "an invalid document without a finding",
      { vector: "x", level: 1, group: "invalid", document: {}, expect: { findings: [] } },
      "at least one entry",
    ],
    [
      "a status expected of no run",
      { vector: "x", level: 1, group: "valid", document: {}, expect: { status: "completed" } },
      "without `start`",
    ],
    [
      "an unknown patch operation",
      expiryWith({ document: { base: "approval-expiry", patch: [{ op: "put" }] } }),
      "op",
    ],
    ["a misspelt patch", expiryWith({ document: { base: "approval-expiry", pacth: [] } }), "pacth"],
    ["text that is not JSON", '{"vector": "x",}', "1:16"],
    ["a key that stands twice", '{"vector": "x", "vector": "y"}', "/vector stands twice"],
    ["a list", "[]", "/"],
  ];
  for (const [what, vector, message] of broken) {
    it(`is broken by ${what}`, () => {
      const failures = failuresOf(vector);
      expect(failures.join("\n")).toContain("vector: broken:");
      expect(failures.join("\n")).toContain(message);
    });
  }

  it("counts against its own level when broken, or against the first if it does not say it", () => {
    const [known, unknown] = runVectors([expiryWith({ extra: 1 }), "{}"]);
    expect(known).toMatchObject({ name: "approval-expiry-again", level: 2, group: "runtime" });
    expect(unknown).toMatchObject({ name: "folder/1.vector.json", level: 1, group: null });
  });
});
