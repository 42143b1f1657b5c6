/** Versions of the format, and who a playbook is. */
import { describe, expect, it } from "vitest";
import type { PlaybookDocument } from "../../../../src/documents/model";
import { validateDocument } from "../../../../src/documents/validate";
import { lowestMinor, newFeatures } from "../../../../src/documents/validate/features";
import { edited, example, findingsWith, SEVEN_KINDS } from "../support/documents";

const INNER = "/playbook/opbVersion";
const M = "/playbook/manifest";
const OTHER_ID = "plb_00000000000000000000000000";

describe("the format version", () => {
  const both = (outer: unknown, inner: unknown) => ({ "/opbVersion": outer, [INNER]: inner });
  it.each<[unknown, unknown, string[]]>([
    ["1.0", "1.0", []],
    ["1.11", "1.11", []],
    ["1.12", "1.12", ["E103 /opbVersion"]],
    ["1.6", "1.12", [`E103 ${INNER}`, `E104 ${INNER}`]],
    ["1.12", "1.6", ["E103 /opbVersion", `?E104 ${INNER}`]],
    ["1.99999999999999999999", "1.6", ["E103 /opbVersion", `?E104 ${INNER}`]],
    ["1.6", "1.7", [`E104 ${INNER}`]],
    ["1.7", "1.6", [`?E104 ${INNER}`]],
    ["2.0", "2.0", ["E102 /opbVersion"]],
    ["0.9", "1.6", ["E102 /opbVersion"]],
    ["1.6", "2.0", [`E102 ${INNER}`]],
    [1.6, "1.6", ["E101 /opbVersion"]],
    ["1.6.0", "1.6", ["E101 /opbVersion"]],
    ["1", "1", ["E101 /opbVersion"]],
    ["1", "v1.6", ["E101 /opbVersion", `E101 ${INNER}`]],
    ["1.06", "1.6", ["E101 /opbVersion"]],
    [" 1.6", "1.6", ["E101 /opbVersion"]],
    [null, "1.6", ["E101 /opbVersion"]],
  ])("%j around %j gives %j", (outer, inner, findings) => {
    expect(findingsWith(both(outer, inner))).toEqual(findings);
  });

  it("that is newer is only a warning for whoever only looks", () => {
    expect(findingsWith(both("1.12", "1.12"), { mode: "inspect" })).toEqual(["?E103 /opbVersion"]);
    expect(findingsWith(both("2.0", "2.0"), { mode: "inspect" })).toEqual(["E102 /opbVersion"]);
  });
});

describe("features of later minors", () => {
  const SINCE = {
    "/playbook/steps/*:agent/maxCostCents": 4,
    "/playbook/guardrails/maxToolCalls": 7,
    "/x/*/y": 9,
  };
  const document = JSON.parse(JSON.stringify(SEVEN_KINDS));
  it("are found by pattern, kinds included", () => {
    expect(newFeatures(document, SINCE)).toEqual([
      { pointer: "/playbook/steps/1/maxCostCents", minor: 4 },
      { pointer: "/playbook/guardrails/maxToolCalls", minor: 7 },
    ]);
    expect(newFeatures(document, { "/playbook/steps/*:tool/maxCostCents": 4 })).toEqual([]);
    expect(newFeatures({ "a/b": { c: 1 } }, { "/a~1b/*": 2 })).toEqual([{ pointer: "/a~1b/c", minor: 2 }]);
  });
  it("decide the lowest minor that can express a document", () => {
    expect(lowestMinor(document, SINCE)).toBe(7);
    expect(lowestMinor(example(), SINCE)).toBe(0);
  });
});

describe("a playbook's identity", () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ["ids that differ", { [`${M}/id`]: OTHER_ID }, [`D203 ${M}/id`]],
    ["an id that is none", { [`${M}/id`]: "plb_x" }, [`D201 ${M}/id`]],
    [
      "both ids the same and wrong",
      { [`${M}/id`]: "x", "/playbook/playbookId": "x" },
      [`D201 ${M}/id`, "D201 /playbook/playbookId"],
    ],
    [
      "a letter that Crockford leaves out",
      { "/playbook/id": "pvr_I17KJBXF1JN52X4RR9XXQQ8825" },
      ["D201 /playbook/id"],
    ],
    [
      "a premium playbook without a price",
      { [`${M}/pricingTier`]: "premium" },
      [`D205 ${M}/premiumPriceCents`],
    ],
    ["a free one with a price", { [`${M}/premiumPriceCents`]: 5 }, [`D205 ${M}/premiumPriceCents`]],
    [
      "a price of nothing",
      { [`${M}/pricingTier`]: "premium", [`${M}/premiumPriceCents`]: 0 },
      [`D205 ${M}/premiumPriceCents`],
    ],
    ["a price of half a cent", { [`${M}/premiumPriceCents`]: 0.5 }, [`D205 ${M}/premiumPriceCents`]],
    [
      "a premium playbook with a price",
      { [`${M}/pricingTier`]: "premium", [`${M}/premiumPriceCents`]: 1 },
      [],
    ],
    [
      "a connector that is not declared",
      { [`${M}/requiredConnectors`]: ["crm"] },
      [`?D208 ${M}/requiredConnectors/0`],
    ],
    ["one that is, by name", { [`${M}/requiredConnectors`]: ["crm"], "/requires/connections": ["crm"] }, []],
    [
      "one that is, as an object",
      { [`${M}/requiredConnectors`]: ["crm"], "/requires/connections": [{ id: "crm" }] },
      [],
    ],
    ["a pre-release", { "/playbook/version": "1.0.0-rc.1+build.5" }, []],
  ])("with %s", (_, edits, findings) => {
    expect(findingsWith(edits)).toEqual(findings);
  });

  it("that is a draft is started by hand only, and may be looked at", () => {
    const status = { "/playbook/status": "draft" };
    expect(findingsWith(status)).toEqual(["D207 /playbook/status"]);
    expect(findingsWith({ "/playbook/status": "archived" })).toEqual(["D207 /playbook/status"]);
    expect(findingsWith({ "/playbook/status": "deprecated" })).toEqual([]);
    expect(findingsWith(status, { mode: "inspect" })).toEqual([]);
    expect(findingsWith({ ...status, "/playbook/triggers/0": { kind: "manual" } })).toEqual([]);
    expect(findingsWith({ ...status, "/playbook/triggers/0/enabled": false })).toEqual([]);
  });

  it("keeps what was published under a version", () => {
    const { document } = validateDocument({ value: example() }, { mode: "publish" });
    const others = document ? [document] : [];
    expect(findingsWith({}, { others })).toEqual([]);
    expect(findingsWith({ "/x-note": 1 }, { others })).toEqual([]);
    expect(findingsWith({ "/playbook/instructions": "Other." }, { others })).toEqual([
      "D211 /playbook/version",
    ]);
    expect(
      findingsWith({ "/playbook/instructions": "Other.", "/playbook/version": "1.0.1" }, { others }),
    ).toEqual([]);
  });

  it("takes another order of members and other spellings for the same content", () => {
    const { document } = validateDocument(
      { value: edited({ "/playbook/tools": undefined }) },
      { mode: "publish" },
    );
    const others: PlaybookDocument[] = document ? [document] : [];
    const { playbook, ...rest } = example();
    const turned = Object.fromEntries(Object.entries(playbook ?? {}).reverse());
    expect(
      validateDocument({ value: { ...rest, playbook: turned } }, { mode: "publish", others }).valid,
    ).toBe(true);
  });
});

describe("a configuration", () => {
  it.each<[unknown, unknown, string[]]>([
    [{ type: "object", properties: { n: { type: "integer" } } }, { n: 5 }, []],
    [{ type: "object", properties: { n: { type: "integer" } } }, { n: "5" }, ["D210 /playbook/config/n"]],
    [{ type: "object", required: ["n"] }, {}, ["D210 /playbook/config"]],
    [{ type: "object", required: ["n"] }, undefined, []],
    [{ typ: "object" }, { n: 5 }, ["D209 /playbook/configSchema/typ"]],
    [
      { type: "object", properties: { n: { $ref: "#/nope" } } },
      { n: 5 },
      ["D209 /playbook/configSchema/properties/n/$ref"],
    ],
    [{}, { anything: [1] }, []],
    [{}, [], ["E110 /playbook/config"]],
  ])("of %j as %j gives %j", (configSchema, config, findings) => {
    expect(findingsWith({ "/playbook/configSchema": configSchema, "/playbook/config": config })).toEqual(
      findings,
    );
  });
});
