/** Bytes to text, and the place of the first character that is no UTF-8. */

export type Utf8Reading = { ok: true; text: string } | { ok: false; before: string; byteOffset: number };

const decode = (bytes: Uint8Array, whole: boolean): string =>
  // A byte order mark stays in the text: whoever reads it decides about it.
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !whole });

/** The text of some bytes; if they are no UTF-8, the text before the first wrong character and where that begins. */
export function readUtf8(bytes: Uint8Array): Utf8Reading {
  try {
    return { ok: true, text: decode(bytes, true) };
  } catch {
    // A prefix decodes, apart from a character cut at its end, exactly until the first wrong byte is in it.
    let right = 0;
    let wrong = bytes.length + 1;
    while (wrong - right > 1) {
      const middle = (right + wrong) >>> 1;
      if (decodes(bytes, middle)) right = middle;
      else wrong = middle;
    }
    // Bytes at the end of that prefix which begin a character belong to the wrong one.
    const before = decode(bytes.subarray(0, right), false);
    return { ok: false, before, byteOffset: new TextEncoder().encode(before).byteLength };
  }
}

function decodes(bytes: Uint8Array, length: number): boolean {
  try {
    decode(bytes.subarray(0, length), false);
    return true;
  } catch {
    return false;
  }
}
