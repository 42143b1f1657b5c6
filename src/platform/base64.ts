/** Base64 with padding (RFC 4648 §4) of short byte strings: keys, nonces, sealed secrets. */

export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** @throws DOMException when the text is not base64 */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
