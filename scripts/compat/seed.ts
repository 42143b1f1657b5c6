/** Where the document lies that lists the endpoints to call. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const SEEDS = join(import.meta.dirname, "..", "..", "..", "shared", "seeds");

/** @returns its path, or null where it is not beside the project */
export function seedDocument(): string | null {
  if (!existsSync(SEEDS)) return null;
  const name = readdirSync(SEEDS).find((entry) => entry.startsWith("002_"));
  return name === undefined ? null : join(SEEDS, name);
}
