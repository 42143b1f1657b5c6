// The WebAssembly of clustering in plain Node, which compiles bytes; the Worker's bundler compiles it by itself.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const FOLDER = join(import.meta.dirname, "..", "src", "aggregation", "clustering", "spanning-tree");
export const MODULE = join(FOLDER, "prim.wasm");

export const loadModule = () => new WebAssembly.Module(readFileSync(MODULE));
