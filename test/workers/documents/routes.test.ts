/** OpenPlaybook over HTTP: documents as they came, what is found in them, and what is open to everybody. */

import { env, exports } from "cloudflare:workers";
import { Validator } from "@cfworker/json-schema";
import { beforeAll, describe, expect, it } from "vitest";
import { MINIMAL_DOCUMENT } from "../../../src/documents/minimal-document";
import { LIMITS, STEP_KINDS, TRIGGER_KINDS } from "../../../src/documents/spec";

interface Answer {
  valid: boolean;
  findings: { code: string; severity: string; path: string; line?: number; column?: number }[];
}

const TEXT = JSON.stringify(MINIMAL_DOCUMENT, null, 2);
let key = "";

const send = (path: string, init: RequestInit = {}, bearer = key) =>
  exports.default.fetch(
    new Request(`http://localhost${path}`, { ...init, headers: { authorization: `Bearer ${bearer}` } }),
  );

async function validate(body: BodyInit, query = ""): Promise<Answer> {
  const response = await send(`/api/openplaybook/validate${query}`, { method: "POST", body });
  expect(response.status).toBe(200);
  return response.json<Answer>();
}
const codes = ({ findings }: Answer) => findings.map(({ code }) => code);

beforeAll(async () => {
  const response = await send(
    "/api/orgs",
    { method: "POST", body: JSON.stringify({ name: "documents" }) },
    env.ADMIN_SECRET,
  );
  key = (await response.json<{ key: { key: string } }>()).key.key;
});

describe("POST /api/openplaybook/validate", () => {
  it("finds nothing in a good document", async () => {
    expect(await validate(TEXT)).toEqual({ valid: true, findings: [] });
  });

  it("tells every fault at its place in the text that was sent", async () => {
    const text = TEXT.replace('"next": "done"', '"next": "dnoe"').replace(
      '"kind": "manual"',
      '"kind": "email"',
    );
    const { valid, findings } = await validate(text);
    expect(valid).toBe(false);
    const lines = text.split("\n");
    const placeOf = (part: string) => {
      const line = lines.findIndex((each) => each.includes(part));
      return { line: line + 1, column: (lines[line] ?? "").indexOf(part) + 1 };
    };
    expect(findings).toMatchObject([
      { code: "G502", path: "/playbook/steps/0/next", severity: "error", ...placeOf('"dnoe"') },
      { code: "T301", path: "/playbook/triggers/0/kind", severity: "error", ...placeOf('"email"') },
    ]);
  });

  it("sees a cap that stands twice, of which a parser would keep the second", async () => {
    const smuggled = TEXT.replace('"maxLlmCostCents": 10', '"maxLlmCostCents": 10, "maxLlmCostCents": 99999');
    expect(codes(await validate(smuggled))).toEqual(["E106"]);
  });

  it("sees what is lost when bytes become text: a byte order mark, bytes that are not UTF-8, NULs", async () => {
    const bytes = new TextEncoder().encode(TEXT);
    expect(codes(await validate(new Uint8Array([0xef, 0xbb, 0xbf, ...bytes])))).toEqual(["E100"]);
    expect(codes(await validate(new Uint8Array([...bytes.slice(0, 40), 0xff, ...bytes.slice(40)])))).toEqual([
      "E100",
    ]);
    expect(codes(await validate(TEXT.replace('"say-sorry"', '"say\\u0000sorry"')))).toEqual(["D204"]);
  });

  it.each([
    ["nothing", ""],
    ["a list", "[]"],
    ["no JSON", "opbVersion: 1.6"],
    ["deep nesting", "[".repeat(200_000)],
  ])("answers %s with findings, not with a fault", async (_, body) => {
    const answer = await validate(body);
    expect(answer.valid).toBe(false);
    expect(answer.findings.length).toBeGreaterThan(0);
    expect(answer.findings.every(({ code }) => /^(E100|L80[12])$/.test(code))).toBe(true);
  });

  it("tells a document that is too large so, and refuses to read one that is far too large", async () => {
    const padded = (bytes: number) =>
      JSON.stringify({
        "x-pad": Array.from({ length: bytes / 1000 }, () => "a".repeat(997)),
        ...MINIMAL_DOCUMENT,
      });
    expect(codes(await validate(padded(LIMITS.documentBytes + 1000)))).toEqual(["L801"]);
    const response = await send("/api/openplaybook/validate", { method: "POST", body: padded(1_100_000) });
    expect(response.status).toBe(413);
  });

  it("warns of a newer minor when it only inspects", async () => {
    const newer = TEXT.replaceAll('"1.0"', '"1.12"');
    expect(await validate(newer)).toMatchObject({ valid: false });
    const inspected = await validate(newer, "?mode=inspect");
    expect(inspected.valid).toBe(true);
    expect(inspected.findings).toMatchObject([{ code: "E103", severity: "warning" }]);
  });

  it("refuses a mode that it does not know, and a caller without a key", async () => {
    const init = { method: "POST", body: TEXT };
    expect((await send("/api/openplaybook/validate?mode=loose", init)).status).toBe(422);
    expect((await send("/api/openplaybook/validate", init, "pm_unknown")).status).toBe(401);
  });
});

describe("what is open to everybody", () => {
  const open = async (path: string) => {
    const response = await exports.default.fetch(new Request(`http://localhost${path}`));
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(response.headers.get("set-cookie")).toBeNull();
    return response.json<Record<string, unknown>>();
  };

  it("is the JSON Schema, which accepts the good document and refuses others", async () => {
    const schema = await open("/schemas/openplaybook-1.11.json");
    expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    const validator = new Validator(schema, "2020-12");
    expect(validator.validate(MINIMAL_DOCUMENT).valid).toBe(true);
    const { playbook } = MINIMAL_DOCUMENT;
    for (const steps of [[{ id: "a", kind: "loop" }], [{ id: "1", kind: "terminator", reason: "x" }]])
      expect(validator.validate({ ...MINIMAL_DOCUMENT, playbook: { ...playbook, steps } }).valid).toBe(false);
  });

  it("is what documents may hold here", async () => {
    const capability = await open("/.well-known/openplaybook");
    expect(capability).toMatchObject({
      opbVersionMax: "1.11",
      conformanceLevel: 2,
      expression: "cel",
      stepKinds: STEP_KINDS,
      triggerKinds: TRIGGER_KINDS,
      limits: { documentBytes: 262_144, steps: 200 },
    });
    const versions = Array.from({ length: 12 }, (_, age) => `1.${11 - age}`);
    expect(capability.opbVersions).toEqual(versions);
  });
});
