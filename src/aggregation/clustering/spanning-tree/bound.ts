/** The kernel of the deployed Worker. Plain Node loads the same file itself: it cannot import a module like this. */
import prim from "./prim.wasm";
import { wasmKernel } from "./wasm";

export const spanningTreeKernel = wasmKernel(prim);
