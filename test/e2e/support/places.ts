/** Every page there is: those of the navigation, and one of each kind that they lead to. */
import type { Page } from "playwright-core";

/** Pages that others lead to; of each the first link found is followed. */
const DETAILS = [/^\/desk\/rules\/\d+$/, /^\/desk\/sessions\/[^?]+$/, /^\/desk\/user-playbooks\?id=\d+$/];

/** Pages that only a filled-in form leads to. */
const ASKED = ["/desk/search?q=get+this+change+into+main&agent_version=data-assistant-1"];

const linksOf = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("a[href^='/']")].map((link) => link.getAttribute("href") ?? ""),
  );

/** @returns paths, those of the navigation first */
export async function placesOf(page: Page): Promise<string[]> {
  await page.goto("/");
  const navigation = await page.evaluate(() =>
    [...document.querySelectorAll(".side nav a")].map((link) => link.getAttribute("href") ?? ""),
  );
  const places = [...new Set(navigation.filter((href) => href.startsWith("/")))];
  const found = new Map<RegExp, string>();
  for (const place of places) {
    await page.goto(place);
    for (const href of await linksOf(page)) {
      const kind = DETAILS.find((pattern) => pattern.test(href));
      if (kind !== undefined && !found.has(kind)) found.set(kind, href);
    }
  }
  return [...places, ...found.values(), ...ASKED];
}

/** A file name for a place: `/desk/rules/3` is `desk-rules`. */
export const nameOf = (place: string): string =>
  place === "/"
    ? "review"
    : place
        .replace(/^\//, "")
        .replace(/\?.*$/, "-one")
        .replace(/\/(\d+|[^/]*[^a-z/-][^/]*)$/, "-one")
        .replaceAll("/", "-");
