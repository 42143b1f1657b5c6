/** When a local program has to stop: a signal, or a parent that went away. */
const WATCH_MS = 500;

/** Aborts once, when it is time to stop. */
export function askedToStop(): AbortSignal {
  const controller = new AbortController();
  const parent = process.ppid;
  const stop = () => {
    clearInterval(watch);
    controller.abort(new Error("Stopped."));
  };
  // npm passes no signal on in some shells; an orphan stops by itself.
  const watch = setInterval(() => {
    if (process.ppid !== parent) stop();
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
