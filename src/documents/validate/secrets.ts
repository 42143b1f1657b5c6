/** R741 to R743, X612 outside of expressions: secrets are named, never written, and only a tool's input names them. */
import type { Json } from "../model";
import { TEMPLATE } from "../spec";
import { childPointer, pointerOf } from "../text/pointer";
import { didYouMean } from "../text/suggest";
import type { Report } from "./report";
import { secretLook } from "./secret-texts";
import { asList, asObject, asText, type DocumentView, isObject } from "./view";

export function checkSecrets(view: DocumentView, report: Report): void {
  checkLiterals(view.document, [], undefined, report);
  const declared = declaredSecrets(view);
  const used = new Set<string>();
  for (const { kind, pointer, step } of view.steps) {
    if (kind !== "tool") continue;
    for (const { name, at } of secretsIn(step.input, `${pointer}/input`)) {
      used.add(name);
      if (declared.has(name)) continue;
      report("R742", at, `The secret ${JSON.stringify(name)} is not declared.`, {
        hint: didYouMean(name, declared.keys()) ?? `"${name}" in requires.secrets`,
      });
    }
  }
  // Of a step of an unknown kind nobody knows what it uses.
  if (view.steps.every(({ kind }) => kind !== null))
    for (const [name, pointer] of declared)
      if (!used.has(name))
        report("R743", pointer, `No tool's input names the secret ${JSON.stringify(name)}.`, {
          hint: `{"${TEMPLATE.secretKey}": "${name}"} in the input of a tool, or no declaration`,
        });
  checkOtherPlaces(view, report);
}

/** Where a secret would be mere data; expressions and templates of steps say so themselves. */
function checkOtherPlaces({ playbook, triggers }: DocumentView, report: Report): void {
  const places: [Json | undefined, string][] = [
    [playbook.config, "/playbook/config"],
    ...triggers.map(({ trigger, pointer }): [Json | undefined, string] => [
      trigger.input,
      `${pointer}/input`,
    ]),
  ];
  for (const [value, pointer] of places)
    for (const { at } of secretsIn(value, pointer))
      report("X612", at, "A secret cannot be used here.", {
        hint: "Only the input of a tool may name secrets.",
      });
}

/** Names of `requires.secrets` and where they stand. */
function declaredSecrets({ requires }: DocumentView): Map<string, string> {
  const names = new Map<string, string>();
  for (const [index, secret] of asList(requires.secrets).entries()) {
    const name = asText(secret) ?? asText(asObject(secret).name);
    if (name !== null && !names.has(name)) names.set(name, `/requires/secrets/${index}`);
  }
  return names;
}

function secretsIn(value: Json | undefined, at: string): { name: string; at: string }[] {
  if (Array.isArray(value))
    return value.flatMap((element, index) => secretsIn(element, childPointer(at, index)));
  if (!isObject(value)) return [];
  const name = Object.hasOwn(value, TEMPLATE.secretKey) ? value[TEMPLATE.secretKey] : undefined;
  if (typeof name === "string") return [{ name, at }];
  return Object.entries(value).flatMap(([key, member]) => secretsIn(member, childPointer(at, key)));
}

/** `path` leads to the value; pointers are only made of what is told. */
function checkLiterals(
  value: Json,
  path: (string | number)[],
  member: string | undefined,
  report: Report,
): void {
  if (typeof value === "string") tellLiteral(value, path, member, report);
  else if (Array.isArray(value))
    for (const [index, element] of value.entries()) {
      path.push(index);
      checkLiterals(element, path, member, report);
      path.pop();
    }
  else if (isObject(value))
    for (const [key, inner] of Object.entries(value)) {
      path.push(key);
      tellLiteral(key, path, undefined, report);
      if (key !== TEMPLATE.secretKey) checkLiterals(inner, path, key, report);
      path.pop();
    }
}

function tellLiteral(
  text: string,
  path: readonly (string | number)[],
  member: string | undefined,
  report: Report,
): void {
  const look = secretLook(text, member);
  if (!look) return;
  report("R741", pointerOf(path), `This looks like ${look.what}: ${look.shown}`, {
    hint: `a name in requires.secrets, and {"${TEMPLATE.secretKey}": NAME} in the input of a tool`,
  });
}
