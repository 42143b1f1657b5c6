/** Files that the commands read, and what keeps them from being read. */
import { readFileSync } from "node:fs";
import * as z from "zod";

/** Wrong usage: the command ends with 2. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** A file that cannot be read, or is not what it should be: the command ends with 2, too. */
export class UnreadableFile extends UsageError {
  override readonly name = "UnreadableFile";
}

export interface Source {
  /** As findings name it. */
  name: string;
  bytes: Uint8Array;
}

const STDIN = "-";
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "reading it is not permitted",
};
const systemError = z.object({ code: z.string() });

/**
 * A file's bytes, or standard input's for `-`.
 * @throws UnreadableFile when it cannot be read
 */
export function readSource(path: string): Source {
  try {
    return path === STDIN
      ? { name: "<stdin>", bytes: readFileSync(0) }
      : { name: path, bytes: readFileSync(path) };
  } catch (error) {
    const { success, data } = systemError.safeParse(error);
    const reason = success ? (REASONS[data.code] ?? data.code) : String(error);
    throw new UnreadableFile(`${path} cannot be read: ${reason}.`);
  }
}

/** @throws UnreadableFile when the file is not JSON */
export function readJsonFile(path: string): unknown {
  const { name, bytes } = readSource(path);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch (error) {
    throw new UnreadableFile(`${name} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}
