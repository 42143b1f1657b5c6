/** Inline images: only type, length and SHA-256 are kept of them. Pure. */
import type * as z from "zod";
import type { imageSchema } from "./model";

export type ImageFacts = z.output<typeof imageSchema>;

const DATA_URL = /^data:([a-z0-9.+/-]{0,100})(?:;[a-z0-9=.+-]{0,100})*;base64,/i;

/** First bytes of the formats that a screenshot or a photo comes in. */
const signatures: readonly (readonly [type: string, bytes: readonly number[], at?: number])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/bmp", [0x42, 0x4d]],
  ["image/webp", [0x57, 0x45, 0x42, 0x50], 8],
  ["image/avif", [0x66, 0x74, 0x79, 0x70, 0x61, 0x76, 0x69, 0x66], 4],
];

const typeOf = (bytes: Uint8Array): string | undefined =>
  signatures.find(([, signature, at = 0]) =>
    signature.every((byte, index) => bytes[at + index] === byte),
  )?.[0];

/** @returns the image's bytes and declared type, or null where it is no base64 */
function decodeImage(encoding: string): { bytes: Uint8Array<ArrayBuffer>; declared: string } | null {
  const prefix = DATA_URL.exec(encoding);
  const base64 = encoding
    .slice(prefix?.[0].length ?? 0)
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  try {
    const binary = atob(base64);
    const bytes = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
    return bytes.length === 0 ? null : { bytes, declared: prefix?.[1]?.toLowerCase() ?? "" };
  } catch {
    return null;
  }
}

/** The bytes decide the type; where they say nothing, what was declared does. */
export async function imageFacts(encoding: string): Promise<ImageFacts | null> {
  const decoded = decodeImage(encoding);
  if (decoded === null) return null;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", decoded.bytes));
  return {
    type: typeOf(decoded.bytes) ?? (decoded.declared || "application/octet-stream"),
    bytes: decoded.bytes.length,
    sha256: Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""),
  };
}
