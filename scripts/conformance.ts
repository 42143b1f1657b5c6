/**
 * Runs conformance vectors: `npm run conformance [-- DIR…] [--only NAME] [--trace NAME] [--json]`. Every
 * `*.vector.json` under the given folders, by default `test/conformance`. Exits 1 on a failure, 2 on wrong usage.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runCorpus } from "../src/documents/conformance/corpus";
import { summarize } from "../src/documents/conformance/levels";
import type { VectorFile } from "../src/documents/conformance/read-vectors";
import { reportJson, resultLines, summaryLines, traceLines } from "../src/documents/conformance/report";

const USAGE = `usage: npm run conformance [-- DIR…] [--only NAME]… [--trace NAME]… [--json]
  DIR          a folder with *.vector.json files at any depth (default: test/conformance), or one such file
  --only NAME  runs only the vector of this name
  --trace NAME runs only this vector and prints its trace
  --json       prints one JSON object`;

class UsageError extends Error {}

function readArguments() {
  try {
    return parseArgs({
      options: {
        only: { type: "string", multiple: true, default: [] },
        trace: { type: "string", multiple: true, default: [] },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function vectorFiles(folder: string): VectorFile[] {
  if (!existsSync(folder)) throw new UsageError(`${folder}: there is no such folder.`);
  const paths = statSync(folder).isDirectory()
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".vector.json"))
        .sort()
        .map((path) => join(folder, path))
    : [folder];
  return paths
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ file: relative("", path), folder, text: readFileSync(path, "utf8") }));
}

function readBeside(file: string, path: string): string | null {
  const full = resolve(dirname(file), path);
  return existsSync(full) && statSync(full).isFile() ? readFileSync(full, "utf8") : null;
}

function main(): number {
  const { values, positionals } = readArguments();
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const folders = positionals.length > 0 ? positionals : [join(import.meta.dirname, "../test/conformance")];
  const files = folders.flatMap(vectorFiles);
  if (files.length === 0) throw new UsageError(`${folders.join(", ")}: no *.vector.json is there.`);
  const only = [...values.only, ...values.trace];
  const results = runCorpus(files, {
    readFile: readBeside,
    only,
    onResult: (result) => {
      if (!values.json) for (const line of resultLines(result)) console.log(line);
    },
  });
  const missing = only.filter((name) => !results.some((result) => result.name === name));
  if (missing.length > 0) throw new UsageError(`No vector is named ${missing.join(", ")}.`);

  const summary = summarize(results);
  if (values.json) console.log(reportJson(results, summary));
  else {
    const traced = results.filter(({ name }) => values.trace.includes(name));
    for (const line of [...traced.flatMap(traceLines), "", ...summaryLines(summary)]) console.log(line);
  }
  return summary.failed > 0 ? 1 : 0;
}

try {
  process.exitCode = main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n${USAGE}`);
  process.exitCode = 2;
}
