/** `npm run dev`: the Worker on 127.0.0.1 with persistent state and both crons. PORT and STATE_DIR override. */
import { resolve } from "node:path";
import { askedToStop, untilAborted } from "./local/lifetime";
import { type LocalServer, StartupError, startServer } from "./local/server";

const MINUTE_MS = 60_000;
const DEFAULT_PORT = 8787;

/** What the Worker says, line by line, without wrangler's remarks on each request. */
function workerLines(write: (line: string) => void): (chunk: Buffer) => void {
  let rest = "";
  return (chunk) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "" && !line.startsWith("[wrangler:info]")) write(line);
  };
}

async function fire(server: LocalServer, expression: string): Promise<void> {
  try {
    await server.cron(expression);
  } catch (error) {
    console.error(`cron: ${error instanceof Error ? error.message : error}`);
  }
}

/** Fires both cron triggers on the minute and on the hour, as the platform would. */
function driveCrons(server: LocalServer): void {
  const untilNextMinuteMs = MINUTE_MS - (Date.now() % MINUTE_MS);
  setTimeout(async () => {
    const isFullHour = new Date().getMinutes() === 0;
    await fire(server, "* * * * *");
    if (isFullHour) await fire(server, "0 * * * *");
    driveCrons(server);
  }, untilNextMinuteMs);
}

async function serve(port: number, stateDir: string): Promise<number> {
  const stop = askedToStop();
  let server: LocalServer | undefined;
  const show = workerLines((line) => {
    // A start that fails says why by itself.
    if (server !== undefined) console.error(line);
  });
  try {
    console.log("Starting Playmaker on this machine.");
    server = await startServer({ port, stateDir, stop, logLevel: "log", show });
    console.log(`Playmaker is ready on ${server.url} (review desk at /, API at /docs)`);
    // Work that fell due while nothing ran.
    await fire(server, "* * * * *");
    driveCrons(server);
    await Promise.race([server.ended, untilAborted(stop)]);
    console.error("The Worker ended by itself.");
    return 1;
  } catch (error) {
    if (stop.aborted) return 0;
    console.error(error instanceof StartupError ? error.message : error);
    return 1;
  } finally {
    await server?.stop();
  }
}

const port = Number(process.env.PORT ?? DEFAULT_PORT);
if (!Number.isInteger(port) || port < 1 || port > 65_535) {
  console.error(`PORT must be a number from 1 to 65535, not "${process.env.PORT}".`);
  process.exit(2);
}
process.exit(await serve(port, resolve(process.env.STATE_DIR ?? ".playmaker/state")));
