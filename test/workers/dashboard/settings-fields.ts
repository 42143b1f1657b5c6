/** The form of the settings as a browser would send it back. */
import { FIELDS } from "../../../src/dashboard/settings/fields";

export const decoded = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

const escapedForPattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** What a browser would send of the form on a page. */
export function fieldsOf(html: string): Record<string, string> {
  const fields: Record<string, string> = { hash: /name="hash" value="([^"]+)"/.exec(html)?.[1] ?? "" };
  for (const { name, kind } of FIELDS) {
    const at = escapedForPattern(name);
    if (kind === "section" || kind === "switch") {
      if (new RegExp(`name="${at}" value="on" checked`).test(html)) fields[name] = "on";
    } else if (kind === "number") {
      fields[name] = decoded(new RegExp(`name="${at}"[^>]* value="([^"]*)"`).exec(html)?.[1] ?? "?");
    } else if (kind === "choice") {
      const options = new RegExp(`name="${at}"[^>]*>(.*?)</select>`, "s").exec(html)?.[1] ?? "";
      fields[name] = /value="([^"]*)" selected/.exec(options)?.[1] ?? "";
    } else {
      const shown = new RegExp(`name="${at}"[^>]*>\\n([^<]*)</textarea>`).exec(html)?.[1] ?? "?";
      fields[name] = decoded(shown).replaceAll("\n", "\r\n");
    }
  }
  return fields;
}
