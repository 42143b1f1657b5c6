/** 200 hostile rules and turns on every page: shown as text, harmless, and the page keeps its shape. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { launch } from "./support/chromium";
import { openDesk } from "./support/desk";
import { hostileTexts } from "./support/hostile";
import { newOrg, type Org } from "./support/org";
import { placesOf } from "./support/places";

const COUNT = 200;
/** Rules of one call, and turns of one publish. */
const PAGE = 25;

let browser: Browser;
let org: Org;

const pagesOf = <Entry>(all: readonly Entry[]): Entry[][] =>
  Array.from({ length: Math.ceil(all.length / PAGE) }, (_, index) =>
    all.slice(index * PAGE, (index + 1) * PAGE),
  );

beforeAll(async () => {
  browser = await launch();
  org = await newOrg();
  const texts = hostileTexts(COUNT);
  const done = z.object({ success: z.literal(true) });
  for (const some of pagesOf(texts)) {
    await org.call(done, "POST", "/api/add_agent_playbook", {
      agent_playbooks: some.map((text) => ({
        agent_version: "v1",
        content: text,
        trigger: text.slice(0, 3_000),
        rationale: text,
      })),
    });
    await org.call(done, "POST", "/api/publish_interaction", {
      user_id: `user <i>${some[0]?.slice(0, 60).toWellFormed()}</i>`.replaceAll("\u0000", ""),
      session_id: `session "'><b>${some.length}`,
      agent_version: "v1",
      interaction_data_list: some.map((text, index) => ({
        role: index % 2 === 0 ? "User" : "Assistant",
        content: text,
      })),
    });
    await org.call(done, "POST", "/api/add_user_playbook", {
      user_playbooks: some.map((text, index) => ({
        user_id: `u${index}`,
        agent_version: "v1",
        request_id: "r",
        content: text,
        trigger: text.slice(0, 3_000),
      })),
    });
  }
}, 300_000);
afterAll(() => browser.close());

/** What the texts would have done, had one of them become markup. */
const damage = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    if (Reflect.get(globalThis, "pwned") !== undefined) found.push("a script ran");
    if (document.scripts.length !== 1) found.push(`${document.scripts.length} scripts`);
    if (
      document.querySelector("main img, main iframe, main object, main embed, main style, main base") !== null
    )
      found.push("foreign elements");
    for (const element of document.querySelectorAll("*")) {
      for (const { name } of element.attributes) if (name.startsWith("on")) found.push(`attribute ${name}`);
    }
    for (const link of document.querySelectorAll("a[href]")) {
      if (!/^(\/(?!\/)|#)/.test(link.getAttribute("href") ?? ""))
        found.push(`link ${link.getAttribute("href")}`);
    }
    if (document.querySelectorAll("h1").length !== 1) found.push("not one h1");
    const sideways = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    if (sideways > 0) found.push(`${sideways} px wider than the window`);
    // Whatever reorders or hides text is named, never passed on.
    const hidden = /[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\u2060\ufeff\u{e0000}-\u{e007f}]/u;
    const shown = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) =>
      // A field for typing holds its text as it is, and names what it hides beside itself.
      node.parentElement?.closest("textarea") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
    );
    while (shown.nextNode() !== null) {
      const text = shown.currentNode.textContent ?? "";
      if (hidden.test(text)) found.push(`a hidden character in ${JSON.stringify(text.slice(0, 60))}`);
    }
    return found;
  });

it.each(["narrow", "wide"] as const)(
  "every page that shows them, $0, stays what it is",
  async (width) => {
    const desk = await openDesk(browser, { key: await org.ownerKey(), width });
    const faults: string[] = [];
    try {
      for (const place of await placesOf(desk.page)) {
        await desk.go(place);
        faults.push(...(await damage(desk.page)).map((what) => `${place}: ${what}`));
      }
    } finally {
      await desk.close();
    }
    expect([...faults, ...desk.faults]).toEqual([]);
  },
  300_000,
);

it("all 200 rules are in the queue, page by page, and none breaks it", async ({ task }) => {
  const desk = await openDesk(browser, { key: await org.ownerKey() });
  const seen = new Set<string>();
  const faults: string[] = [];
  try {
    await desk.go("/");
    for (let pages = 1; pages <= 20; pages += 1) {
      faults.push(...(await damage(desk.page)).map((what) => `page ${pages}: ${what}`));
      for (const id of await desk.page.locator("[data-item]").evaluateAll((all) => all.map(({ id }) => id))) {
        seen.add(id);
      }
      const older = desk.page.getByRole("link", { name: "Older →" });
      if ((await older.count()) === 0) break;
      await desk.go((await older.getAttribute("href")) ?? "/");
    }
  } finally {
    await desk.close();
  }
  expect([...faults, ...desk.faults]).toEqual([]);
  // Aggregation may have made more of what users "taught".
  expect(seen.size).toBeGreaterThanOrEqual(COUNT);
  task.meta.measured = `${seen.size} hostile rules rendered without a fault`;
});
