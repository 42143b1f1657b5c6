/**
 * `npm run test:compat:reflexio`: the real Python client from the package index against the local Worker.
 * `-- --only NAME` runs the methods whose name contains NAME. COMPAT_PYTHON names another interpreter.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { runPython, virtualEnvironment } from "./compat/python";
import { seedDocument } from "./compat/seed";
import { createApi } from "./demo/api";
import { askedToStop, untilAborted } from "./local/lifetime";
import { freePort, type LocalServer, startServer } from "./local/server";

const TESTS = join(import.meta.dirname, "..", "test", "compat");
const newOrg = z.object({ key: z.object({ key: z.string() }) });

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
const stateDir = mkdtempSync(join(tmpdir(), "playmaker-compat-"));
const stop = askedToStop();
let server: LocalServer | undefined;
let exitCode = 1;
try {
  console.log("Installing the client.");
  const python = await virtualEnvironment(join(TESTS, "requirements.txt"), stop);
  server = await startServer({ port: await freePort(), stateDir, stop, logLevel: "error" });
  const adminSecret = readFileSync(join(stateDir, "admin-secret"), "utf8").trim();
  const { key } = await createApi(server.url, adminSecret)(newOrg, "POST", "/api/orgs", { name: "Compat" });
  const seed = seedDocument();
  const args = ["--url", server.url, "--only", values.only, ...(seed === null ? [] : ["--seed", seed])];
  if (seed === null) console.log("The seed document is not beside the project: its list is taken as known.");
  const run = runPython(python, join(TESTS, "reflexio_client.py"), args, { COMPAT_KEY: key.key }, stop);
  exitCode = await Promise.race([run, untilAborted(stop)]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
} finally {
  await server?.stop();
  rmSync(stateDir, { recursive: true, force: true });
}
process.exit(exitCode);
