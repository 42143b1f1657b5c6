/** `npm run dev`: the Worker on 127.0.0.1 with persistent state and both crons. PORT and STATE_DIR override. */
import { resolve } from "node:path";
import { untilStopped } from "./local/lifetime";
import { type LocalServer, StartupError, startServer } from "./local/server";

const MINUTE_MS = 60_000;

/** Fires both cron triggers on the minute and on the hour, as the platform would. */
function driveCrons(server: LocalServer): () => void {
  let timer: NodeJS.Timeout;
  const next = () => {
    timer = setTimeout(
      async () => {
        const now = new Date();
        try {
          await server.cron("* * * * *");
          if (now.getMinutes() === 0) await server.cron("0 * * * *");
        } catch (error) {
          console.error(`cron: ${error instanceof Error ? error.message : error}`);
        }
        next();
      },
      MINUTE_MS - (Date.now() % MINUTE_MS),
    );
  };
  next();
  return () => clearTimeout(timer);
}

const port = Number(process.env.PORT ?? 8787);
if (!Number.isInteger(port) || port < 1 || port > 65_535) {
  console.error(`PORT must be a number from 1 to 65535, not "${process.env.PORT}".`);
  process.exit(2);
}

try {
  const server = await startServer({ port, stateDir: resolve(process.env.STATE_DIR ?? ".playmaker/state") });
  console.log(
    `Playmaker is ready on ${server.url} (review desk at ${server.url}/, API at ${server.url}/openapi.json)`,
  );
  // Work that fell due while nothing ran.
  await server.cron("* * * * *");
  const stopCrons = driveCrons(server);
  await untilStopped(server);
  stopCrons();
  process.exit(0);
} catch (error) {
  console.error(error instanceof StartupError ? error.message : error);
  process.exit(1);
}
