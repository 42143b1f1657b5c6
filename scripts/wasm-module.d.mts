/** Where the module's source and the module stand. */
export const FOLDER: string;
/** Where `npm run build` writes the module. */
export const MODULE: string;
/** The module as it stands on disk, compiled. */
export function loadModule(): WebAssembly.Module;
