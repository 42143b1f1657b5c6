/** Takes the values of secrets out of whatever a tool or a model gave back, before it is stored (c.10, ruling 17). */
import type { Json } from "../model";

export const REDACTED = "***";

/**
 * A copy in which no text and no name of a member holds the value of a secret.
 * @param secrets values by name; an empty value hides nothing
 */
export function redact(value: Json, secrets: Readonly<Record<string, string>>): Json {
  // The longest first: one secret may contain another.
  const values = Object.values(secrets)
    .filter((secret) => secret !== "")
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return values.length === 0 ? value : redacted(value, values);
}

function redacted(value: Json, secrets: readonly string[]): Json {
  if (typeof value === "string")
    return secrets.reduce((text, secret) => text.replaceAll(secret, REDACTED), value);
  if (Array.isArray(value)) return value.map((element) => redacted(element, secrets));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      secrets.reduce((text, secret) => text.replaceAll(secret, REDACTED), key),
      redacted(member, secrets),
    ]),
  );
}
