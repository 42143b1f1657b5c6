/** What the routes of pages have in common. */
import * as z from "zod";

/** The response schema of every page. */
export const html = z.string().meta({ description: "An HTML page." });

/** A row's number in a query or a form. */
export const rowId = z
  .string({ error: "is missing" })
  .regex(/^[1-9]\d{0,14}$/, { error: "is not a number of a row" })
  .transform(Number);

/** A page for people is asked for by browsers; the same address may serve programs. */
export const wantsHtml = (headers: Headers): boolean => (headers.get("accept") ?? "").includes("text/html");

/** A path of this desk and nothing else: `//host` and `/\host` would lead away. */
export const ownPath = (text: string | undefined): string =>
  text !== undefined && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text) && !text.startsWith("/sign-")
    ? text
    : "/";

/** `path` with some of its query replaced. */
export function withQuery(path: string, changes: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(path, "http://desk");
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return `${url.pathname}${url.search}`;
}
