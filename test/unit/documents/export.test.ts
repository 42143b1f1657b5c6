/** Documents as files: complete, canonical, under the lowest minor, and the same bytes again. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exportDocument, exportedValue } from "../../../src/documents/export";
import type { Json, PlaybookDocument } from "../../../src/documents/model";
import { validateDocument } from "../../../src/documents/validate";
import { edited, example, SEVEN_KINDS, sevenKinds } from "./support/documents";
import { documents } from "./support/graphs";

function imported(value: unknown): PlaybookDocument {
  const { document, valid } = validateDocument({ value }, { mode: "publish" });
  if (!document || !valid) throw new Error("The document is valid.");
  return document;
}
const exported = (value: unknown): string => exportDocument(imported(value));
const turned = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, turned(member)]),
  );
};

describe("an exported document", () => {
  it("is the one that was read, under the lowest minor that can express it", () => {
    expect(JSON.parse(exported(example()))).toEqual(
      edited({ "/opbVersion": "1.0", "/playbook/opbVersion": "1.0" }),
    );
    expect(exportedValue(SEVEN_KINDS)).toEqual(
      edited({ "/opbVersion": "1.0", "/playbook/opbVersion": "1.0" }, sevenKinds()),
    );
  });

  it("is read again as the same, and written again in the same bytes", () => {
    fc.assert(
      fc.property(documents(), (document) => {
        const text = exportDocument(document);
        const again = validateDocument({ text }, { mode: "publish" });
        expect(again.findings).toEqual([]);
        expect(again.document && exportDocument(again.document)).toBe(text);
        expect(again.document).toEqual(exportedValue(document));
      }),
      { seed: 20_260_104, numRuns: 50 },
    );
  }, 60_000);

  it("does not depend on the order of members", () => {
    expect(exported(turned(example()))).toBe(exported(example()));
  });

  it("has members in the order of the format, unknown ones after them by name", () => {
    const document = edited({
      "/playbook/manifest/zeta": 1,
      "/playbook/manifest/alpha": 2,
      "/x-b": 1,
      "/x-a": 2,
    });
    const manifest = JSON.parse(exported(turned(document)));
    expect(Object.keys(manifest)).toEqual(["opbVersion", "requires", "playbook", "x-a", "x-b"]);
    expect(Object.keys(manifest.playbook.manifest).slice(-3)).toEqual(["premiumPriceCents", "alpha", "zeta"]);
    expect(Object.keys(manifest.playbook.steps[1])).toEqual([
      ..."id kind purpose approver timeout onTimeout next".split(" "),
    ]);
  });

  it("keeps the order of what users fill in themselves", () => {
    const configSchema = { type: "object", properties: { zeta: {}, alpha: {} } };
    expect(exported(edited({ "/playbook/configSchema": configSchema }))).toMatch(
      /"zeta": \{\},\s+"alpha": \{\}/,
    );
  });

  it("has canonical names, short durations, and lists that are empty", () => {
    const agent = { id: "i", kind: "agent", role: "r", purpose: "p", schema: {}, failureMode: "halt_run" };
    const map = {
      id: "draft",
      kind: "map",
      over: "trigger.x",
      step: { ...agent, approvalPolicy: { mode: "auto" } },
      next: "gate",
    };
    const value = JSON.parse(
      exported(
        edited({
          "/requires": undefined,
          "/playbook/tools": undefined,
          "/playbook/steps/0": map,
          "/playbook/steps/1/timeout": "P7D",
        }),
      ),
    );
    expect(value.requires).toEqual({ connections: [], mcpServers: [], secrets: [] });
    expect(value.playbook.tools).toEqual([]);
    expect(value.playbook.steps[1].timeout).toBe("7d");
    expect(value.playbook.steps[0]).toEqual({
      id: "draft",
      kind: "map",
      items: "trigger.x",
      itemStep: {
        ...agent,
        schema: undefined,
        outputSchema: {},
        allowedTools: [],
        approvalPolicy: { mode: "auto" },
      },
      next: "gate",
    });
  });
});
