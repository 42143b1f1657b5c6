/**
 * The engine of expressions: CEL by `@marcbachmann/cel-js`, with the settings of section e.1 of the specification. The
 * only file that imports it. It parses, checks types and runs; what a user may write and what it may cost is decided
 * around it (`examine.ts`, `lower.ts`, `guards.ts`).
 */
import { type ASTNode, Environment, EvaluationError, Optional, ParseError } from "@marcbachmann/cel-js";
import { DEFAULTS, EXPRESSION_ROOTS, LIMITS } from "../spec";
import { Evaluation, GUARDS, instantText } from "./guards";
import { COMPREHENSIONS, type LiteralValue, type Syntax } from "./syntax";

/** Why a text is no expression. `limit`: too large or too deep to be read. */
export interface EngineFault {
  kind: "syntax" | "type" | "limit";
  message: string;
  offset?: number;
}

/** Words of the language that stand where a name could: types and namespaces. No root and no variable is called so. */
export const LANGUAGE_NAMES: readonly string[] = [
  "bool",
  "bytes",
  "cel",
  "double",
  "dyn",
  "google",
  "int",
  "list",
  "map",
  "null_type",
  "optional",
  "string",
  "type",
  "uint",
];

const limits = {
  maxAstNodes: LIMITS.expressionNodes,
  maxDepth: LIMITS.expressionDepth,
  maxListElements: LIMITS.expressionListItems,
  maxMapEntries: LIMITS.expressionListItems,
};

/** JSON's numbers are doubles and literals are ints: `trigger.amount * 2` must work. */
function withMixedNumbers(environment: Environment): Environment {
  const divide = (a: number, b: number): number => {
    if (b === 0) throw new EvaluationError("division by zero");
    return a / b;
  };
  const operations: [string, (a: number, b: number) => number][] = [
    ["+", (a, b) => a + b],
    ["-", (a, b) => a - b],
    ["*", (a, b) => a * b],
    ["/", divide],
    ["%", (a, b) => (b === 0 ? divide(a, b) : a % b)],
  ];
  for (const [operator, apply] of operations) {
    environment.registerOperator(`double ${operator} int`, (a, b) => apply(Number(a), Number(b)));
    environment.registerOperator(`int ${operator} double`, (a, b) => apply(Number(a), Number(b)));
  }
  environment.registerOperator("double % double", (a, b) => (b === 0 ? divide(a, b) : a % b));
  environment.registerFunction("string(google.protobuf.Timestamp): string", (at: Date) => instantText(at));
  environment.registerFunction("int(google.protobuf.Timestamp): int", (at: Date) =>
    BigInt(Math.floor(at.getTime() / 1000)),
  );
  return environment;
}

const base = withMixedNumbers(
  new Environment({
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    unlistedVariablesAreDyn: false,
    limits,
  }),
);
for (const root of EXPRESSION_ROOTS) base.registerVariable(root, "dyn");

/** Of bytes, which JSON does not have. */
const BYTES_FUNCTIONS = ["at", "base64", "bytes", "hex", "json"];
/** Every function and method that a user can call. */
export const FUNCTION_NAMES: readonly string[] = [
  ...new Set(base.getDefinitions().functions.map(({ name }) => name)),
].filter((name) => !BYTES_FUNCTIONS.includes(name));

/** Runs what `lower.ts` writes: guards around the parts of an expression, so larger and deeper than the expression. */
const guarded = base.clone({
  limits: { ...limits, maxAstNodes: limits.maxAstNodes * 8, maxDepth: limits.maxDepth * 6 },
});
guarded.registerType("Evaluation", Evaluation);
guarded.registerVariable("__e", "Evaluation");
for (const [signature, guard] of Object.entries(GUARDS)) guarded.registerFunction(signature, guard);

const named = (environment: Environment, itemName: string | undefined): Environment =>
  itemName === undefined || itemName === DEFAULTS.mapAs
    ? environment
    : environment.clone().registerVariable(itemName, "dyn");

/** The tree of a text. */
export function parse(source: string): { ok: true; syntax: Syntax } | { ok: false; fault: EngineFault } {
  try {
    return { ok: true, syntax: syntaxOf(base.parse(source).ast) };
  } catch (error) {
    return { ok: false, fault: faultOf(error, "syntax") };
  }
}

/** The static type of an expression whose names are known: `bool`, `dyn`, `list<int>`, `google.protobuf.Timestamp` … */
export function typeOf(
  source: string,
  itemName: string | undefined,
): { ok: true; type: string } | { ok: false; fault: EngineFault } {
  try {
    const { valid, type, error } = named(base, itemName).check(source);
    return valid && type ? { ok: true, type } : { ok: false, fault: faultOf(error, "type") };
  } catch (error) {
    return { ok: false, fault: faultOf(error, "type") };
  }
}

/** Makes a lowered expression runnable. What it returns throws whatever the engine throws. */
export function program(
  lowered: string,
  itemName: string | undefined,
): (scope: Readonly<Record<string, unknown>>, evaluation: Evaluation) => unknown {
  const run = named(guarded, itemName).parse(lowered);
  return (scope, evaluation) => run({ ...scope, __e: evaluation });
}

/** What the engine said, in one line and without its picture of the source. */
export function messageOf(error: unknown): string {
  if (error instanceof RangeError)
    return /stack/i.test(error.message)
      ? "the expression is nested too deeply"
      : "a value has grown too large";
  const text =
    error instanceof EvaluationError || error instanceof ParseError
      ? error.summary
      : error instanceof Error
        ? error.message
        : String(error);
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

/** An optional's value, `undefined` when it has none; anything else as it is. */
export function unwrapped(value: unknown): unknown {
  if (!(value instanceof Optional)) return value;
  return value.hasValue() ? value.value() : undefined;
}

function faultOf(error: unknown, kind: "syntax" | "type"): EngineFault {
  if (error instanceof RangeError) return { kind: "limit", message: messageOf(error) };
  const limit = error instanceof ParseError && error.code === "limit_exceeded";
  const offset = error instanceof ParseError || error instanceof Error ? rangeStart(error) : undefined;
  return {
    kind: limit ? "limit" : kind,
    message: messageOf(error),
    ...(offset === undefined ? {} : { offset }),
  };
}

const rangeStart = (error: Error): number | undefined =>
  "range" in error && typeof error.range === "object" && error.range !== null && "start" in error.range
    ? Number(error.range.start)
    : undefined;

function syntaxOf(node: ASTNode): Syntax {
  const offset = node.start;
  switch (node.op) {
    case "value":
      return { offset, kind: "literal", value: literalOf(node.args) };
    case "id":
      return { offset, kind: "name", name: node.args };
    case ".":
    case ".?":
      return {
        offset,
        kind: "select",
        of: syntaxOf(node.args[0]),
        field: node.args[1],
        optional: node.op === ".?",
      };
    case "[]":
    case "[?]": {
      const [of, key] = node.args;
      return { offset, kind: "index", of: syntaxOf(of), key: syntaxOf(key), optional: node.op === "[?]" };
    }
    case "call":
      return callOf(offset, node.args);
    case "rcall":
      return methodOf(offset, node.args);
    case "list":
      return { offset, kind: "list", elements: node.args.map(syntaxOf) };
    case "map":
      return {
        offset,
        kind: "map",
        entries: node.args.map(([key, value]) => [syntaxOf(key), syntaxOf(value)]),
      };
    case "?:": {
      const [condition, yes, no] = node.args;
      return { offset, kind: "choice", condition: syntaxOf(condition), yes: syntaxOf(yes), no: syntaxOf(no) };
    }
    case "&&":
    case "||": {
      const kind = node.op === "&&" ? "and" : "or";
      return { offset, kind, left: syntaxOf(node.args[0]), right: syntaxOf(node.args[1]) };
    }
    case "!_":
    case "-_":
      return { offset, kind: node.op === "!_" ? "not" : "negate", of: syntaxOf(node.args) };
    default: {
      const [left, right] = node.args;
      return { offset, kind: "binary", operator: node.op, left: syntaxOf(left), right: syntaxOf(right) };
    }
  }
}

function callOf(offset: number, [name, args]: [string, ASTNode[]]): Syntax {
  const [only] = args;
  if (name === "has" && only && args.length === 1) return { offset, kind: "has", of: syntaxOf(only) };
  return { offset, kind: "call", name, arguments: args.map(syntaxOf) };
}

function methodOf(offset: number, [name, receiver, args]: [string, ASTNode, ASTNode[]]): Syntax {
  const [variable, ...bodies] = args.map(syntaxOf);
  const count = bodies.length;
  if (variable?.kind === "name" && (count === 1 || (count === 2 && name === "map"))) {
    const comprehension = COMPREHENSIONS.find((known) => known === name);
    if (comprehension)
      return {
        offset,
        kind: "comprehension",
        name: comprehension,
        over: syntaxOf(receiver),
        variable: variable.name,
        bodies,
      };
  }
  const [value, body] = bodies;
  if (name === "bind" && receiver.op === "id" && receiver.args === "cel" && variable?.kind === "name")
    if (value && body && count === 2) return { offset, kind: "bind", variable: variable.name, value, body };
  return { offset, kind: "method", name, receiver: syntaxOf(receiver), arguments: args.map(syntaxOf) };
}

function literalOf(value: unknown): LiteralValue {
  if (value === null) return { type: "null" };
  if (typeof value === "boolean") return { type: "bool", value };
  if (typeof value === "string") return { type: "string", value };
  if (typeof value === "bigint") return { type: "int", value };
  if (typeof value === "number") return { type: "double", value };
  if (value instanceof Uint8Array) return { type: "bytes" };
  return { type: "uint", value: BigInt(String(value)) };
}
