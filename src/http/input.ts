/** A request's inputs as its route's schemas expect them: cleaned, and each given once. */
import { type Failure, invalid } from "../platform/failure";
import { cleanText } from "../platform/text";
import { parseForm, parseJson } from "./body";
import type { Route } from "./route";
import { located } from "./validation";

const repeated = (name: string): Failure =>
  located("query", invalid(`/query/${name}`, `${name} is given more than once.`, "one value", "repeated"));

/** @throws Failure("invalid") when a query key is given twice: which one counts would be a guess */
export function queryOf(request: Request): Record<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of new URL(request.url).searchParams) {
    const key = cleanText(name);
    if (query.has(key)) throw repeated(key);
    query.set(key, cleanText(value));
  }
  return Object.fromEntries(query);
}

export const paramsOf = (params: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, cleanText(value)]));

/** An absent body stands for an empty object, so that its missing fields are named. Bytes are left as they came. */
export function bodyOf(route: Pick<Route, "bodyType">, text: string, bytes: Uint8Array): unknown {
  if (route.bodyType === "bytes") return bytes;
  return route.bodyType === "form" ? parseForm(text) : parseJson(text === "" ? "{}" : text);
}
