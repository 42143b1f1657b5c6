/** How long a provider asks to wait, from its response headers alone; no clock is read. */

/** A longer wish is cut to this; a queue asks again sooner and learns more. */
export const maxRetryAfterMs = 15 * 60_000;

/** Milliseconds, or undefined when the headers do not say. Dates are measured against the `date` header. */
export function retryAfterMs(headers: Readonly<Record<string, string>> | undefined): number | undefined {
  if (headers === undefined) return undefined;
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  const plainNumber = (text: string | undefined): number =>
    text !== undefined && /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  const milliseconds = plainNumber(lower.get("retry-after-ms"));
  const seconds = plainNumber(lower.get("retry-after"));
  const until = Date.parse(lower.get("retry-after") ?? "") - Date.parse(lower.get("date") ?? "");
  for (const wish of [milliseconds, seconds * 1000, until]) {
    if (Number.isFinite(wish)) return Math.min(Math.max(0, Math.ceil(wish)), maxRetryAfterMs);
  }
  return undefined;
}
