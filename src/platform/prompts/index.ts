/**
 * The prompt library: versioned files compiled into the bundle, checked when first used.
 * The active version of a prompt is its highest unless one is named.
 */
import { type FrontMatter, PromptError, type PromptFile, parsePromptFile } from "./frontmatter";
import { promptSources } from "./generated";
import { fillTemplate, placesIn } from "./template";

export { type FrontMatter, PromptError } from "./frontmatter";

export interface Prompt {
  readonly meta: FrontMatter;
  /** The system section as written, its places unfilled. */
  readonly systemTemplate: string;
  /** @throws PromptError naming a variable that is missing or not declared */
  render(variables: Readonly<Record<string, string>>): { system: string; user: string };
}

function checkPlaces(key: string, file: PromptFile): void {
  const used = new Set([...placesIn(file.system), ...placesIn(file.user)]);
  const declared = new Set(file.meta.variables);
  for (const name of used) {
    if (!declared.has(name)) throw new PromptError(`prompt ${key}: "${name}" is used but not declared`);
  }
  for (const name of declared) {
    if (!used.has(name)) throw new PromptError(`prompt ${key}: "${name}" is declared but not used`);
  }
}

/** Compiles one prompt file. @throws PromptError */
export function compilePrompt(key: string, text: string): Prompt {
  const file = parsePromptFile(key, text);
  checkPlaces(key, file);
  return {
    meta: file.meta,
    systemTemplate: file.system,
    render(variables) {
      for (const name of Object.keys(variables)) {
        if (!file.meta.variables.includes(name)) {
          throw new PromptError(`prompt ${key}: "${name}" is not one of its variables`);
        }
      }
      return {
        system: fillTemplate(file.system, variables, key),
        user: fillTemplate(file.user, variables, key),
      };
    },
  };
}

/** Orders `1.10.0` after `1.9.0`. */
export function comparePromptVersions(left: string, right: string): number {
  const [leftParts, rightParts] = [left, right].map((version) => version.split(".").map(Number));
  for (let index = 0; index < 3; index += 1) {
    const difference = (leftParts?.[index] ?? 0) - (rightParts?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The versions of a prompt, oldest first. */
export function promptVersions(id: string): string[] {
  return Object.keys(promptSources)
    .filter((key) => key.startsWith(`${id}/`))
    .map((key) => key.slice(id.length + 1))
    .sort(comparePromptVersions);
}

const compiled = new Map<string, Prompt>();

/**
 * @param version exact; without it, the highest
 * @throws PromptError when there is no such prompt or it is malformed
 */
export function loadPrompt(id: string, version?: string): Prompt {
  const chosen = version ?? promptVersions(id).at(-1);
  const key = `${id}/${chosen ?? ""}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const text = Object.hasOwn(promptSources, key) ? promptSources[key] : undefined;
  if (text === undefined) throw new PromptError(`there is no prompt ${key}`);
  const prompt = compilePrompt(key, text);
  compiled.set(key, prompt);
  return prompt;
}
