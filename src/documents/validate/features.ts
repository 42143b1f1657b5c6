/** Members that arrived after 1.0 (the table `SINCE`): which minor a document needs, and E107. */
import type { Json } from "../model";
import { SINCE, VERSION } from "../spec";
import { childPointer, parsePointer } from "../text/pointer";
import type { Pass } from "./index";
import { readVersion } from "./versions";
import { asText } from "./view";

export interface Feature {
  pointer: string;
  minor: number;
}

/**
 * The members of a document that are not in 1.0. A pattern is a pointer in which `*` stands for any element or member,
 * and `*:agent` for elements of that kind.
 */
export function newFeatures(document: Json, since: Readonly<Record<string, number>> = SINCE): Feature[] {
  return Object.entries(since).flatMap(([pattern, minor]) =>
    matches(document, parsePointer(pattern) ?? [], "").map((pointer) => ({ pointer, minor })),
  );
}

function matches(value: Json | undefined, tokens: readonly string[], pointer: string): string[] {
  const [token, ...rest] = tokens;
  if (value === undefined) return [];
  if (token === undefined) return [pointer];
  if (typeof value !== "object" || value === null) return [];
  const [name, kind] = token.split(":");
  return Object.entries(value)
    .filter(([member, inside]) => (name === "*" ? isOfKind(inside, kind) : member === token))
    .flatMap(([member, inside]) => matches(inside, rest, childPointer(pointer, member)));
}

const isOfKind = (value: Json, kind: string | undefined): boolean =>
  kind === undefined ||
  (typeof value === "object" && value !== null && !Array.isArray(value) && value.kind === kind);

/** The lowest minor that can express a document. */
export const lowestMinor = (document: Json, since?: Readonly<Record<string, number>>): number =>
  Math.max(0, ...newFeatures(document, since).map(({ minor }) => minor));

export const checkFeatures: Pass = (view, report) => {
  const declared = readVersion(view.document.opbVersion);
  if (!declared) return;
  for (const { pointer, minor } of newFeatures(view.document)) {
    if (minor <= declared.minor) continue;
    const version = asText(view.document.opbVersion) ?? "";
    report("E107", pointer, `This arrived with ${VERSION.major}.${minor}; the document says ${version}.`, {
      hint: `"opbVersion": "${VERSION.major}.${minor}"`,
    });
  }
};
