/** The bytes of `prim.wasm` as they should be now. */
export function generate(): Promise<Uint8Array>;
