/** Review as people do it: by keyboard alone, by mouse alone, without script, and two at once. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launch } from "./support/chromium";
import { type Desk, openDesk } from "./support/desk";
import { demoOrg, type Org, rulesOf } from "./support/org";

let browser: Browser;
let org: Org;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  org = await demoOrg();
});

const notice = (page: Page) => page.getByRole("status").filter({ hasText: "Rule #" });

/** Whoever does something at the desk sees no error and asks no other host. */
async function at(
  options: Parameters<typeof openDesk>[1],
  work: (desk: Desk) => Promise<void>,
): Promise<void> {
  const desk = await openDesk(browser, options);
  try {
    await work(desk);
    expect(desk.faults).toEqual([]);
  } finally {
    await desk.close();
  }
}

describe("by keyboard alone", () => {
  it("signs in, walks, approves, undoes, edits, rejects, searches and asks for help", async () => {
    await at({}, async ({ page, go }) => {
      await go("/sign-in");
      await page.keyboard.press("Tab");
      await page.keyboard.type(org.key);
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.pathname === "/");
      const [newest, second] = await rulesOf(org, "pending");
      expect(second).toBeDefined();

      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Review by keyboard" }).waitFor();
      await page.keyboard.press("Escape");

      await page.keyboard.press("j");
      await page.keyboard.press("j");
      expect(await page.locator("[data-item].here").getAttribute("id")).toBe(`rule-${second?.id}`);
      await page.keyboard.press("k");
      expect(await page.locator("[data-item].here").getAttribute("id")).toBe(`rule-${newest?.id}`);

      await page.keyboard.press("a");
      await notice(page)
        .filter({ hasText: `Rule #${newest?.id} is approved` })
        .waitFor();
      expect((await rulesOf(org, "approved")).map(({ id }) => id)).toEqual([newest?.id]);
      // The rule that came next stands where the decided one stood.
      expect(await page.locator("[data-item].here").getAttribute("id")).toBe(`rule-${second?.id}`);

      await page.keyboard.press("u");
      await notice(page).filter({ hasText: "as it was before" }).waitFor();
      expect(await rulesOf(org, "approved")).toEqual([]);

      await page.keyboard.press("j");
      const edited = (await page.locator("[data-item].here").getAttribute("id"))?.replace("rule-", "");
      await page.keyboard.press("e");
      expect(await page.evaluate("document.activeElement?.getAttribute('name')")).toBe("trigger");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Control+End");
      await page.keyboard.type(" Always.");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await notice(page)
        .filter({ hasText: `Rule #${edited} is saved` })
        .waitFor();
      const pending = await rulesOf(org, "pending");
      expect(pending.find(({ id }) => String(id) === edited)?.content).toMatch(/ Always\.$/);

      await page.keyboard.press("j");
      await page.keyboard.press("r");
      await notice(page).filter({ hasText: "is rejected" }).waitFor();
      expect(await rulesOf(org, "rejected")).toHaveLength(1);

      await page.keyboard.press("/");
      await page.keyboard.type("zebra");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "No rule fits" }).waitFor();
    });
  });
});

describe("by mouse alone", () => {
  it("approves one, undoes it, and decides on several behind a page that lists them", async () => {
    await at({ key: org.key }, async ({ page }) => {
      const before = await rulesOf(org, "pending");
      const [newest] = before;
      // What two users taught in words of their own comes without a warning.
      expect(await page.getByRole("list", { name: "Warnings" }).count()).toBe(0);
      await page.getByRole("button", { name: `Approve rule #${newest?.id}` }).click();
      await notice(page).filter({ hasText: "is approved and served" }).waitFor();
      await page.getByRole("button", { name: "Undo" }).first().click();
      await notice(page).filter({ hasText: "as it was before" }).waitFor();

      for (const { id } of before) await page.getByRole("checkbox", { name: `Select rule #${id}` }).check();
      await page.getByText(`${before.length} selected`).waitFor();
      await page.getByRole("button", { name: "Approve selected…" }).click();
      await page.getByRole("heading", { name: `Approve ${before.length} rules?` }).waitFor();
      expect(await rulesOf(org, "approved")).toEqual([]);
      for (const { content } of before) await page.getByText(content).first().waitFor();
      await page.getByRole("button", { name: `Approve ${before.length} rules` }).click();
      await page
        .getByRole("heading", { name: `${before.length} of ${before.length} decisions made` })
        .waitFor();
      expect(await rulesOf(org, "approved")).toHaveLength(before.length);
    });
  });
});

describe("without script", () => {
  it("reads the evidence, edits, decides, undoes and decides on several", async () => {
    await at({ key: org.key, hasScript: false }, async ({ page, go }) => {
      const pending = await rulesOf(org, "pending");
      const [newest] = pending;
      const card = page.locator(`#rule-${newest?.id}`);
      expect(await card.locator("mark").first().textContent()).not.toBe("");
      await card.getByText("Edit", { exact: true }).click();
      await card.getByLabel("Do", { exact: true }).fill("");
      await card.getByRole("button", { name: "Save" }).click();
      // The browser itself asks for what is required.
      await card.getByLabel("Do", { exact: true }).fill("Edited without script.");
      await card.getByRole("button", { name: "Save" }).click();
      await notice(page).filter({ hasText: "is saved" }).waitFor();
      await page.getByRole("button", { name: `Reject rule #${newest?.id}` }).click();
      await notice(page).filter({ hasText: "is rejected" }).waitFor();
      await page.getByRole("button", { name: "Undo" }).first().click();
      await notice(page).filter({ hasText: "as it was before" }).waitFor();
      await go("/");
      await page.getByRole("checkbox", { name: `Select rule #${newest?.id}` }).check();
      await page.getByRole("button", { name: "Approve selected…" }).click();
      await page.getByRole("button", { name: "Approve 1 rule" }).click();
      await page.getByRole("heading", { name: "1 of 1 decision made" }).waitFor();
      expect((await rulesOf(org, "approved"))[0]?.content).toBe("Edited without script.");
    });
  });
});

describe("two reviewers at once", () => {
  it("do not overwrite each other: the second is told who decided what", async () => {
    const [ada, bea] = await Promise.all([
      openDesk(browser, { key: await org.newKey("ada", ["reviewer"]) }),
      openDesk(browser, { key: await org.newKey("bea", ["reviewer"]) }),
    ]);
    try {
      const [newest] = await rulesOf(org, "pending");
      // Both have the rule before them, and press at the same moment.
      const [first, second] = await Promise.all(
        [ada.page, bea.page].map(async (page, index) => {
          const name = `${index === 0 ? "Approve" : "Reject"} rule #${newest?.id}`;
          const answered = page.waitForResponse((response) => response.url().endsWith("/desk/decide"));
          await page.getByRole("button", { name }).click();
          return (await answered).status();
        }),
      );
      expect([first, second].sort()).toEqual([303, expect.toBeOneOf([409, 412])]);
      const [late, by] = first === 303 ? [bea, "ada"] : [ada, "bea"];
      await late.page
        .getByRole("alert")
        .filter({ hasText: `decided by ${by}` })
        .waitFor();
      const decided = first === 303 ? "approved" : "rejected";
      expect((await rulesOf(org, decided)).map(({ id }) => id)).toEqual([newest?.id]);
      expect([...ada.faults, ...bea.faults]).toEqual([]);
    } finally {
      await Promise.all([ada.close(), bea.close()]);
    }
  });
});
