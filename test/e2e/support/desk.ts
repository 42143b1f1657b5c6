/** Somebody at the desk: a page that notes every console error and every request to another host. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { inject } from "vitest";

export interface Desk {
  context: BrowserContext;
  page: Page;
  /** What must not happen: errors in the console, faults of scripts, requests to other hosts. */
  faults: string[];
  go(path: string): Promise<void>;
  close(): Promise<void>;
}

const PATIENCE_MS = 100_000;
const WIDTHS = { narrow: 320, wide: 1280 } as const;

export interface DeskOptions {
  /** Signs in with it. */
  key?: string;
  width?: keyof typeof WIDTHS;
  scheme?: "light" | "dark";
  hasScript?: boolean;
}

/** Statuses that pages answer on purpose; the browser notes them as console errors. */
const ON_PURPOSE = /the server responded with a status of (409|412|422)/;

export async function openDesk(browser: Browser, options: DeskOptions = {}): Promise<Desk> {
  const { key, width = "wide", scheme = "light", hasScript = true } = options;
  const settings: BrowserContextOptions = {
    viewport: { width: WIDTHS[width], height: 900 },
    colorScheme: scheme,
    javaScriptEnabled: hasScript,
    baseURL: inject("url"),
  };
  const context = await browser.newContext(settings);
  // The server has one thread: what it learns in the background may hold a page up.
  context.setDefaultNavigationTimeout(PATIENCE_MS);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    const isFault = message.type() === "error" && !ON_PURPOSE.test(message.text());
    if (isFault) faults.push(`console: ${message.text()}`);
  });
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
  context.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(inject("url")) && !url.startsWith("data:")) faults.push(`request: ${url}`);
  });
  const desk: Desk = {
    context,
    page,
    faults,
    async go(path) {
      await page.goto(path);
    },
    close: () => context.close(),
  };
  if (key !== undefined) {
    await desk.go("/sign-in");
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL((url) => url.pathname === "/");
  }
  return desk;
}
