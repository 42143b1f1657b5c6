/** Identifiers: random ones for new things, derived ones for effects that may be repeated. */

/** Crockford-like alphabet without padding; lower case, safe in Workflows, Vectorize and URLs. */
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

export interface Ids {
  /** `prefix_` and 128 random bits. */
  random(prefix: string): string;
}

export function base32(bytes: Uint8Array): string {
  let text = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(buffer >>> bits) & 31];
      buffer &= (1 << bits) - 1;
    }
  }
  return bits > 0 ? text + BASE32[(buffer << (5 - bits)) & 31] : text;
}

/** Raw randomness, for keys and nonces. */
export const randomBytes = (length: number): Uint8Array<ArrayBuffer> =>
  crypto.getRandomValues(new Uint8Array(length));

export const randomIds: Ids = {
  random: (prefix) => `${prefix}_${base32(crypto.getRandomValues(new Uint8Array(16)))}`,
};

/** SHA-256 of a text, 32 bytes. */
export async function sha256Bytes(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

export async function sha256Hex(text: string): Promise<string> {
  return Array.from(await sha256Bytes(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The one function for ids of effects: `prefix_` and 32 base32 characters of SHA-256 over the JSON
 * array of parts, so that the same effect has the same id however often it is tried. The org comes first.
 */
export async function derivedId(
  prefix: string,
  parts: readonly [orgId: string, ...rest: (string | number | readonly (string | number)[])[]],
): Promise<string> {
  const digest = await sha256Bytes(JSON.stringify(parts));
  return `${prefix}_${base32(digest).slice(0, 32)}`;
}
