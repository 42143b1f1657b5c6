/** Every vector of the corpus as a test of its own, run straight: what mutants of the reducer and validator meet. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { DocumentSource } from "../../src/documents/conformance/documents";
import { readVector } from "../../src/documents/conformance/read-vectors";
import { runVector } from "../../src/documents/conformance/run-vector";

const FOLDER = resolve(import.meta.dirname, "../conformance");

const loaded = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".vector.json"))
  .sort()
  .map((name) => {
    const file = join(FOLDER, name);
    const reading = readVector({ file, folder: FOLDER, text: readFileSync(file, "utf8") });
    if (!reading.ok) throw new Error(`${file}: ${reading.broken.faults.join("; ")}`);
    return reading.loaded;
  });
const source = new DocumentSource(loaded, (file, path) => {
  const full = resolve(dirname(file), path);
  return existsSync(full) ? readFileSync(full, "utf8") : null;
});

describe("a vector", () => {
  it.each(loaded.map((one) => [one.vector.vector, one] as const))("%s holds", (_, one) => {
    expect(runVector(one, source, "straight").failures).toEqual([]);
  });
});
