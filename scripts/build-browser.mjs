// Bundles what pages load in a browser into one TypeScript file, so that every environment serves the same bytes.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const FOLDER = join(import.meta.dirname, "..", "src", "dashboard", "browser");

async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [join(FOLDER, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome123", "firefox128", "safari17.5"],
    legalComments: "none",
    logLevel: "error",
  });
  return outputFiles[0].text.trim();
}

const hashOf = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** @returns the text of `generated.ts` */
export async function generate() {
  const [script, style] = await Promise.all([bundle("desk.ts"), bundle("desk.css")]);
  const entry = (name, text) =>
    `export const ${name} = {\n  hash: ${JSON.stringify(hashOf(text))},\n  text: ${JSON.stringify(text)},\n};\n`;
  return `// Made by scripts/build-browser.mjs from desk.ts and desk.css; do not edit.\n${entry("script", script)}${entry("style", style)}`;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(FOLDER, "generated.ts"), await generate());
}
