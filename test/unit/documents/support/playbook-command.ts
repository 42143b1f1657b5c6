/** `npm run playbook` in processes of their own, in a folder that holds a good document. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect } from "vitest";
import { MINIMAL_DOCUMENT } from "../../../../src/documents/minimal-document";

export const ROOT = resolve(import.meta.dirname, "../../../..");
export const COMMAND_MS = 120_000;
/** What stands in `good.playbook.json`. */
export const TEXT = `${JSON.stringify(MINIMAL_DOCUMENT, null, 2)}\n`;

/** That text with one replacement, which must be possible. */
export function changed(from: string, to: string): string {
  expect(TEXT).toContain(from);
  return TEXT.replace(from, () => to);
}

/** The command, compiled once for the tests of a file, since many processes run it. */
export function usePlaybookCommand() {
  let folder = "";
  const file = (name: string, text: string | Uint8Array): string => {
    writeFileSync(join(folder, name), text);
    return name;
  };
  const playbook = (args: readonly string[], input?: string) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, "playbook.mjs"), ...args], {
      ...{ cwd: folder, encoding: "utf8", timeout: COMMAND_MS },
      ...(input !== undefined && { input }),
    });
    return { status, stdout, stderr };
  };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "playbook-"));
    file("good.playbook.json", TEXT);
    await build({
      entryPoints: [join(ROOT, "scripts/playbook.ts")],
      outfile: join(folder, "playbook.mjs"),
      ...{ bundle: true, platform: "node", format: "esm", logLevel: "warning" },
    });
  }, COMMAND_MS);
  afterAll(() => rmSync(folder, { recursive: true }));
  return { playbook, file };
}
