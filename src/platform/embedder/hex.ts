/** Hexadecimal text to bytes: D1 hands BLOBs out fastest as `hex(vector)` (a plain BLOB comes as an array). */

const NATIVE: unknown = Reflect.get(Uint8Array, "fromHex");
const HEX_TEXT = /^(?:[0-9A-Fa-f]{2})*$/;

/**
 * Decodes either letter case, natively where the runtime can (workerd can, Node 20 cannot).
 * @throws RangeError for an odd length or a character that is not a hexadecimal digit.
 */
export function decodeHex(hex: string): Uint8Array {
  if (!HEX_TEXT.test(hex)) throw new RangeError("not hexadecimal text of an even length");
  if (typeof NATIVE === "function") {
    const decoded: unknown = NATIVE.call(Uint8Array, hex);
    if (decoded instanceof Uint8Array) return decoded;
  }
  return decodeHexPortably(hex);
}

/** The decoder for runtimes without `Uint8Array.fromHex`; the text must have been checked. */
export function decodeHexPortably(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length >> 1);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = (digit(hex.charCodeAt(2 * i)) << 4) | digit(hex.charCodeAt(2 * i + 1));
  }
  return bytes;
}

/** Digits have bit 6 clear; letters of either case have it set and count from 1 in their low nibble. */
function digit(code: number): number {
  return (code & 0x40) === 0 ? code & 0xf : (code & 0xf) + 9;
}
