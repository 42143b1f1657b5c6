/**
 * JSON Patch (RFC 6902), applied to a copy. Packages for it step over members named `__proto__`, which vectors must
 * be able to write; here they are members like others.
 */
import * as z from "zod";
import type { Json } from "../model";
import { canonicalJson } from "../text/canonical-json";
import { parsePointer } from "../text/pointer";

const json = z.custom<Json>((value) => value !== undefined, "expected a JSON value");
const pointer = z.string().refine((text) => parsePointer(text) !== null, "expected a JSON Pointer");

/** RFC 6902 lets an operation carry members that it does not define; here they are mistakes. */
export const patchOperationSchema = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("add"), path: pointer, value: json }),
  z.strictObject({ op: z.literal("remove"), path: pointer }),
  z.strictObject({ op: z.literal("replace"), path: pointer, value: json }),
  z.strictObject({ op: z.literal("move"), from: pointer, path: pointer }),
  z.strictObject({ op: z.literal("copy"), from: pointer, path: pointer }),
  z.strictObject({ op: z.literal("test"), path: pointer, value: json }),
]);
export type PatchOperation = z.output<typeof patchOperationSchema>;

/** The patch does not fit the document. */
export class PatchError extends Error {}

const copyOf = (value: Json): Json => JSON.parse(JSON.stringify(value));

/** @throws PatchError naming the operation that could not be done; the document given stays as it was */
export function applyPatch(document: Json, operations: readonly PatchOperation[]): Json {
  // Under a holder the root is a member like any other, and can be replaced.
  const holder: { [key: string]: Json } = { root: copyOf(document) };
  for (const [index, operation] of operations.entries()) {
    const fail = (why: string): never => {
      throw new PatchError(`operation ${index} (${operation.op} ${operation.path}): ${why}`);
    };
    const place = (text: string): Place => placeOf(holder, text) ?? fail(`nothing is at "${text}"`);
    const target = place(operation.path);
    switch (operation.op) {
      case "add":
        add(target, copyOf(operation.value), fail);
        break;
      case "remove":
        remove(target, fail);
        break;
      case "replace":
        remove(target, fail);
        add(target, copyOf(operation.value), fail);
        break;
      case "copy":
        add(target, copyOf(read(place(operation.from), fail)), fail);
        break;
      case "move": {
        if (`${operation.path}/`.startsWith(`${operation.from}/`) && operation.path !== operation.from) {
          fail("a value cannot be moved into itself");
        }
        const value = remove(place(operation.from), fail);
        add(place(operation.path), value, fail);
        break;
      }
      case "test":
        if (canonicalJson(read(target, fail)) !== canonicalJson(operation.value)) {
          fail("the value there is another one");
        }
    }
  }
  return holder.root ?? null;
}

type Fail = (why: string) => never;
interface Place {
  parent: Json[] | { [key: string]: Json };
  token: string;
}

/** The last token of a pointer, and what holds it; null when there is no such holder. */
function placeOf(holder: { [key: string]: Json }, text: string): Place | null {
  const tokens = ["root", ...(parsePointer(text) ?? [])];
  const token = tokens.pop() ?? "";
  let parent: Json = holder;
  for (const step of tokens) {
    const next: Json | undefined = memberOf(parent, step);
    if (next === undefined) return null;
    parent = next;
  }
  return parent !== null && typeof parent === "object" ? { parent, token } : null;
}

const INDEX = /^(?:0|[1-9]\d*)$/;

function memberOf(value: Json, token: string): Json | undefined {
  if (Array.isArray(value)) return INDEX.test(token) ? value[Number(token)] : undefined;
  if (value === null || typeof value !== "object") return undefined;
  return Object.hasOwn(value, token) ? value[token] : undefined;
}

function read({ parent, token }: Place, fail: Fail): Json {
  return memberOf(parent, token) ?? (memberOf(parent, token) === null ? null : fail("nothing is there"));
}

function remove({ parent, token }: Place, fail: Fail): Json {
  const value = read({ parent, token }, fail);
  if (Array.isArray(parent)) parent.splice(Number(token), 1);
  else delete parent[token];
  return value;
}

function add({ parent, token }: Place, value: Json, fail: Fail): void {
  if (Array.isArray(parent)) {
    const index = token === "-" ? parent.length : INDEX.test(token) ? Number(token) : Number.NaN;
    if (!(index <= parent.length)) fail("the list has no such place");
    parent.splice(index, 0, value);
    return;
  }
  // An assignment to `__proto__` would set the prototype.
  Object.defineProperty(parent, token, { value, enumerable: true, configurable: true, writable: true });
}
