/**
 * Runs a Node program as the head of a process group of its own. When the program ends, or whoever asked for
 * it goes away, however it went (this process's input then closes), the whole group ends with it.
 */
import { spawn } from "node:child_process";

const GRACE_MS = 3_000;

const endGroup = (signal) => process.kill(-process.pid, signal);
const program = spawn(process.execPath, process.argv.slice(2), { stdio: ["ignore", "inherit", "inherit"] });

let isEnding = false;
function end() {
  if (isEnding) return;
  isEnding = true;
  endGroup("SIGTERM");
  setTimeout(() => endGroup("SIGKILL"), GRACE_MS);
}

process.stdin.on("close", end).on("error", end).resume();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, end);
program.once("error", () => process.exit(1));
program.once("exit", (code) => {
  // Its own children may outlive it; a successful end has none.
  if (code === 0) process.exit(0);
  endGroup("SIGKILL");
});
