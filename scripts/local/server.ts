/** Starts and stops the local Worker: migrations applied, state kept, crons driven, nothing left behind. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const wrangler = createRequire(import.meta.url).resolve("wrangler/bin/wrangler.js");

/** Settings a shell may pass on to the Worker. */
const PASSED_ON = [
  "REASONER",
  "LLM_PROVIDER",
  "LLM_BASE_URL",
  "LLM_API_KEY",
  "LLM_MODEL",
  "LLM_SMALL_MODEL",
  "EMBEDDER",
  "EMBEDDING_MODEL",
  "EMBEDDING_BASE_URL",
  "EMBEDDING_API_KEY",
  "DEFAULT_AGENT_VERSION",
  "AGGREGATION_MIN_INTERVAL_SECONDS",
  "DAILY_TOKEN_CAP",
];

const quiet = {
  ...process.env,
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CI: "true",
};

const STARTUP_MS = 60_000;
const STOP_MS = 5_000;

export interface LocalServer {
  url: string;
  /** Sends a cron event to the Worker. */
  cron(expression: string): Promise<void>;
  stop(): Promise<void>;
  /** Resolves when the server ends by itself. */
  ended: Promise<void>;
}

export class StartupError extends Error {
  override readonly name = "StartupError";
}

/** The admin secret of this state folder: made once, readable by its owner alone. */
function adminSecretOf(stateDir: string): string {
  const file = join(stateDir, "admin-secret");
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString("hex"), { mode: 0o600 });
  return readFileSync(file, "utf8").trim();
}

/** Settings reach the Worker by file, so that no secret stands on a command line. */
function writeSettings(stateDir: string): string {
  const settings = [
    ["ENVIRONMENT", "local"],
    ["ADMIN_SECRET", adminSecretOf(stateDir)],
    ...PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  ];
  const file = join(stateDir, "settings.env");
  writeFileSync(file, settings.map(([name, value]) => `${name}=${JSON.stringify(value)}\n`).join(""), {
    mode: 0o600,
  });
  return file;
}

function migrate(stateDir: string): void {
  const result = spawnSync(
    process.execPath,
    [wrangler, "d1", "migrations", "apply", "DB", "--local", "--persist-to", stateDir],
    { cwd: ROOT, env: quiet, encoding: "utf8" },
  );
  if (result.status !== 0) throw new StartupError(`The migrations failed:\n${result.stdout}${result.stderr}`);
}

/** Ends the whole process group: wrangler, its bundler and both runtimes. */
async function stopGroup(child: ChildProcess): Promise<void> {
  const group = child.pid;
  if (group === undefined) return;
  const signal = (name: NodeJS.Signals | 0): boolean => {
    try {
      process.kill(-group, name);
      return true;
    } catch {
      return false;
    }
  };
  signal("SIGTERM");
  const deadline = Date.now() + STOP_MS;
  while (signal(0) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  signal("SIGKILL");
}

async function healthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/**
 * @param logLevel wrangler's own: `warn` shows faults only
 * @throws StartupError when the port is taken, a migration fails or the Worker does not answer
 */
export async function startServer(options: {
  port: number;
  stateDir: string;
  logLevel?: "log" | "warn" | "error";
}): Promise<LocalServer> {
  const url = `http://127.0.0.1:${options.port}`;
  if (await healthy(url))
    throw new StartupError(`Port ${options.port} is taken by a running server; set PORT.`);
  mkdirSync(options.stateDir, { recursive: true });
  migrate(options.stateDir);
  const args = [wrangler, "dev", "--local", "--ip", "127.0.0.1", "--port", String(options.port)];
  args.push(
    "--persist-to",
    options.stateDir,
    "--env-file",
    writeSettings(options.stateDir),
    "--test-scheduled",
  );
  args.push("--show-interactive-dev-session=false", "--log-level", options.logLevel ?? "log");
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: quiet,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const show = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-20_000);
    if (options.logLevel !== "error") process.stderr.write(chunk);
  };
  child.stdout?.on("data", show);
  child.stderr?.on("data", show);
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      hasEnded = true;
      resolve();
    });
  });
  const deadline = Date.now() + STARTUP_MS;
  while (!(await healthy(url))) {
    if (hasEnded || Date.now() > deadline) {
      await stopGroup(child);
      throw new StartupError(`The Worker did not start on ${url}:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    url,
    ended,
    async cron(expression) {
      const response = await fetch(`${url}/__scheduled?cron=${encodeURIComponent(expression)}`);
      await response.body?.cancel();
    },
    stop: () => stopGroup(child),
  };
}
