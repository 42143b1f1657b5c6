/** A finding says what would be right: over every invalid document of the corpus. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { validateTexts } from "../../../../src/documents/conformance/check-document";
import { DocumentSource } from "../../../../src/documents/conformance/documents";
import { readVector } from "../../../../src/documents/conformance/read-vectors";

const CORPUS = resolve(import.meta.dirname, "../../../conformance");

/** Their messages quote the engine, or say all there is to say: a member that may not stand there at all. */
const MAY_HAVE_NONE = new Set([
  ...["X601", "X603", "X607", "X608", "X609", "X612"],
  ...["E105", "E110", "R702", "S404", "S464"],
  ...["D209", "S414"],
]);

const load = (group: string) => {
  const folder = join(CORPUS, group);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".vector.json"))
    .flatMap((name) => {
      const file = join(folder, name);
      const reading = readVector({ file, folder, text: readFileSync(file, "utf8") });
      return reading.ok ? [reading.loaded] : [];
    });
};

describe("a finding", () => {
  it("has a hint, unless its message says it all", { timeout: 60_000 }, () => {
    const invalid = load("invalid");
    const source = new DocumentSource([...invalid, ...load("valid")], () => null);
    const silent = invalid.flatMap((loaded) =>
      validateTexts(source.textsOf(loaded))
        .findings.filter(({ code, hint }) => (hint ?? "") === "" && !MAY_HAVE_NONE.has(code))
        .map(({ code, path }) => `${loaded.vector.vector}: ${code} ${path}`),
    );
    expect(invalid.length).toBeGreaterThan(400);
    expect(silent).toEqual([]);
  });
});
