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
