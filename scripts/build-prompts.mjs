/**
 * Compiles prompts/<id>/<version>.md into src/platform/prompts/generated.ts, which every runtime can load.
 * `node scripts/build-prompts.mjs` writes it; with `--check` it only fails when the file is stale.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const promptsFolder = new URL("../prompts/", import.meta.url);
const generatedFile = new URL("../src/platform/prompts/generated.ts", import.meta.url);

/** The text of a template literal that evaluates to `text`. */
function templateLiteral(text) {
  return `\`${text.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${")}\``;
}

function foldersAndFiles() {
  const keys = [];
  for (const folder of readdirSync(promptsFolder, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    for (const file of readdirSync(new URL(`${folder.name}/`, promptsFolder))) {
      if (file.endsWith(".md")) keys.push(`${folder.name}/${file.slice(0, -".md".length)}`);
    }
  }
  return keys.sort();
}

/** The whole text of generated.ts for the prompts as they stand on disk. */
export function renderGenerated() {
  const entries = foldersAndFiles().map((key) => {
    const text = readFileSync(new URL(`${key}.md`, promptsFolder), "utf8").replaceAll("\r\n", "\n");
    return `  ${JSON.stringify(key)}: ${templateLiteral(text)},\n`;
  });
  return `/** Written by scripts/build-prompts.mjs from prompts/; edit those and run it again. */
export const promptSources: Readonly<Record<string, string>> = {
${entries.join("")}};
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = renderGenerated();
  if (process.argv.includes("--check")) {
    if (readFileSync(generatedFile, "utf8") !== text) {
      console.error("src/platform/prompts/generated.ts is stale: run node scripts/build-prompts.mjs");
      process.exitCode = 1;
    }
  } else {
    writeFileSync(generatedFile, text);
  }
}
