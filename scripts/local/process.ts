/** Child processes that end with this one: each is a group of its own under a guard. */
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const GUARD = join(import.meta.dirname, "guard.mjs");
const WRANGLER = createRequire(import.meta.url).resolve("wrangler/bin/wrangler.js");

const STOP_MS = 5_000;
const POLL_MS = 50;
/** Kept of a process's output, for the message of its failure. */
const MAX_OUTPUT = 20_000;

export interface Guarded {
  /** The last of what it printed. */
  output(): string;
  /** Resolves with its exit code, null after a signal. */
  ended: Promise<number | null>;
  /** Ends the whole group; resolves when nothing of it is left. */
  stop(): Promise<void>;
}

async function stopGroup(head: ChildProcess): Promise<void> {
  const group = head.pid;
  if (group === undefined) return;
  const signal = (name: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(-group, name);
    } catch {
      return false;
    }
  };
  signal("SIGTERM");
  const deadline = Date.now() + STOP_MS;
  while (signal(0) && Date.now() < deadline) await new Promise((wake) => setTimeout(wake, POLL_MS));
  signal("SIGKILL");
}

/** What a shell may have set for other deployments must not reach this one. */
function environment(stateDir: string): NodeJS.ProcessEnv {
  const { CLOUDFLARE_ENV: _, ...inherited } = process.env;
  return {
    ...inherited,
    CI: "true",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_REGISTRY_PATH: join(stateDir, "registry"),
    WRANGLER_SEND_METRICS: "false",
  };
}

/** @param show sees what the process prints, as it comes */
export function runWrangler(
  args: readonly string[],
  stateDir: string,
  show: (chunk: Buffer) => void = () => {},
): Guarded {
  const head = spawn(process.execPath, [GUARD, WRANGLER, ...args], {
    cwd: ROOT,
    env: environment(stateDir),
    detached: true,
    // Its input is a pipe that closes with this process: that is how the guard notices.
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [head.stdout, head.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-MAX_OUTPUT);
      show(chunk);
    });
  }
  return {
    output: () => output,
    ended: new Promise((resolve) => {
      head.once("error", () => resolve(1));
      head.once("exit", resolve);
    }),
    stop: () => stopGroup(head),
  };
}
