/**
 * Documents as files: canonical names, members in the order of the format, lists that are empty written out, and the
 * lowest minor that can express them (b.4). Extensions and unknown members are kept, after the known ones. What a run
 * is pinned to is the document as it was read; only a file is written under another minor than it was read with.
 */
import type { Json, JsonObject, PlaybookDocument } from "./model";
import { documentSchema } from "./schema";
import { type AnySchema, elementOf, literalOf, membersOf, optionsOf } from "./schema/walk";
import { VERSION } from "./spec";
import { canonicalDocument } from "./validate/canonical";
import { lowestMinor } from "./validate/features";
import { plainValue } from "./validate/plain-value";
import { isObject } from "./validate/view";

/**
 * The file of a document: the same text for the same content, whatever the order of members. Reading it and exporting
 * again gives the same bytes.
 * @param document one without errors
 */
export const exportDocument = (document: PlaybookDocument): string =>
  `${JSON.stringify(exportedValue(document), null, 2)}\n`;

/** What the file holds, as a value. */
export function exportedValue(document: PlaybookDocument): JsonObject {
  const source = plainValue(document).value;
  if (!isObject(source)) throw new TypeError("Only a document can be exported.");
  const canonical = canonicalDocument(source, () => undefined).document;
  const version = `${VERSION.major}.${lowestMinor(canonical)}`;
  const playbook = isObject(canonical.playbook) ? { ...canonical.playbook, opbVersion: version } : {};
  return arrangeObject({ ...canonical, opbVersion: version, playbook }, optionsOf(documentSchema));
}

function arrange(value: Json, schema: AnySchema | undefined): Json {
  const options = optionsOf(schema);
  if (Array.isArray(value)) {
    const element = options.map(elementOf).find((found) => found !== null);
    return element ? value.map((inside) => arrange(inside, element)) : value;
  }
  return isObject(value) ? arrangeObject(value, options) : value;
}

/** What users fill in themselves, such as schemas and inputs, has no order and keeps its own. */
function arrangeObject(value: JsonObject, options: readonly AnySchema[]): JsonObject {
  const members = options
    .map(membersOf)
    .filter((found) => found !== null)
    .find((found) => !found.has("kind") || literalOf(found.get("kind")) === value.kind);
  if (!members) return value;
  const known = [...members.keys()].filter((name) => Object.hasOwn(value, name));
  const others = Object.keys(value)
    .filter((name) => !members.has(name))
    .sort();
  return Object.fromEntries(
    [...known, ...others].map((name) => [name, arrange(value[name] ?? null, members.get(name))]),
  );
}
