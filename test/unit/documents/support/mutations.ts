/**
 * Documents as trees that can be broken in every way a text can be: members twice, names of prototypes, other types.
 * Mutations are plain numbers, so that fast-check shrinks them.
 */
import fc from "fast-check";
import type { Json, JsonObject } from "../../../../src/documents/model";
import { leaf } from "./documents";

/** JSON in which an object may have a name twice. */
export type Tree = null | boolean | number | string | Tree[] | { members: [string, Tree][] };

export const isMembers = (tree: Tree | undefined): tree is { members: [string, Tree][] } =>
  typeof tree === "object" && tree !== null && !Array.isArray(tree);

export function treeOf(value: Json): Tree {
  if (Array.isArray(value)) return value.map(treeOf);
  if (typeof value !== "object" || value === null) return value;
  return { members: Object.entries(value).map(([name, member]) => [name, treeOf(member)]) };
}

export function textOf(tree: Tree): string {
  if (Array.isArray(tree)) return `[${tree.map(textOf).join(",")}]`;
  if (!isMembers(tree)) return JSON.stringify(tree);
  return `{${tree.members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join(",")}}`;
}

/** A value read from a tree; of a name given twice the last counts. Names of prototypes are left out. */
export function jsonValueOf(tree: Tree): Json {
  if (Array.isArray(tree)) return tree.map(jsonValueOf);
  if (!isMembers(tree)) return tree;
  const value: JsonObject = {};
  for (const [name, member] of tree.members) if (name !== "__proto__") value[name] = jsonValueOf(member);
  return value;
}

/** A place that holds a tree: an element of a list, or a member of an object. */
type Slot = { list: Tree[]; index: number } | { members: [string, Tree][]; index: number };

export function slotsIn(tree: Tree, slots: Slot[] = []): Slot[] {
  if (Array.isArray(tree)) {
    for (const [index, element] of tree.entries()) {
      slots.push({ list: tree, index });
      slotsIn(element, slots);
    }
  } else if (isMembers(tree)) {
    for (const [index, [, member]] of tree.members.entries()) {
      slots.push({ members: tree.members, index });
      slotsIn(member, slots);
    }
  }
  return slots;
}

export const get = (slot: Slot): Tree =>
  ("list" in slot ? slot.list[slot.index] : slot.members[slot.index]?.[1]) ?? null;
export const nameOf = (slot: Slot): string => ("list" in slot ? "" : (slot.members[slot.index]?.[0] ?? ""));

export function set(slot: Slot, tree: Tree): void {
  if ("list" in slot) slot.list.splice(slot.index, 1, tree);
  else slot.members.splice(slot.index, 1, [nameOf(slot), tree]);
}
export function remove(slot: Slot): void {
  ("list" in slot ? slot.list : slot.members).splice(slot.index, 1);
}
/** Puts another value before it: in an object, under the same name. */
export function repeat(slot: Slot, tree: Tree): void {
  if ("list" in slot) slot.list.splice(slot.index, 0, tree);
  else slot.members.splice(slot.index, 0, [nameOf(slot), tree]);
}
export function rename(slot: Slot, name: string): void {
  if (!("list" in slot)) slot.members.splice(slot.index, 1, [name, get(slot)]);
}

const nested = (levels: number): Tree => {
  let tree: Tree = "x";
  for (let level = 0; level < levels; level++) tree = level % 2 ? [tree] : { members: [["a", tree]] };
  return tree;
};

/** What stands in the place of something else. */
export const HOSTILE: readonly Tree[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e308,
  9007199254740992,
  "",
  " ",
  "auto",
  "__proto__",
  "constructor",
  "toString",
  "\\u0000\\ud83d\\ude00\\u202e",
  "\ud800",
  "a".repeat(70_000),
  leaf("steps.draft.output"),
  "${{",
  "trigger.a[".repeat(50),
  "((((((((((".repeat(20),
  "P1Y",
  "99999999999999999999d",
  "/~2",
  "*/0 * * * *",
  "1.11",
  "draft",
  "approval",
  "map",
  [],
  [[]],
  [null],
  { members: [] },
  { members: [["$secret", "X"]] },
  { members: [["$ref", "#"]] },
  { members: [["kind", "agent"]] },
  {
    members: [
      ["kind", "approval"],
      ["kind", "agent"],
    ],
  },
  { members: [["__proto__", { members: [["kind", "tool"]] }]] },
  nested(10),
  nested(40),
  nested(600),
];
export const NAMES: readonly string[] = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "",
  "x-vendor",
  "a/b~c",
  "next",
  "kind",
  "id",
  "over",
  "tools",
  "itemStep",
  "toJSON",
  "length",
];

export interface Mutation {
  kind: number;
  slot: number;
  other: number;
  value: number;
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.nat(7),
  slot: fc.nat(9999),
  other: fc.nat(9999),
  value: fc.nat(999),
});

const pick = <Value>(values: readonly Value[], number: number): Value | undefined =>
  values[number % Math.max(1, values.length)];

/** Applies a mutation to a tree, in place. */
export function mutate(tree: Tree, { kind, slot, other, value }: Mutation): void {
  const slots = slotsIn(tree);
  const at = pick(slots, slot);
  if (!at) return;
  const another = pick(slots, other);
  const hostile = structuredClone(pick(HOSTILE, value) ?? null);
  if (kind === 0) remove(at);
  else if (kind <= 2) set(at, hostile);
  else if (kind === 3) repeat(at, structuredClone(value % 2 ? get(at) : hostile));
  else if (kind === 4) {
    // Never a tree into itself.
    const [one, two] = [structuredClone(get(at)), another ? structuredClone(get(another)) : null];
    if (another) set(another, one);
    set(at, two);
  } else if (kind === 5) rename(at, pick(NAMES, value) ?? "");
  else if (kind === 6) rename(at, value % 2 ? nameOf(at).toUpperCase() : `${nameOf(at)}s`);
  else {
    const inside = get(at);
    if (isMembers(inside)) inside.members.push([pick(NAMES, other) ?? "", hostile]);
    else if (Array.isArray(inside)) inside.push(hostile);
    else set(at, [inside]);
  }
}
