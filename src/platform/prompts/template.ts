/** Fills `{{name}}` places in one pass, so inserted text is never read as a template itself. */
import { PromptError } from "./frontmatter";

const placePattern = /\{\{([a-z_]+)\}\}/g;

/** The names used in a template, each once, in order of appearance. */
export function placesIn(template: string): string[] {
  return [...new Set([...template.matchAll(placePattern)].map((match) => match[1] ?? ""))];
}

/** @throws PromptError naming the first variable that is missing */
export function fillTemplate(
  template: string,
  variables: Readonly<Record<string, string>>,
  where: string,
): string {
  return template.replace(placePattern, (_place, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) throw new PromptError(`prompt ${where}: the variable "${name}" is missing`);
    return value;
  });
}
