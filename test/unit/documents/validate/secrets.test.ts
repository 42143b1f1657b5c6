import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { secretLook } from "../../../../src/documents/validate/secret-texts";
import { checkSecrets } from "../../../../src/documents/validate/secrets";
import { findingsOf, found, withSteps } from "../support/passes";

/** Written in two halves, so that no scanner of repositories takes them for what they imitate. */
const FAKES: Record<string, string> = {
  stripe: `sk_${"live_51H8xJ2eZvKYlo2C"}`,
  "stripe, short": `sk_${"live_abc1"}`,
  "stripe, restricted": `rk_${"test_51H8xJ2eZvKYlo2C"}`,
  github: `gh${"p_16C7e42F292c6912E7710c838347Ae178B4a"}`,
  "github, fine-grained": `github_${"pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwx"}`,
  gitlab: `glp${"at-x9Yz8Wv7Ut6Sr5Qp4On3"}`,
  aws: `AKI${"AIOSFODNN7EXAMPLE"}`,
  google: `AIz${"aSyA1234567890abcdefghijklmnopqrstuv"}`,
  slack: `xox${"b-123456789012-abcdefghijkl"}`,
  "model provider": `sk-${"ant-api03-abcdefghijklmnop"}`,
  jwt: `eyJ${"hbGciOiJIUzI1NiJ9.eyJ"}zdWIiOiIxMjM0In0.abcdefghijk`,
  pem: `-----BEGIN RSA ${"PRIVATE KEY"}-----\nMIIE`,
  openssh: `-----BEGIN OPENSSH ${"PRIVATE KEY"}-----`,
  address: `postgres://app:${"hunter2secret"}@db.example:5432/x`,
  random: `${"q7Rz9LmX2vKp4TwB"}${"8sNd6YhJ3fGc5Ae1"}`,
};

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const text = (letters: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...letters), minLength: length, maxLength: length });
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((list) => Buffer.from(list));

describe("a text that looks like a secret", () => {
  it("by its shape is found, alone and in other text, and is not shown", () => {
    for (const [name, fake] of Object.entries(FAKES))
      for (const written of [fake, `use ${fake} here`, `"${fake}"`]) {
        const look = secretLook(written);
        expect(look, `${name}: ${written}`).not.toBeNull();
        expect(look?.shown.length).toBeLessThan(10);
      }
  });

  it("by chance is found nine times out of ten", () => {
    for (const random of [text(LETTERS, 40), bytes(32).map((buffer) => buffer.toString("base64"))]) {
      const samples = fc.sample(random, { numRuns: 1000, seed: 1 });
      expect(samples.filter((sample) => secretLook(sample)).length).toBeGreaterThan(900);
    }
  });

  it("by the name of its member is found when it is no word", () => {
    for (const member of ["password", "apiKey", "client_secret", "accessToken", "AUTH_TOKEN"])
      expect(secretLook("Tr0ub4dor&3xyz", member), member).not.toBeNull();
    expect(secretLook("Tr0ub4dor&3xyz", "title")).toBeNull();
  });
});

describe("what only looks like one", () => {
  const never = (random: fc.Arbitrary<string>, member?: string) =>
    fc.assert(
      fc.property(
        random,
        (sample) => secretLook(sample, member) === null && secretLook(`see ${sample}.`, member) === null,
      ),
      { numRuns: 1000 },
    );

  it("are hashes, UUIDs and ids", () => {
    never(bytes(32).map((buffer) => buffer.toString("hex")));
    never(bytes(20).map((buffer) => buffer.toString("hex").toUpperCase()));
    never(bytes(32).map((buffer) => `sha256-${buffer.toString("base64")}`));
    never(bytes(32).map((buffer) => `sha256:${createHash("sha256").update(buffer).digest("hex")}`));
    never(fc.uuid());
    never(text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26).map((id) => `pvr_${id}`));
    never(text(`${LETTERS}_-`, 21));
    never(text(LETTERS, 44), "spreadsheetId");
  });

  it("are addresses, images, certificates and public keys", () => {
    never(text(LETTERS, 44).map((id) => `https://docs.example/d/${id}/edit?x=${id}`));
    never(bytes(90).map((buffer) => `data:image/png;base64,${buffer.toString("base64")}`));
    never(bytes(300).map((buffer) => buffer.toString("base64")));
    never(
      bytes(300).map(
        (buffer) => `-----BEGIN CERTIFICATE-----\n${buffer.toString("base64").replace(/(.{64})/g, "$1\n")}`,
      ),
    );
    never(bytes(51).map((buffer) => `ssh-ed25519 AAAAC3${buffer.toString("base64")}`));
  });

  it("are prose, long names, templates and placeholders", () => {
    for (const written of [
      "Keys of Stripe begin with sk_live_ or sk_test_; those of GitHub with ghp_, of AWS with AKIA.",
      "maxRunDurationSecondsForTheWholePlaybook2026AndItsSubPlaybooks",
      "/usr/local/lib/Python3.12/SitePackages/OpenPlaybook/Validators/v2",
      "postgres://app:<password>@db.example/x",
      `https://user:\${{ config.pass }}@host.example`,
      "2026-01-01T00:00:00.000+00:00/2026-12-31T23:59:59.999+00:00",
    ])
      expect(secretLook(written), written).toBeNull();
    for (const value of [
      "STRIPE_API_KEY",
      `\${{ config.key }}`,
      "correct horse battery staple",
      "<your key>",
      "operator",
      "",
    ])
      expect(secretLook(value, "apiKey"), value).toBeNull();
  });

  it("takes time that grows as the text does, or this would not end", () => {
    // From every part of these, a pattern without bounds would look on to the end.
    for (const part of ["a-", "a:", "eyJ-", "data:a;", "-----BEGIN A ", "Aa1", "a://b:", "SG."])
      expect(() => secretLook(part.repeat(524_288 / part.length))).not.toThrow();
  });

  it("is nothing in the valid documents of the corpus", () => {
    const folder = new URL("../../../conformance/valid/", import.meta.url);
    const files = existsSync(folder)
      ? readdirSync(folder).filter((name) => name.endsWith(".vector.json"))
      : [];
    const alarms = files.flatMap((name) => {
      const vector = JSON.parse(readFileSync(new URL(name, folder), "utf8"));
      const alarms = found(checkSecrets, vector).filter((finding) => finding.startsWith("R741"));
      return alarms.map((alarm) => `${name}: ${alarm}`);
    });
    expect(alarms).toEqual([]);
  });
});

describe("a document", () => {
  const tool = (input: unknown) => ({ id: "t", kind: "tool", tool: "x", input });

  it("holds no secret in any string, key or list, and the finding does not show it", () => {
    const { stripe = "", random = "" } = FAKES;
    const document = {
      ...withSteps([tool({ key: stripe, list: [[stripe]], [random]: 1 })]),
      "x-note": stripe,
    };
    expect(found(checkSecrets, document)).toEqual([
      "R741 /playbook/steps/0/input/key",
      "R741 /playbook/steps/0/input/list/0/0",
      `R741 /playbook/steps/0/input/${random}`,
      "R741 /x-note",
    ]);
    expect(JSON.stringify(findingsOf(checkSecrets, { x: stripe }))).not.toContain(stripe);
  });

  it("declares the secrets that tools name, by a text or an object", () => {
    const steps = [tool({ a: { $secret: "ONE" }, b: [{ $secret: "TWO" }] })];
    expect(found(checkSecrets, withSteps(steps, {}, { secrets: ["ONE", { name: "TWO" }] }))).toEqual([]);
    expect(found(checkSecrets, withSteps(steps, {}, { secrets: ["ONE"] }))).toEqual([
      "R742 /playbook/steps/0/input/b/0",
    ]);
    expect(found(checkSecrets, withSteps(steps))).toEqual([
      "R742 /playbook/steps/0/input/a",
      "R742 /playbook/steps/0/input/b/0",
    ]);
    expect(
      findingsOf(
        checkSecrets,
        withSteps([tool({ $secret: "STRIPE_KYE" })], {}, { secrets: ["STRIPE_KEY"] }),
      )[0]?.hint,
    ).toBe('did you mean "STRIPE_KEY"?');
  });

  it("names secrets in item steps too", () => {
    const map = { id: "m", kind: "map", itemStep: tool({ $secret: "ONE" }) };
    expect(found(checkSecrets, withSteps([map], {}, { secrets: ["ONE"] }))).toEqual([]);
    expect(found(checkSecrets, withSteps([map]))).toEqual(["R742 /playbook/steps/0/itemStep/input"]);
  });

  it("warns of a secret that no tool names, unless a step cannot be read", () => {
    expect(findingsOf(checkSecrets, withSteps([tool({})], {}, { secrets: ["ONE"] }))).toMatchObject([
      { code: "R743", severity: "warning", path: "/requires/secrets/0" },
    ]);
    expect(found(checkSecrets, withSteps([{ kind: "magic" }], {}, { secrets: ["ONE"] }))).toEqual([]);
  });

  it("cannot use one in its configuration or in a trigger", () => {
    const playbook = {
      config: { key: { $secret: "ONE" } },
      triggers: [{ kind: "manual", input: { $secret: "ONE" } }],
    };
    expect(found(checkSecrets, withSteps([], playbook))).toEqual([
      "X612 /playbook/config/key",
      "X612 /playbook/triggers/0/input",
    ]);
  });

  it("may be anything else", () => {
    for (const document of [
      {},
      { requires: { secrets: "x" } },
      { requires: { secrets: [7, null, {}] } },
      withSteps([tool(null), tool("x"), { kind: "tool" }]),
    ])
      expect(found(checkSecrets, document)).toEqual([]);
  });
});
