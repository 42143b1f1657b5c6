/** One local server for all tests of pages, with a state folder of its own; both are gone afterwards. */
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { freePort, startServer } from "../../../scripts/local/server";

const SWEEP_MS = 30_000;

declare module "vitest" {
  interface ProvidedContext {
    url: string;
    adminSecret: string;
    screenshots: string;
    stateDir: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stateDir = mkdtempSync(join(tmpdir(), "playmaker-e2e-"));
  const screenshots = join(import.meta.dirname, "..", "screenshots");
  rmSync(screenshots, { recursive: true, force: true });
  mkdirSync(screenshots, { recursive: true });
  // What the server says lies beside what the pages look like.
  const log = createWriteStream(join(screenshots, "server.log"));
  const server = await startServer({
    port: await freePort(),
    stateDir,
    stop: new AbortController().signal,
    logLevel: "log",
    show: (chunk) => log.write(chunk),
  });
  // As `npm run dev` does: the sweep sends again what a queue lost.
  const sweep = setInterval(() => void server.cron("* * * * *").catch(() => {}), SWEEP_MS);
  project.provide("url", server.url);
  project.provide("adminSecret", readFileSync(join(stateDir, "admin-secret"), "utf8").trim());
  project.provide("screenshots", screenshots);
  project.provide("stateDir", stateDir);
  return async () => {
    clearInterval(sweep);
    await server.stop();
    log.end();
    rmSync(stateDir, { recursive: true, force: true });
  };
}
