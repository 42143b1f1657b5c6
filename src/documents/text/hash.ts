/** SHA-256 of text, synchronous: the reducer is pure and cannot wait for WebCrypto. */
import { sha256 } from "@noble/hashes/sha2.js";

const encoder = new TextEncoder();

/**
 * SHA-256 of the UTF-8 of a text. A lone surrogate would be hashed as U+FFFD; `canonicalJson` lets none through.
 */
const sha256Of = (text: string): Uint8Array => sha256(encoder.encode(text));

/** 64 lower-case hexadecimal digits. */
export const sha256Hex = (text: string): string =>
  Array.from(sha256Of(text), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** 43 characters of base64url, without padding. */
export const sha256Base64Url = (text: string): string =>
  btoa(String.fromCharCode(...sha256Of(text)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
