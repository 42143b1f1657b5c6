/** Unknown members: kept with a warning where documents describe, refused where they protect. */
import { describe, expect, it } from "vitest";
import { validateDocument } from "../../../../src/documents/validate";
import { edited, findingsIn, findingsWith, sevenKinds } from "../support/documents";

const S = "/playbook/steps";

describe("an unknown member", () => {
  it.each([
    "/vendor",
    "/requires/vendor",
    "/requires/connections/0/vendor",
    "/requires/mcpServers/0/vendor",
    "/requires/secrets/0/vendor",
    "/provenance/vendor",
    "/playbook/vendor",
    "/playbook/manifest/vendor",
    "/playbook/manifest/author/vendor",
    "/playbook/tools/0/vendor",
    `${S}/0/vendor`,
    `${S}/1/vendor`,
    `${S}/2/vendor`,
    `${S}/3/vendor`,
    `${S}/5/vendor`,
    `${S}/7/vendor`,
  ])("%s is kept with a warning", (pointer) => {
    const result = validateDocument(
      { value: edited({ [pointer]: { a: 1 } }, sevenKinds()) },
      { mode: "publish" },
    );
    expect(result.findings.map(({ code, path, severity }) => [code, path, severity])).toEqual([
      ["E105", pointer, "warning"],
    ]);
    expect(JSON.stringify(result.document)).toContain('"vendor":{"a":1}');
  });

  it.each([
    ["/playbook/guardrails/vendor", "R702"],
    ["/playbook/triggers/0/vendor", "E105"],
    ["/playbook/triggers/1/vendor", "E105"],
    ["/playbook/triggers/1/filters/0/vendor", "E105"],
    ["/playbook/triggers/2/vendor", "E105"],
    ["/playbook/triggers/3/vendor", "E105"],
    ["/playbook/triggers/4/vendor", "E105"],
    [`${S}/0/retry/vendor`, "E105"],
    [`${S}/1/approvalPolicy/vendor`, "E105"],
    [`${S}/2/branches/0/vendor`, "E105"],
    [`${S}/4/vendor`, "E105"],
    [`${S}/4/approver/vendor`, "E105"],
    [`${S}/5/itemStep/vendor`, "E105"],
  ])("%s is refused as %s", (pointer, code) => {
    expect(findingsIn(edited({ [pointer]: 1 }, sevenKinds()))).toEqual([`${code} ${pointer}`]);
  });

  it.each([
    ["/playbook/maxToolCalls", "a guardrail outside of them", "it belongs into playbook.guardrails"],
    [
      "/playbook/manifest/requiresApprovalFor",
      "a guardrail in the manifest",
      "it belongs into playbook.guardrails",
    ],
    ["/playbook/guardrail", "a mistyped member of the playbook", 'did you mean "guardrails"?'],
    ["/playbok", "a mistyped member of the file", 'did you mean "playbook"?'],
    [`${S}/0/aproval`, "nothing near", undefined],
    [`${S}/1/allowedTool`, "a mistyped member of the step", 'did you mean "allowedTools"?'],
    [`${S}/1/maxCostCent`, "a mistyped cap", 'did you mean "maxCostCents"?'],
    [`${S}/1/concurrency`, "a member of another kind", "it is of map steps"],
    [`${S}/3/allowSelfApproval`, "a member of gates", "it is of approval steps"],
    [`${S}/1/maxToolCalls`, "a guardrail in a step", "it belongs into playbook.guardrails"],
  ])("%s, %s, is told with %j", (pointer, _, hint) => {
    const { findings } = validateDocument(
      { value: edited({ [pointer]: 1 }, sevenKinds()) },
      { mode: "publish" },
    );
    const isKnownPlace = hint !== undefined;
    expect(findings).toEqual([
      expect.objectContaining({ code: "E105", path: pointer, severity: isKnownPlace ? "error" : "warning" }),
    ]);
    if (isKnownPlace) expect(findings[0]?.hint).toBe(hint);
  });

  it("that is an edge of other kinds is S404", () => {
    expect(findingsWith({ [`${S}/2/next`]: "draft" })).toEqual([`S404 ${S}/2/next`]);
    expect(findingsWith({ [`${S}/0/branches`]: [] })).toEqual([`S404 ${S}/0/branches`]);
    expect(findingsWith({ [`${S}/0/default`]: "gate" })).toEqual([`S404 ${S}/0/default`]);
    expect(findingsWith({ [`${S}/0/onReject`]: "gate" })).toEqual([`S404 ${S}/0/onReject`]);
    expect(findingsIn(edited({ [`${S}/2/next`]: "gate" }, sevenKinds()))).toEqual([`S404 ${S}/2/next`]);
  });

  it("with x- is allowed everywhere and kept", () => {
    const places = [
      "",
      "/requires",
      "/playbook",
      "/playbook/manifest",
      "/playbook/manifest/author",
      "/provenance",
    ];
    places.push(
      "/playbook/tools/0",
      "/playbook/triggers/1",
      "/playbook/triggers/1/filters/0",
      "/playbook/guardrails",
    );
    places.push(
      `${S}/0/retry`,
      `${S}/1/approvalPolicy`,
      `${S}/2/branches/0`,
      `${S}/4/approver`,
      `${S}/5/itemStep`,
    );
    for (let index = 0; index < 9; index++) places.push(`${S}/${index}`);
    const edits = Object.fromEntries(places.map((place) => [`${place}/x-vendor`, { a: [1] }]));
    const { findings, document } = validateDocument(
      { value: edited(edits, sevenKinds()) },
      { mode: "publish" },
    );
    expect(findings).toEqual([]);
    expect(JSON.stringify(document).split('"x-vendor":{"a":[1]}')).toHaveLength(places.length + 1);
  });

  it("of another case is no extension", () => {
    expect(findingsWith({ "/playbook/guardrails/X-vendor": 1 })).toEqual([
      "R702 /playbook/guardrails/X-vendor",
    ]);
  });
});
