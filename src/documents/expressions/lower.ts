/**
 * Writes an expression as text again: as it was, in one normal form; or lowered, with a guard around every part whose
 * work or result could grow with the data (`guards.ts`), which is the form that runs.
 */
import { CALENDAR_FIELDS } from "./calendar";
import { countNodes, type LiteralValue, type Syntax } from "./syntax";

/** The normal form, for comparing expressions and checking types. */
export const normalForm = (node: Syntax): string => new Writer(null).any(node);

/** The form that runs. `patterns` are the literals of `matches()`, in the order of `collectPatterns`. */
export const lowered = (node: Syntax, patterns: readonly string[]): string => new Writer(patterns).any(node);

/** Where `has()` may be asked of a key that is missing itself: a step that did not run, a signal that never came. */
const OPEN_ROOTS = ["steps", "signals"];
const TIGHT = [
  "literal",
  "name",
  "select",
  "index",
  "has",
  "comprehension",
  "bind",
  "call",
  "method",
  "list",
  "map",
];
const ARITHMETIC = ["+", "-", "*", "/", "%"];

class Writer {
  readonly #patterns: readonly string[] | null;
  constructor(patterns: readonly string[] | null) {
    this.#patterns = patterns;
  }

  any(node: Syntax): string {
    switch (node.kind) {
      case "literal":
        return literal(node.value);
      case "name":
        return node.name;
      case "select":
        return `${this.tight(node.of)}.${node.optional ? "?" : ""}${node.field}`;
      case "index":
        return `${this.tight(node.of)}[${node.optional ? "?" : ""}${this.any(node.key)}]`;
      case "has":
        return this.presence(node.of);
      case "comprehension": {
        const work = node.bodies.reduce((sum, body) => sum + countNodes(body), 1);
        const bodies = node.bodies.map((body) => this.any(body)).join(", ");
        const over = this.guard("__range", node.over, `, ${work}`) ?? this.tight(node.over);
        return `${over}.${node.name}(${node.variable}, ${bodies})`;
      }
      case "bind":
        return `cel.bind(${node.variable}, ${this.any(node.value)}, ${this.any(node.body)})`;
      case "call":
        return this.call(node.name, node.arguments);
      case "method":
        return this.method(node.name, node.receiver, node.arguments);
      case "list":
        return `[${node.elements.map((element) => this.any(element)).join(", ")}]`;
      case "map":
        return `{${node.entries.map(([key, value]) => `${this.key(key)}: ${this.any(value)}`).join(", ")}}`;
      case "choice":
        return `${this.closed(node.condition)} ? ${this.closed(node.yes)} : ${this.closed(node.no)}`;
      case "and":
      case "or": {
        const left = node.left.kind === node.kind ? this.any(node.left) : this.operand(node.left);
        return `${left} ${node.kind === "and" ? "&&" : "||"} ${this.operand(node.right)}`;
      }
      case "not":
      case "negate":
        return `${node.kind === "not" ? "!" : "-"}${this.tight(node.of)}`;
      case "binary":
        return this.binary(node);
    }
  }

  /** With parentheses unless it binds as tightly as a name. */
  private tight(node: Syntax): string {
    const number = node.kind === "literal" && !["string", "bool", "null"].includes(node.value.type);
    return TIGHT.includes(node.kind) && !number ? this.any(node) : `(${this.any(node)})`;
  }

  private operand(node: Syntax): string {
    return node.kind === "literal" ? this.any(node) : this.tight(node);
  }

  private closed(node: Syntax): string {
    return node.kind === "choice" ? `(${this.any(node)})` : this.any(node);
  }

  /** `name(__e, node…)` when lowering, null otherwise. */
  private guard(name: string, node: Syntax, rest = ""): string | null {
    return this.#patterns ? `${name}(__e, ${this.any(node)}${rest})` : null;
  }

  private checked(text: string): string {
    return this.#patterns ? `__checked(__e, ${text})` : text;
  }

  private used(node: Syntax): string {
    return (node.kind === "literal" ? null : this.guard("__used", node)) ?? this.operand(node);
  }

  private key(node: Syntax): string {
    return this.#patterns && node.kind !== "literal" ? `__key(${this.any(node)})` : this.any(node);
  }

  private binary(node: Syntax & { kind: "binary" }): string {
    const { operator, left, right } = node;
    const write = (a: string, b: string): string => `${a} ${operator} ${b}`;
    if (ARITHMETIC.includes(operator))
      return this.#patterns
        ? this.checked(write(this.operand(left), this.operand(right)))
        : write(this.operand(left), this.operand(right));
    if (operator === "in")
      return write(this.operand(left), this.guard("__searched", right) ?? this.operand(right));
    const deep =
      (operator === "==" || operator === "!=") && left.kind !== "literal" && right.kind !== "literal";
    const side = (of: Syntax): string => (deep ? this.guard("__compared", of) : null) ?? this.operand(of);
    return write(side(left), side(right));
  }

  private call(name: string, args: Syntax[]): string {
    const [first] = args;
    if (this.#patterns && first && args.length === 1) {
      if (name === "timestamp") return `__timestamp(${this.any(first)})`;
      if (name === "duration") return `duration(__short(${this.any(first)}))`;
    }
    return this.checked(`${name}(${args.map((argument) => this.used(argument)).join(", ")})`);
  }

  private method(name: string, receiver: Syntax, args: Syntax[]): string {
    const [first] = args;
    const listed = args.map((argument) => this.any(argument)).join(", ");
    const optional = ["or", "orValue", "hasValue", "value"].includes(name);
    if (!this.#patterns || optional || (receiver.kind === "name" && receiver.name === "optional"))
      return `${this.tight(receiver)}.${name}(${listed})`;
    if (name === "matches" && first?.kind === "literal" && first.value.type === "string")
      return `__matches(__e, ${this.any(receiver)}, ${this.#patterns.indexOf(first.value.value)})`;
    if (name === "join" && args.length < 2)
      return `__joined(__e, ${this.any(receiver)}, ${first ? this.any(first) : '""'})`;
    if (CALENDAR_FIELDS.includes(name) && (first || name === "getDayOfYear"))
      return `__calendar(__e, ${this.any(receiver)}, ${quoted(name)}, ${first ? this.any(first) : '"UTC"'})`;
    const used = args.map((argument) => this.used(argument)).join(", ");
    return this.checked(`${this.guard("__used", receiver)}.${name}(${used})`);
  }

  /**
   * `has(steps.a.output)` is false, not an error, when the step has not run: it asks for `steps.a` first.
   * CEL allows any map under `has()`, the engine a chain of names only: the others are asked by a guard.
   */
  private presence(of: Syntax): string {
    if (of.kind !== "select") return `has(${this.any(of)})`;
    if (!this.#patterns) return isChain(of) ? `has(${this.any(of)})` : `(dyn(${this.any(of)}) == dyn(null))`;
    const own = isChain(of) ? `has(${this.any(of)})` : `__has(${this.any(of.of)}, ${quoted(of.field)})`;
    const first = firstOf(of);
    if (!first || first === of) return own;
    const key = first.kind === "select" ? quoted(first.field) : this.any(first.key);
    return `(${key} in ${this.any(first.of)} && ${own})`;
  }
}

/** The part that names a step or a signal: `steps.a` of `steps.a.output`. */
function firstOf(node: Syntax): (Syntax & { kind: "select" | "index" }) | null {
  if (node.kind !== "select" && node.kind !== "index") return null;
  if (node.of.kind === "name") return OPEN_ROOTS.includes(node.of.name) && !node.optional ? node : null;
  return firstOf(node.of);
}

const isChain = (node: Syntax): boolean =>
  node.kind === "name" || (node.kind === "select" && isChain(node.of));

const quoted = (text: string): string => JSON.stringify(text);

function literal(value: LiteralValue): string {
  switch (value.type) {
    case "null":
      return "null";
    case "bool":
      return String(value.value);
    case "string":
      return quoted(value.value);
    case "int":
      return String(value.value);
    case "uint":
      return `${value.value}u`;
    case "double":
      return Number.isInteger(value.value) && Math.abs(value.value) < 1e21
        ? `${value.value}.0`
        : String(value.value);
    case "bytes":
      return 'b""';
  }
}
