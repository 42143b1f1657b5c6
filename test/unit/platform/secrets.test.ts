/** Sealed secrets: what opens, what does not, and which settings are refused. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSettings } from "../../../src/env";
import { randomBytes } from "../../../src/platform/ids";
import { createSecrets, type SecretFault } from "../../../src/platform/secrets";

const keyOf = (fill: number): string => Buffer.alloc(32, fill).toString("base64");
const OLD = { kid: "old", key: keyOf(1) };
const NEW = { kid: "new", key: keyOf(2) };
const secrets = createSecrets([NEW, OLD], randomBytes);

const refusal = (fault: SecretFault) => ({ name: "SecretError", fault });

describe("a sealed secret", () => {
  it("opens for the org and name it was sealed for, whatever it holds", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.string(), fc.string(), async (text, org, name) => {
        expect(await secrets.open(org, name, await secrets.seal(org, name, text))).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  it("shows nothing of what it holds, and differs every time", async () => {
    const [one, two] = [await secrets.seal("a", "n", "whsec_x"), await secrets.seal("a", "n", "whsec_x")];
    expect(one).not.toBe(two);
    expect(one).not.toContain("whsec_x");
    expect(Buffer.from(one.split(".")[3] ?? "", "base64").toString("latin1")).not.toContain("whsec_x");
  });

  it.each([
    ["another org", "b", "n"],
    ["another name", "a", "m"],
    ["a boundary that moved", "an", ""],
  ])("does not open for %s", async (_, org, name) => {
    const sealed = await secrets.seal("a", "n", "text");
    await expect(secrets.open(org, name, sealed)).rejects.toMatchObject(refusal("not_authentic"));
  });

  it("does not open once any bit of nonce, text or tag was changed", async () => {
    const sealed = await secrets.seal("a", "n", "text");
    const [version, kid, nonce = "", ciphertext = ""] = sealed.split(".");
    const flipped = (base64: string, bit: number): string => {
      const bytes = Buffer.from(base64, "base64");
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return bytes.toString("base64");
    };
    const changed = [
      ...Array.from({ length: 12 * 8 }, (_, bit) => [version, kid, flipped(nonce, bit), ciphertext]),
      ...Array.from({ length: 20 * 8 }, (_, bit) => [version, kid, nonce, flipped(ciphertext, bit)]),
    ];
    for (const parts of changed) {
      await expect(secrets.open("a", "n", parts.join("."))).rejects.toMatchObject(refusal("not_authentic"));
    }
  });

  it.each([
    "",
    "whsec_x",
    "v1.new",
    "v2.new.AAAAAAAAAAAAAAAA.AAAA",
    "v1.new.AAAA.AAAA",
    "v1.new.AAAAAAAAAAAAAAAA.",
  ])("is told from other texts: %j", async (text) => {
    await expect(secrets.open("a", "n", text)).rejects.toMatchObject(refusal("malformed"));
  });
});

describe("a replaced key", () => {
  it("still opens what it sealed, while the first one seals", async () => {
    const before = await createSecrets([OLD], randomBytes).seal("a", "n", "text");
    expect(before).toMatch(/^v1\.old\./);
    expect(await secrets.open("a", "n", before)).toBe("text");
    expect(await secrets.seal("a", "n", "text")).toMatch(/^v1\.new\./);
  });

  it("that is gone is named, and one that was exchanged under its id opens nothing", async () => {
    const sealed = await createSecrets([OLD], randomBytes).seal("a", "n", "text");
    const without = createSecrets([NEW], randomBytes);
    await expect(without.open("a", "n", sealed)).rejects.toMatchObject(refusal("unknown_key"));
    await expect(without.open("a", "n", sealed)).rejects.toThrow('"old"');
    const exchanged = createSecrets([{ kid: "old", key: keyOf(3) }], randomBytes);
    await expect(exchanged.open("a", "n", sealed)).rejects.toMatchObject(refusal("not_authentic"));
  });
});

describe("SECRETS_KEYS", () => {
  it("is a list of keys in their order", () => {
    const text = JSON.stringify({ b: keyOf(1), a: keyOf(2) });
    expect(readSettings({ SECRETS_KEYS: text }).SECRETS_KEYS?.map(({ kid }) => kid)).toEqual(["b", "a"]);
  });

  it("may be absent", () => {
    expect(readSettings({}).SECRETS_KEYS).toBeUndefined();
  });

  const secret = "c2VjcmV0";
  it.each([
    ["no JSON", secret],
    ["empty", "{}"],
    ["a list", JSON.stringify([keyOf(1)])],
    ["keys that are no text", '{"a": 1}'],
    ["a key of 31 bytes", JSON.stringify({ a: Buffer.alloc(31, secret).toString("base64") })],
    ["a key in another alphabet", JSON.stringify({ a: "-".repeat(43).concat("=") })],
    ["a key with white space", JSON.stringify({ a: `${keyOf(1)} ` })],
    [
      "a number as id, which would come first whatever its place",
      JSON.stringify({ a: keyOf(1), "1": keyOf(2) }),
    ],
    ["a key in the place of its id", JSON.stringify({ [keyOf(9)]: "a" })],
  ])("refuses %s, naming itself and quoting nothing", (_, text) => {
    const read = () => readSettings({ SECRETS_KEYS: text });
    expect(read).toThrow(/^Settings: SECRETS_KEYS /);
    expect(read).not.toThrow(secret);
    expect(read).not.toThrow(keyOf(9));
  });
});
