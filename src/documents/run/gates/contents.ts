/** What a person really sees at a gate, and whether something else carries any of it. */
import type { Json } from "../../model";
import { hashOf } from "../identity";

export interface Contents {
  /** Of every list and object that holds something, and of every text. */
  hashes: ReadonlySet<string>;
  texts: readonly string[];
}

/** The contents of some values. Numbers, truth values, null and what is empty are like any other and do not count. */
export function contentsOf(values: readonly Json[]): Contents {
  const hashes = new Set<string>();
  const texts = new Set<string>();
  for (const value of values) collect(value, hashes, texts);
  return { hashes, texts: [...texts] };
}

function collect(value: Json, hashes: Set<string>, texts: Set<string>): void {
  if (!isContent(value)) return;
  hashes.add(hashOf(value));
  if (typeof value === "string") texts.add(value);
  else for (const inner of Object.values(value)) collect(inner, hashes, texts);
}

const isContent = (value: Json): value is string | Json[] | { [key: string]: Json } =>
  typeof value === "string"
    ? value !== ""
    : value !== null && typeof value === "object" && Object.keys(value).length > 0;

/** Whether a value holds one of the contents, or a text that one of them is part of. */
export function carries(value: Json, contents: Contents): boolean {
  if (!isContent(value)) return false;
  if (contents.hashes.has(hashOf(value))) return true;
  if (typeof value === "string") return contents.texts.some((text) => value.includes(text));
  return Object.values(value).some((inner) => carries(inner, contents));
}
