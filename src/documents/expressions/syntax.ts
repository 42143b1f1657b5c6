/** An expression as a tree of our own, so that what walks it does not depend on the engine that parsed it. */

/** What the first argument of a comprehension names: the element, or the key of a map. */
export type ComprehensionName = "all" | "exists" | "exists_one" | "map" | "filter";
export const COMPREHENSIONS: readonly ComprehensionName[] = ["all", "exists", "exists_one", "map", "filter"];

export type BinaryOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "+" | "-" | "*" | "/" | "%";

/** `offset`: where it starts in the source, in UTF-16 units. */
export type Syntax = { offset: number } & (
  | { kind: "literal"; value: LiteralValue }
  | { kind: "name"; name: string }
  | { kind: "select"; of: Syntax; field: string; optional: boolean }
  | { kind: "index"; of: Syntax; key: Syntax; optional: boolean }
  | { kind: "has"; of: Syntax }
  | { kind: "comprehension"; name: ComprehensionName; over: Syntax; variable: string; bodies: Syntax[] }
  | { kind: "bind"; variable: string; value: Syntax; body: Syntax }
  | { kind: "call"; name: string; arguments: Syntax[] }
  | { kind: "method"; name: string; receiver: Syntax; arguments: Syntax[] }
  | { kind: "list"; elements: Syntax[] }
  | { kind: "map"; entries: [key: Syntax, value: Syntax][] }
  | { kind: "choice"; condition: Syntax; yes: Syntax; no: Syntax }
  | { kind: "and" | "or"; left: Syntax; right: Syntax }
  | { kind: "not" | "negate"; of: Syntax }
  | { kind: "binary"; operator: BinaryOperator; left: Syntax; right: Syntax }
);

export type LiteralValue =
  | { type: "null" }
  | { type: "bool"; value: boolean }
  | { type: "int" | "uint"; value: bigint }
  | { type: "double"; value: number }
  | { type: "string"; value: string }
  | { type: "bytes" };

/** The parts of a node, in source order. A variable that a part sees in addition is named beside it. */
export function partsOf(node: Syntax): { part: Syntax; binds?: string }[] {
  const plain = (...parts: Syntax[]) => parts.map((part) => ({ part }));
  switch (node.kind) {
    case "literal":
    case "name":
      return [];
    case "select":
    case "has":
    case "not":
    case "negate":
      return plain(node.of);
    case "index":
      return plain(node.of, node.key);
    case "comprehension":
      return [...plain(node.over), ...node.bodies.map((part) => ({ part, binds: node.variable }))];
    case "bind":
      return [...plain(node.value), { part: node.body, binds: node.variable }];
    case "call":
      return plain(...node.arguments);
    case "method":
      return plain(node.receiver, ...node.arguments);
    case "list":
      return plain(...node.elements);
    case "map":
      return plain(...node.entries.flat());
    case "choice":
      return plain(node.condition, node.yes, node.no);
    case "and":
    case "or":
    case "binary":
      return plain(node.left, node.right);
  }
}

/** Nodes of a tree, itself included. */
export const countNodes = (node: Syntax): number =>
  partsOf(node).reduce((sum, { part }) => sum + countNodes(part), 1);
