/** Other spellings of names are read with a warning, and the document comes out in canonical names. */
import { describe, expect, it } from "vitest";
import { ALIASES, STEP_KINDS } from "../../../../src/documents/spec";
import { valueAt } from "../../../../src/documents/text/pointer";
import { validateDocument } from "../../../../src/documents/validate";
import { plainValue } from "../../../../src/documents/validate/plain-value";
import { edited, example, findingsWith, sevenKinds } from "../support/documents";

const S = "/playbook/steps";
const read = (value: unknown, pointer: string) => {
  const { document } = validateDocument({ value }, { mode: "publish" });
  return valueAt(plainValue(document).value, pointer);
};

describe("other spellings", () => {
  const all = Object.entries(ALIASES).flatMap(([kind, names]) =>
    Object.entries(names).map(([alias, name]) => [kind, alias, name] as const),
  );
  it.each(all)("in %s: %s is read as %s, and said", (kind, alias, name) => {
    const isStep = STEP_KINDS.some((known) => known === kind);
    const list = isStep ? S : "/playbook/triggers";
    const document = edited({ [`${list}/0`]: { kind, [alias]: "value" } });
    const { findings } = validateDocument({ value: document }, { mode: "publish" });
    expect(findings.filter(({ code }) => code === "E112")).toEqual([
      expect.objectContaining({ path: `${list}/0/${alias}`, severity: "warning" }),
    ]);
    expect(read(document, `${list}/0/${name}`)).toBe("value");
    expect(read(document, `${list}/0/${alias}`)).toBeUndefined();
  });

  it("name the place that stands in the text, at every depth", () => {
    const step = { id: "i", kind: "agent", role: "r", purpose: "p", tools: [5], failureMode: "halt_run" };
    const map = { id: "draft", kind: "map", over: 5, step, next: "gate" };
    expect(findingsWith({ [`${S}/0`]: map })).toEqual([
      `E110 ${S}/0/over`,
      `?E112 ${S}/0/over`,
      `E109 ${S}/0/step`,
      `?E112 ${S}/0/step`,
      `?E112 ${S}/0/step/tools`,
      `E110 ${S}/0/step/tools/0`,
    ]);
  });

  it("beside the canonical name are unknown, and never take its place", () => {
    const edits = { [`${S}/0/tools`]: ["send"], [`${S}/0/allowedTools`]: [] };
    expect(findingsWith(edits)).toEqual([`E105 ${S}/0/tools`]);
    expect(read(edited(edits), `${S}/0/allowedTools`)).toEqual([]);
  });

  it("two of one name are one too many", () => {
    const map = {
      id: "draft",
      kind: "map",
      items: "trigger.x",
      playbook: "a",
      subPlaybook: "b",
      next: "gate",
    };
    expect(findingsWith({ [`${S}/0`]: map })).toEqual([`?E112 ${S}/0/playbook`, `E105 ${S}/0/subPlaybook`]);
  });

  it("of another kind mean nothing", () => {
    expect(findingsWith({ [`${S}/0/over`]: "trigger.items" })).toEqual([`?E105 ${S}/0/over`]);
  });
});

describe("the canonical document", () => {
  it("has durations in their short form", () => {
    const edits = {
      [`${S}/0/retry/delay`]: "PT10S",
      [`${S}/3/duration`]: "P1DT2H",
      [`${S}/4/timeout`]: "P2W",
      [`${S}/5/itemStep/timeout`]: "PT1H",
      "/playbook/tools/0/timeout": "PT90S",
    };
    const document = edited(edits, sevenKinds());
    expect(Object.keys(edits).map((pointer) => read(document, pointer))).toEqual([
      "10s",
      "1d2h",
      "14d",
      "1h",
      "1m30s",
    ]);
    expect(read(edited({ [`${S}/1/timeout`]: "P1M" }), `${S}/1/timeout`)).toBe("P1M");
  });

  it("has the lists that may be left out", () => {
    const document = edited({
      "/requires": undefined,
      "/playbook/tools": undefined,
      [`${S}/0/allowedTools`]: undefined,
    });
    expect(read(document, "/requires")).toEqual({ connections: [], mcpServers: [], secrets: [] });
    expect(read(document, "/playbook/tools")).toEqual([]);
    expect(read(document, `${S}/0/allowedTools`)).toEqual([]);
  });

  it("is there in spite of errors, and not when it cannot be read", () => {
    expect(validateDocument({ value: edited({ [S]: 5 }) }, { mode: "publish" }).document).not.toBeNull();
    expect(validateDocument({ value: [] }, { mode: "publish" }).document).toBeNull();
    expect(validateDocument({ text: "{" }, { mode: "publish" }).document).toBeNull();
  });

  it("shares nothing with what was given", () => {
    const value = example();
    const before = JSON.stringify(value);
    validateDocument({ value: edited({ [`${S}/1/timeout`]: "P7D" }, value) }, { mode: "publish" });
    expect(JSON.stringify(value)).toBe(before.replace('"7d"', '"P7D"'));
  });
});
