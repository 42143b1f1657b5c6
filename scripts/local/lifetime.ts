/** Ties a server to the process that asked for it: signals, and a parent that went away. */
import type { LocalServer } from "./server";

const WATCH_MS = 500;

/** Resolves when it is time to stop; the server has ended by then. */
export function untilStopped(server: LocalServer): Promise<void> {
  return new Promise((resolve) => {
    const parent = process.ppid;
    let stopping = false;
    const stop = async () => {
      if (stopping) return;
      stopping = true;
      clearInterval(watch);
      await server.stop();
      resolve();
    };
    // npm passes no signal on in some shells; an orphan stops by itself.
    const watch = setInterval(() => {
      if (process.ppid !== parent) void stop();
    }, WATCH_MS);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop());
    void server.ended.then(stop);
  });
}
