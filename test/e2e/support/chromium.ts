/** The browser: whichever Chromium the machine has. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where Debian and others put it; CHROMIUM names another one. */
const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export function chromiumPath(): string {
  const found = [process.env.CHROMIUM, ...PLACES].find((path) => path !== undefined && existsSync(path));
  if (found === undefined) {
    throw new Error("There is no Chromium here: `apt-get install chromium`, or set CHROMIUM to its path.");
  }
  return found;
}

/** As root, as in a container, Chromium starts without its sandbox only. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath(),
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
