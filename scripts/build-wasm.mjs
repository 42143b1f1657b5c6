// Compiles what is written in AssemblyScript to WebAssembly, beside where it is used.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import asc from "assemblyscript/asc";
import { FOLDER, MODULE } from "./wasm-module.mjs";

/** @returns the bytes of `prim.wasm` as they should be now */
export async function generate() {
  const written = new Map();
  const { error, stderr } = await asc.main(
    [
      ...[join(FOLDER, "assembly", "prim.ts"), "--outFile", "prim.wasm"],
      ...["--runtime", "stub", "-O3", "--noAssert", "--enable", "simd"],
    ],
    { writeFile: (name, contents) => void written.set(name, contents) },
  );
  if (error) throw new Error(`prim.ts does not compile:\n${stderr.toString()}`);
  return written.get("prim.wasm");
}

if (process.argv[1] === import.meta.filename) writeFileSync(MODULE, await generate());
