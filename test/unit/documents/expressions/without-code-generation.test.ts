/** Workers refuse eval and `new Function`: expressions, templates and users' schemas do without. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { expect, it } from "vitest";

it("everything of expressions and users' schemas works where code cannot be made from strings", () => {
  const entry = fileURLToPath(new URL("without-code-generation.ts", import.meta.url));
  const [bundle] = buildSync({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  }).outputFiles;
  const run = spawnSync(
    process.execPath,
    ["--disallow-code-generation-from-strings", "--input-type=module"],
    {
      input: bundle?.text ?? "",
      encoding: "utf8",
    },
  );
  expect(run.stderr).toBe("");
  expect(JSON.parse(run.stdout)).toEqual({
    evalRefused: true,
    values: [
      { ok: true, value: true },
      { ok: true, value: "2026-01-01T01:00:00.000Z" },
      { ok: true, value: 19 },
      { ok: true, value: [2, 3, 4] },
    ],
    filled: { ok: true, value: { a: 150, b: "n: [1,2,3]" } },
    faults: 2,
    mismatch: 1,
  });
}, 60_000);
