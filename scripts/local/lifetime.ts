/** When a local program has to stop: a signal, or those who started it went away. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const WATCH_MS = 500;

/** @returns null where it cannot be told */
function parentOf(pid: number): number | null {
  try {
    // "pid (name) state parent …", where the name may hold anything.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return Number(parent);
  } catch {
    const { status, stdout } = spawnSync("ps", ["-o", "ppid=", "-p", String(pid)], { encoding: "utf8" });
    return status === 0 ? Number(stdout) : null;
  }
}

/**
 * Notices when the parent is gone, or npm behind the shell that npm runs scripts in: a killed npm passes
 * nothing on, and its shell lives on.
 */
function orphanWatch(): () => boolean {
  const parent = process.ppid;
  const npm = process.env.npm_lifecycle_event === undefined ? null : parentOf(parent);
  return () => process.ppid !== parent || (npm !== null && parentOf(parent) !== npm);
}

/** Aborts once, when it is time to stop. */
export function askedToStop(): AbortSignal {
  const controller = new AbortController();
  const isOrphan = orphanWatch();
  const stop = () => {
    clearInterval(watch);
    controller.abort(new Error("Stopped."));
  };
  const watch = setInterval(() => {
    if (isOrphan()) stop();
  }, WATCH_MS);
  watch.unref();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  return controller.signal;
}

/** Never resolves. @throws the signal's reason once it aborts */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
