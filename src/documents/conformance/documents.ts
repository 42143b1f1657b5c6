/**
 * The forms in which a vector gives a document: an object, a path beside the file, a raw text, or another vector's
 * document under a patch.
 */
import type { Json } from "../model";
import exampleDocument from "./approval-expiry.json";
import { applyPatch, PatchError } from "./json-patch";
import { type LoadedVector, patchedSchema } from "./vector";

/** The vector is broken in its documents. */
export class DocumentError extends Error {}

/** Reads a file beside a vector's own; null when there is none. */
export type ReadFile = (besideFile: string, path: string) => string | null;

/** The base that is known whatever folders are given: the document of the format's own reference. */
export const EXAMPLE_NAME = "approval-expiry";
export const EXAMPLE_TEXT = JSON.stringify(exampleDocument);

export class DocumentSource {
  private readonly byName = new Map<string, LoadedVector[]>();

  constructor(
    loaded: readonly LoadedVector[],
    private readonly readFile: ReadFile,
  ) {
    for (const one of loaded) {
      const { vector } = one.vector;
      this.byName.set(vector, [...(this.byName.get(vector) ?? []), one]);
    }
  }

  /** The texts of a vector's documents, in order. */
  textsOf(from: LoadedVector): string[] {
    const { document, documents } = from.vector;
    return (documents ?? [document ?? null]).map((form) => this.textOf(form, from, []));
  }

  /**
   * The text of one document.
   * @param trail names of the bases that led here
   * @throws DocumentError when there is no such file or base, a base leads back to itself, or a patch does not fit
   */
  textOf(form: Json, from: LoadedVector, trail: readonly string[] = []): string {
    if (typeof form === "string") return this.fileOrRawText(form, from);
    const patched = isPatched(form) ? patchedSchema.safeParse(form) : null;
    if (!patched) return JSON.stringify(form);
    if (!patched.success) {
      const [issue] = patched.error.issues;
      throw new DocumentError(`document/${issue?.path.join("/") ?? ""}: ${issue?.message ?? "malformed"}`);
    }
    const { base, patch } = patched.data;
    if (trail.includes(base))
      throw new DocumentError(`The bases lead in a circle: ${[...trail, base].join(" > ")}.`);
    const text = this.baseText(base, from, [...trail, base]);
    try {
      return JSON.stringify(applyPatch(JSON.parse(text), patch));
    } catch (error) {
      if (error instanceof PatchError)
        throw new DocumentError(`The patch on ${base} does not fit: ${error.message}.`);
      if (error instanceof SyntaxError)
        throw new DocumentError(`The base ${base} is not JSON, so nothing can be patched.`);
      throw error;
    }
  }

  /** The first document of another vector of that name, one of the same folder before others. */
  private baseText(base: string, from: LoadedVector, trail: readonly string[]): string {
    const named = (this.byName.get(base) ?? []).filter((one) => one !== from);
    const near = named.filter(({ folder }) => folder === from.folder);
    const found = near.length > 0 ? near : named;
    const texts = found.map((one) => {
      const { document, documents } = one.vector;
      return this.textOf(documents?.[0] ?? document ?? null, one, trail);
    });
    const [text, ...others] = texts;
    if (text === undefined) {
      if (base === EXAMPLE_NAME) return EXAMPLE_TEXT;
      throw new DocumentError(`No vector in the given folders is named ${base}.`);
    }
    if (others.some((other) => other !== text)) throw new DocumentError(`Several vectors are named ${base}.`);
    return text;
  }

  private fileOrRawText(text: string, from: LoadedVector): string {
    const isOneLine = text !== "" && !/[\n\r\0{[]/.test(text);
    const content = isOneLine ? this.readFile(from.file, text) : null;
    if (content !== null) return content;
    if (isOneLine && text.endsWith(".json"))
      throw new DocumentError(`There is no file ${text} beside the vector.`);
    return text;
  }
}

/** What has a `playbook` is a document, whatever else it has. */
const isPatched = (form: Json): boolean =>
  form !== null &&
  typeof form === "object" &&
  !Array.isArray(form) &&
  Object.hasOwn(form, "base") &&
  !Object.hasOwn(form, "playbook");
