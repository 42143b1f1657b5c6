/** Reads a prompt file: front matter between `---` lines, then a `system` (optional) and a `user` section. */
import * as z from "zod";

const versionPattern = /^\d+\.\d+\.\d+$/;

const names = z.string().transform((text) => text.split(",").map((name) => name.trim()));

/** What the front matter must say; keys that are not listed are refused. */
export const frontMatterSchema = z.strictObject({
  id: z.string().regex(/^[a-z]+(-[a-z]+)*$/),
  version: z.string().regex(versionPattern),
  /** Which of the configured models answers. */
  model_role: z.enum(["generation", "should_run", "pre_retrieval"]),
  variables: names.pipe(z.array(z.string().regex(/^[a-z]+(_[a-z]+)*$/)).min(1)),
  /** Name of the output schema, or `text` for a free answer. */
  output: z.enum([
    "text",
    "extract",
    "extract-expert",
    "review-candidates",
    "review-stored",
    "consolidate",
    "synthesise",
    "tag",
  ]),
});
export type FrontMatter = z.infer<typeof frontMatterSchema>;

export interface PromptFile {
  meta: FrontMatter;
  system: string;
  user: string;
}

/** A prompt that is malformed, missing, or rendered with the wrong variables. */
export class PromptError extends Error {
  override readonly name = "PromptError";
}

const filePattern = /^---\n([\s\S]*?)\n---\n(?:=== system ===\n([\s\S]*?)\n)?=== user ===\n([\s\S]*)$/;

/**
 * @param key `<id>/<version>`, which the front matter has to repeat
 * @throws PromptError naming the file and what is wrong with it
 */
export function parsePromptFile(key: string, text: string): PromptFile {
  const match = filePattern.exec(text);
  if (match === null) {
    throw new PromptError(`prompt ${key}: expected front matter, then "=== system ===" and "=== user ==="`);
  }
  const entries = (match[1] ?? "").split("\n").map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, Math.max(0, colon)).trim(), line.slice(colon + 1).trim()] as const;
  });
  const meta = frontMatterSchema.safeParse(Object.fromEntries(entries));
  if (!meta.success) throw new PromptError(`prompt ${key}: ${z.prettifyError(meta.error)}`);
  if (`${meta.data.id}/${meta.data.version}` !== key) {
    throw new PromptError(`prompt ${key}: the front matter says ${meta.data.id}/${meta.data.version}`);
  }
  return { meta: meta.data, system: (match[2] ?? "").trim(), user: (match[3] ?? "").trim() };
}
