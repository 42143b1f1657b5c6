/** Starts and stops the local Worker: migrations applied, state kept, nothing left behind. */
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type Guarded, runWrangler } from "./process";
import { writeSettings } from "./settings";

const HOST = "127.0.0.1";
const MIGRATION_MS = 60_000;
const STARTUP_MS = 60_000;
const HEALTH_MS = 2_000;
const CRON_MS = 120_000;
const POLL_MS = 100;

export interface LocalServer {
  url: string;
  /** Sends a cron event to the Worker. @throws Error when the Worker does not take it */
  cron(expression: string): Promise<void>;
  stop(): Promise<void>;
  /** Resolves when the server ends by itself. */
  ended: Promise<unknown>;
}

/** A start that failed, in words for the person at the terminal. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}

/** @returns a port that is free: the one asked for, or for 0 any. @throws StartupError when it is taken */
export function freePort(port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new StartupError(
          error.code === "EADDRINUSE"
            ? `Port ${port} is taken by another program. Stop it, or set PORT to a free one.`
            : `Port ${port} cannot be used: ${error.message}`,
        ),
      ),
    );
    probe.listen(port, HOST, () => {
      const address = probe.address();
      const found = address !== null && typeof address === "object" ? address.port : port;
      probe.close(() => resolve(found));
    });
  });
}

async function migrate(stateDir: string, stop: AbortSignal): Promise<void> {
  const args = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", stateDir];
  const migration = runWrangler(args, stateDir);
  const limit = AbortSignal.any([stop, AbortSignal.timeout(MIGRATION_MS)]);
  limit.addEventListener("abort", () => void migration.stop(), { once: true });
  const code = await migration.ended;
  stop.throwIfAborted();
  if (code !== 0) throw new StartupError(`The migrations failed:\n${migration.output()}`);
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_MS) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

async function untilHealthy(worker: Guarded, url: string, stop: AbortSignal): Promise<void> {
  let hasEnded = false;
  void worker.ended.then(() => {
    hasEnded = true;
  });
  const deadline = Date.now() + STARTUP_MS;
  while (!(await isHealthy(url))) {
    stop.throwIfAborted();
    if (hasEnded || Date.now() > deadline) {
      throw new StartupError(`The Worker did not start on ${url}:\n${worker.output()}`);
    }
    await wait(POLL_MS);
  }
}

export interface ServerOptions {
  port: number;
  /** Made where it is missing. */
  stateDir: string;
  /** Ends a start that is under way. */
  stop: AbortSignal;
  /** wrangler's own: `warn` shows faults only. */
  logLevel: "log" | "warn" | "error";
  /** Sees what the Worker prints. */
  show?: (chunk: Buffer) => void;
}

/** @throws StartupError when the port is taken, a migration fails or the Worker does not answer in time */
export async function startServer({
  port,
  stateDir,
  stop,
  logLevel,
  show,
}: ServerOptions): Promise<LocalServer> {
  const url = `http://${HOST}:${port}`;
  await freePort(port);
  mkdirSync(stateDir, { recursive: true });
  await migrate(stateDir, stop);
  const args = ["dev", "--local", "--ip", HOST, "--port", String(port), "--persist-to", stateDir];
  args.push("--env-file", writeSettings(stateDir), "--test-scheduled", "--inspector-port", "0");
  args.push("--show-interactive-dev-session=false", "--log-level", logLevel);
  const worker = runWrangler(args, stateDir, show);
  try {
    await untilHealthy(worker, url, stop);
  } catch (error) {
    await worker.stop();
    throw error;
  }
  return {
    url,
    ended: worker.ended,
    async cron(expression) {
      const response = await fetch(`${url}/__scheduled?cron=${encodeURIComponent(expression)}`, {
        signal: AbortSignal.timeout(CRON_MS),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`"${expression}" answered ${response.status}`);
    },
    stop: () => worker.stop(),
  };
}
