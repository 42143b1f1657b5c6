/** What a browser is given is what stands in the sources. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { generate } from "../../../scripts/build-browser.mjs";
import { script, style } from "../../../src/dashboard/browser/generated";

const generated = new URL("../../../src/dashboard/browser/generated.ts", import.meta.url);

describe("the browser's bundle", () => {
  it("is up to date: `npm run build` makes it", async () => {
    expect(readFileSync(generated, "utf8")).toBe(await generate());
  });

  it("is small and needs nothing that the pages' policy forbids", () => {
    expect(script.text.length).toBeLessThan(40_000);
    expect(style.text.length).toBeLessThan(40_000);
    expect(script.text).not.toMatch(/\beval\(|new Function|setAttribute\("style"|innerHTML/);
    expect(style.text).not.toMatch(/@import|url\(/);
  });
});
