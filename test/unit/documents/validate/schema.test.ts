/** The published JSON Schema: it lets pass what the validator lets pass, and sees the same faults of shape. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/documents/model";
import { openPlaybookSchema } from "../../../../src/documents/schema";
import { validateDocument } from "../../../../src/documents/validate";
import { edited, example, sevenKinds } from "../support/documents";
import { jsonValueOf, mutate, mutation, treeOf } from "../support/mutations";

const schema = openPlaybookSchema();
const validator = new Validator(schema, "2020-12", true);
const passes = (value: unknown): boolean => validator.validate(value).valid;
const S = "/playbook/steps";

describe("the published schema", () => {
  it("is one of draft 2020-12 with an id, and can be written", () => {
    expect(schema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "/schemas/openplaybook-1.11.json",
      title: "OpenPlaybook 1.11",
    });
    expect(openPlaybookSchema("https://example.com/a.json").$id).toBe("https://example.com/a.json");
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    expect(JSON.stringify(schema)).not.toContain("isClosed");
  });

  it("lets the example and all seven kinds pass", () => {
    expect(validator.validate(example()).errors).toEqual([]);
    expect(validator.validate(sevenKinds()).errors).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["/opbVersion", 1.6],
    ["/playbook/id", "pvr_x"],
    ["/playbook/guardrails", undefined],
    ["/playbook/guardrails/maxLlmCostCents", -1],
    ["/playbook/guardrails/maxLlmCostCents", "0"],
    ["/playbook/guardrails/maxLLMCostCents", 5],
    ["/playbook/manifest/slug", "Not A Slug"],
    ["/playbook/status", "live"],
    ["/playbook/triggers/0/kind", "hook"],
    ["/playbook/triggers/0/vendor", 1],
    [`${S}/0/kind`, "agents"],
    [`${S}/0/role`, undefined],
    [`${S}/0/purpose`, ""],
    [`${S}/0/approvalPolicy/mode`, "yolo"],
    [`${S}/0/approvalPolicy/modes`, "auto"],
    [`${S}/1/onTimeout`, "approve"],
    [`${S}/1/timeout`, undefined],
    [`${S}/1/timeout`, "7D"],
    [`${S}/1/timeout`, "P1M"],
    [`${S}/1/autoApproveAfter`, "1d"],
    [`${S}/2/reason`, undefined],
    [`${S}/0`, { id: "draft", kind: "wait", next: "gate", duration: "1h", until: "x" }],
    [`${S}/0`, { id: "draft", kind: "wait", next: "gate", condition: "true" }],
    [`${S}/0`, { id: "draft", kind: "map", items: "trigger.x", next: "gate" }],
    [
      `${S}/0`,
      { id: "draft", kind: "map", items: "trigger.x", itemPlaybook: "a", concurrency: 0, next: "gate" },
    ],
    [`${S}/0`, { id: "draft", kind: "decision", branches: [], default: "gate" }],
    [
      `${S}/0`,
      {
        id: "draft",
        kind: "map",
        items: "trigger.x",
        itemStep: { id: "i", kind: "terminator", reason: "r" },
        next: "gate",
      },
    ],
  ])("refuses, as the validator does, %s = %j", (pointer, value) => {
    const document = edited({ [pointer]: value });
    expect(validateDocument({ value: document }, { mode: "publish" }).valid).toBe(false);
    expect(passes(document)).toBe(false);
  });

  it.each<[string, unknown]>([
    ["/requires", undefined],
    ["/playbook/tools", undefined],
    [`${S}/0/allowedTools`, undefined],
    [`${S}/1/timeout`, "P7D"],
    [`${S}/1/x-vendor`, { a: 1 }],
    ["/playbook/guardrails/x-vendor", 1],
    ["/playbook/manifest/vendor", 1],
  ])("lets pass, as the validator does, %s = %j", (pointer, value) => {
    const document = edited({ [pointer]: value });
    expect(validateDocument({ value: document }, { mode: "publish" }).valid).toBe(true);
    expect(validator.validate(document).errors).toEqual([]);
  });

  it("lets every mutated document pass that the validator has no finding for", () => {
    let clean = 0;
    fc.assert(
      fc.property(mutation, (one) => {
        const tree = treeOf(sevenKinds());
        mutate(tree, one);
        const value = jsonValueOf(tree);
        if (validateDocument({ value }, { mode: "publish" }).findings.length > 0) return;
        clean++;
        expect(validator.validate(value).errors).toEqual([]);
      }),
      { seed: 20_260_103, numRuns: 500 },
    );
    expect(clean).toBeGreaterThan(20);
  }, 120_000);

  it("lets every whole document of the corpus pass", () => {
    const folder = resolve(import.meta.dirname, "../../../conformance/valid");
    const whole = readdirSync(folder)
      .filter((file) => file.endsWith(".vector.json"))
      .map((file): JsonObject => JSON.parse(readFileSync(join(folder, file), "utf8")))
      .map(({ document }) => document)
      .filter((document) => typeof document === "object" && document !== null && "opbVersion" in document);
    expect(whole.length).toBeGreaterThan(0);
    for (const document of whole) expect(validator.validate(document).errors).toEqual([]);
  });
});
