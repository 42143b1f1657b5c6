/** Every page, at two widths and in both schemes: no fault, no other host, nothing that axe objects to. */
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { outcome } from "../../scripts/demo/api";
import { violations } from "./support/axe";
import { launch } from "./support/chromium";
import { openDesk } from "./support/desk";
import { demoOrg, newOrg, type Org, rulesOf } from "./support/org";
import { giveItAPast } from "./support/past";
import { nameOf, placesOf } from "./support/places";

let browser: Browser;
let filled: Org;
let empty: Org;

beforeAll(async () => {
  browser = await launch();
  empty = await newOrg();
  filled = await demoOrg();
  await giveItAPast(filled);
  // One rule of each decision, so that every tab and the history have something to show.
  const [first, second] = await rulesOf(filled, "pending");
  for (const [rule, status] of [
    [first, "approved"],
    [second, "rejected"],
  ] as const) {
    await filled.call(outcome, "PUT", "/api/update_agent_playbook_status", {
      agent_playbook_id: rule?.id,
      playbook_status: status,
    });
  }
});
afterAll(() => browser.close());

/** Wider than the window: something would have to be scrolled sideways to be read. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

const looks = (["light", "dark"] as const).flatMap((scheme) =>
  (["narrow", "wide"] as const).map((width) => ({ scheme, width })),
);

describe("the checks themselves", () => {
  it("notice what they look for", async () => {
    const desk = await openDesk(browser, { key: await empty.ownerKey(), width: "narrow" });
    try {
      await desk.go("/desk/keys");
      expect(await violations(desk.page)).toEqual([]);
      await desk.page.evaluate(() => {
        document.querySelector("label")?.remove();
        const main = document.querySelector("main");
        main?.append(
          Object.assign(document.createElement("img"), { src: "https://elsewhere.example/x.png" }),
        );
        const wide = document.createElement("p");
        wide.textContent = "W".repeat(200);
        wide.style.whiteSpace = "nowrap";
        wide.style.overflowWrap = "normal";
        main?.append(wide);
        console.error("something went wrong");
      });
      expect((await violations(desk.page)).map((violation) => violation.split(":")[0])).toEqual(
        expect.arrayContaining(["image-alt", "label"]),
      );
      expect(await overflow(desk.page)).toBeGreaterThan(0);
      expect(desk.faults).toEqual(
        expect.arrayContaining([
          expect.stringContaining("something went wrong"),
          expect.stringContaining("violates the following Content Security Policy"),
        ]),
      );
    } finally {
      await desk.close();
    }
  });
});

describe("every page", () => {
  it.each(looks)(
    "$scheme and $width is readable by everybody and keeps to itself",
    async ({ scheme, width }) => {
      const desk = await openDesk(browser, { key: await filled.ownerKey(), scheme, width });
      const faults: string[] = [];
      try {
        const places = await placesOf(desk.page);
        expect(places.length).toBeGreaterThanOrEqual(14);
        for (const place of places) {
          await desk.go(place);
          const name = nameOf(place);
          await desk.page.screenshot({
            path: join(inject("screenshots"), `${name}-${width}-${scheme}.png`),
            fullPage: true,
          });
          faults.push(...(await violations(desk.page)).map((violation) => `${place}: ${violation}`));
          const sideways = await overflow(desk.page);
          if (sideways > 0) faults.push(`${place}: ${sideways} px wider than the window`);
        }
      } finally {
        await desk.close();
      }
      expect([...faults, ...desk.faults]).toEqual([]);
    },
  );

  it("of an org that has nothing yet says what to do next", async () => {
    const desk = await openDesk(browser, { key: await empty.ownerKey() });
    const faults: string[] = [];
    try {
      for (const place of await placesOf(desk.page)) {
        await desk.go(place);
        await desk.page.screenshot({
          path: join(inject("screenshots"), `empty-${nameOf(place)}.png`),
          fullPage: true,
        });
        faults.push(...(await violations(desk.page)).map((violation) => `${place}: ${violation}`));
      }
    } finally {
      await desk.close();
    }
    expect([...faults, ...desk.faults]).toEqual([]);
  });

  it("works without script", async () => {
    const desk = await openDesk(browser, { key: await filled.ownerKey(), hasScript: false });
    try {
      const withScript = await openDesk(browser, { key: await filled.ownerKey() });
      const places = await placesOf(withScript.page);
      await withScript.close();
      for (const place of places) {
        await desk.go(place);
        expect(await desk.page.locator("h1").count(), place).toBe(1);
        expect(await desk.page.locator("main").textContent(), place).not.toBe("");
      }
      expect(desk.faults).toEqual([]);
    } finally {
      await desk.close();
    }
  });
});

describe("the sign-in page", () => {
  it.each(looks)("$scheme and $width is readable by everybody", async ({ scheme, width }) => {
    const desk = await openDesk(browser, { scheme, width });
    try {
      await desk.go("/sign-in");
      await desk.page.screenshot({ path: join(inject("screenshots"), `sign-in-${width}-${scheme}.png`) });
      expect(await violations(desk.page)).toEqual([]);
      await desk.page.getByLabel("API key").fill("pm_wrong");
      await desk.page.getByRole("button", { name: "Sign in" }).click();
      await desk.page.getByText("unknown, revoked or expired").waitFor();
      expect(await violations(desk.page)).toEqual([]);
      expect(desk.faults).toEqual([]);
    } finally {
      await desk.close();
    }
  });
});
