/** What a user may write, beyond what the engine's grammar and types allow. */
import { EXPRESSION_ROOTS, LIMITS, TEMPLATE } from "../spec";
import { compilePattern, type Pattern } from "../text/pattern";
import { suggest } from "../text/suggest";
import { FUNCTION_NAMES, LANGUAGE_NAMES } from "./engine";
import type { ExpressionFault } from "./expression";
import { RESERVED_KEYS } from "./guards";
import { partsOf, type Syntax } from "./syntax";

/** All faults of a tree that do not need types, in source order, and the patterns of its `matches()`. */
export function examine(
  tree: Syntax,
  itemName: string | undefined,
): { faults: ExpressionFault[]; patterns: Pattern[] } {
  const examiner = new Examiner(itemName);
  examiner.visit(tree, { bound: [], depth: 1, nesting: 0 });
  return { faults: examiner.faults, patterns: examiner.patterns };
}

interface Place {
  bound: readonly string[];
  depth: number;
  /** Comprehensions around here. */
  nesting: number;
}

class Examiner {
  readonly faults: ExpressionFault[] = [];
  readonly patterns: Pattern[] = [];
  readonly #itemName: string | undefined;
  #tooDeep = false;
  constructor(itemName: string | undefined) {
    this.#itemName = itemName;
  }

  visit(node: Syntax, place: Place): void {
    if (place.depth > LIMITS.expressionDepth && !this.#tooDeep) {
      this.#tooDeep = true;
      this.#fault("X607", node, `The expression is nested deeper than ${LIMITS.expressionDepth}.`);
    }
    if (node.kind === "name") this.#name(node, place);
    if (node.kind === "literal") this.#literal(node);
    if (node.kind === "map") this.#map(node);
    if (node.kind === "call" || node.kind === "method") this.#function(node);
    if (node.kind === "method" && node.name === "matches") this.#matches(node);
    if (node.kind === "comprehension" || node.kind === "bind") this.#variable(node, place);
    if (node.kind === "binary" && node.operator === "-" && this.#hyphen(node)) return;
    for (const { part, binds } of partsOf(node)) {
      const inBody = binds !== undefined && node.kind === "comprehension";
      this.visit(part, {
        bound: binds === undefined ? place.bound : [...place.bound, binds],
        // A row of && or of || reads as one list and is no nesting.
        depth: place.depth + ((node.kind === "and" || node.kind === "or") && part.kind === node.kind ? 0 : 1),
        nesting: place.nesting + (inBody ? 1 : 0),
      });
    }
  }

  #fault(code: ExpressionFault["code"], node: Syntax, message: string, hint?: string): void {
    this.faults.push({ code, message, ...(hint === undefined ? {} : { hint }), offset: node.offset });
  }

  #name(node: Syntax & { kind: "name" }, { bound }: Place): void {
    const { name } = node;
    const itemName = this.#itemName;
    if (bound.includes(name) || name === itemName) return;
    if (name === "secrets") {
      const hint = `Put {"${TEMPLATE.secretKey}": "NAME"} where the tool's input needs it.`;
      this.#fault("X612", node, "An expression cannot read secrets.", hint);
      return;
    }
    if (name === "item" || name === "index") {
      if (itemName !== undefined && name === "index") return;
      const hint =
        itemName === undefined
          ? "Only the item step of a map has them."
          : `This map names its element ${itemName}.`;
      this.#fault("X611", node, `"${name}" has no meaning here.`, hint);
      return;
    }
    if (LANGUAGE_NAMES.includes(name) && name !== "bytes") return;
    const known: string[] = [...EXPRESSION_ROOTS, ...(itemName === undefined ? [] : [itemName]), ...bound];
    if (known.includes(name)) return;
    const close = suggest(name, known);
    this.#fault(
      "X602",
      node,
      `There is no "${name}".`,
      close ? `Did you mean "${close}"?` : `Known are ${known.join(", ")}.`,
    );
  }

  #literal(node: Syntax & { kind: "literal" }): void {
    if (node.value.type === "bytes")
      this.#fault("X601", node, "JSON has no bytes.", "Write a string: no b before it.");
    if (node.value.type === "string" && node.value.value === TEMPLATE.secretKey)
      this.#fault("X612", node, `"${TEMPLATE.secretKey}" cannot stand in an expression.`);
  }

  #map(node: Syntax & { kind: "map" }): void {
    const seen = new Set<string>();
    for (const [key] of node.entries) {
      if (key.kind !== "literal") continue;
      if (key.value.type !== "string") {
        this.#fault("X601", key, "A key of a map must be a string.", "JSON objects have no other keys.");
        continue;
      }
      const text = key.value.value;
      if (RESERVED_KEYS.includes(text)) this.#fault("X601", key, `"${text}" cannot be the key of a map.`);
      if (seen.has(text)) this.#fault("X601", key, `The key "${text}" stands twice in the map.`);
      seen.add(text);
    }
  }

  #function(node: Syntax & { kind: "call" | "method" }): void {
    if (FUNCTION_NAMES.includes(node.name)) return;
    const close = suggest(node.name, FUNCTION_NAMES);
    const hint = close ? `Did you mean "${close}"?` : undefined;
    this.#fault("X601", node, `There is no function "${node.name}".`, hint);
  }

  #matches(node: Syntax & { kind: "method" }): void {
    const [only] = node.arguments;
    if (node.arguments.length !== 1 || only?.kind !== "literal" || only.value.type !== "string") {
      this.#fault("X608", node, "matches() needs its pattern as a literal string.");
      return;
    }
    const result = compilePattern(only.value.value);
    if (result.ok) this.patterns.push(result.pattern);
    else this.#fault("X608", only, result.message, "RE2 has no look-around and no back-references.");
  }

  #variable(node: Syntax & { kind: "comprehension" | "bind" }, { nesting }: Place): void {
    if (node.variable.startsWith("__"))
      this.#fault(
        "X601",
        node,
        `A variable cannot be called "${node.variable}".`,
        "Names with __ are reserved.",
      );
    if (node.kind === "comprehension" && nesting === LIMITS.comprehensionNesting)
      this.#fault(
        "X607",
        node,
        `More than ${LIMITS.comprehensionNesting} of all(), exists(), exists_one(), filter() and map() are nested.`,
      );
  }

  /** `steps.my-step.output` is read as a subtraction; what is meant can be said. */
  #hyphen({ left, right }: Syntax & { kind: "binary" }): boolean {
    if (left.kind !== "select" || left.of.kind !== "name" || left.of.name !== "steps") return false;
    let first = right;
    while (first.kind === "select") first = first.of;
    if (first.kind !== "name" || (EXPRESSION_ROOTS as readonly string[]).includes(first.name)) return false;
    const id = `${left.field}-${first.name}`;
    this.#fault(
      "X602",
      first,
      `There is no "${first.name}": a hyphen is a minus here.`,
      `Write steps["${id}"].`,
    );
    return true;
  }
}
