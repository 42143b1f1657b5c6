/** The WebAssembly that is shipped is what stands in its source. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generate } from "../../../scripts/build-wasm.mjs";
import { loadModule, MODULE } from "../../../scripts/wasm-module.mjs";

test("prim.wasm is up to date: `npm run build` makes it", { timeout: 60_000 }, async () => {
  expect(Buffer.from(await generate()).equals(readFileSync(MODULE))).toBe(true);
});

test("it is small and imports nothing", () => {
  expect(readFileSync(MODULE).length).toBeLessThan(4_096);
  expect(WebAssembly.Module.imports(loadModule())).toEqual([]);
});
