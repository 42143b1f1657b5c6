/** Compiles an expression for the place where it stands (section e.1 of the specification). */
import type { Json } from "../model";
import { DEFAULTS, EXPRESSION_ROOTS, LIMITS, PATTERNS } from "../spec";
import { formatInstant, parseInstant } from "../text/instant";
import type { Pattern } from "../text/pattern";
import { type EngineFault, LANGUAGE_NAMES, messageOf, parse, program, typeOf } from "./engine";
import { examine } from "./examine";
import type {
  Compiled,
  CompiledExpression,
  Evaluated,
  ExpressionFault,
  ExpressionOptions,
  ExpressionPosition,
  References,
  Scope,
} from "./expression";
import { Evaluation, RESERVED_KEYS } from "./guards";
import { admitted, yielded } from "./json-value";
import { lowered, normalForm } from "./lower";
import { Meter } from "./meter";
import { referencesOf } from "./references";
import type { Syntax } from "./syntax";

/** `as` of a map: a name that is no root and no word of the expression language. */
export function isItemName(name: string): boolean {
  const taken: readonly string[] = [...EXPRESSION_ROOTS, ...LANGUAGE_NAMES, ...RESERVED_KEYS];
  if (!PATTERNS.mapAs.test(name) || (name !== DEFAULTS.mapAs && taken.includes(name))) return false;
  const parsed = parse(name);
  return parsed.ok && parsed.syntax.kind === "name";
}

/**
 * Compiles an expression.
 * @param source CEL text, without `${{ }}`
 * @returns all faults (X601 syntax or types, X602 unknown root, X603 not boolean, X607 limits, X608 pattern, X609 no
 *   list, X611 item outside a map, X612 secret), or the expression
 */
export function compileExpression(
  source: string,
  position: ExpressionPosition,
  options: ExpressionOptions = {},
): Compiled<Program> {
  const { itemName } = options;
  const fault = unreadable(source);
  if (fault) return { ok: false, faults: [fault] };
  const parsed = parse(source);
  if (!parsed.ok) return { ok: false, faults: [syntaxFault(parsed.fault)] };
  const tree = parsed.syntax;
  const roots = [...EXPRESSION_ROOTS, ...(itemName === undefined ? [] : [itemName])];
  const references = referencesOf(tree, roots);
  const { faults, patterns } = examine(tree, itemName);
  if (faults.length === 0) faults.push(...typeFaults(source, tree, position, itemName));
  if (faults.length > 0) return { ok: false, faults: inOrder(faults), references };
  return { ok: true, expression: new Program(source, tree, position, itemName, patterns, references) };
}

/** Before anything ran, was signalled or was configured, these are empty and `has()` of them is false. */
const EMPTY_ROOTS = ["steps", "signals", "config"];

/** An expression inside of a template shares the meter of the whole template. */
export class Program implements CompiledExpression {
  readonly source: string;
  readonly position: ExpressionPosition;
  readonly references: References;
  readonly #tree: Syntax;
  readonly #itemName: string | undefined;
  readonly #patterns: readonly Pattern[];
  #run: ReturnType<typeof program> | null = null;

  constructor(
    source: string,
    tree: Syntax,
    position: ExpressionPosition,
    itemName: string | undefined,
    patterns: readonly Pattern[],
    references: References,
  ) {
    this.source = source;
    this.position = position;
    this.references = references;
    this.#tree = tree;
    this.#itemName = itemName;
    this.#patterns = patterns;
  }

  get normalized(): string {
    return normalForm(this.#tree);
  }

  evaluate(scope: Scope, meter = new Meter()): Evaluated {
    try {
      const result = inPosition(this.position, this.#yield(scope, meter));
      // A limit that was reached stays reached, whatever an || made of it.
      return meter.exceeded ? failed(meter.exceeded) : result;
    } catch (error) {
      return failed(meter.exceeded ?? error);
    }
  }

  #yield(scope: Scope, meter: Meter): Json {
    this.#run ??= program(
      lowered(
        this.#tree,
        this.#patterns.map((pattern) => pattern.source),
      ),
      this.#itemName,
    );
    const values: Record<string, unknown> = Object.create(null);
    for (const root of this.references.roots) {
      if (!Object.hasOwn(scope, root) && !EMPTY_ROOTS.includes(root))
        throw new Error(`there is no ${root} here`);
      values[root] = Object.hasOwn(scope, root) ? admitted(scope[root]) : {};
    }
    return yielded(this.#run(values, new Evaluation(meter, this.#patterns)), meter);
  }
}

const failed = (error: unknown): Evaluated => ({
  ok: false,
  code: "expression_error",
  message: messageOf(error),
});

function inPosition(position: ExpressionPosition, value: Json): Evaluated {
  switch (position) {
    case "boolean":
      if (typeof value === "boolean") return { ok: true, value };
      return failed(new Error(`the result must be true or false, it is ${named(value)}`));
    case "list":
      if (Array.isArray(value)) return { ok: true, value };
      return {
        ok: false,
        code: "map_items_not_list",
        message: `items must be a list, it is ${named(value)}`,
      };
    case "instant": {
      const atMs = typeof value === "string" ? parseInstant(value) : null;
      const text = atMs === null ? null : formatInstant(atMs);
      if (text !== null) return { ok: true, value: text };
      return failed(new Error(`the result must be an RFC 3339 instant, it is ${named(value)}`));
    }
    case "value":
      return { ok: true, value };
  }
}

function named(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? "a text that is none" : `a ${typeof value}`;
}

function unreadable(source: string): ExpressionFault | null {
  if (source.trim() === "") return { code: "X601", message: "The expression is empty.", offset: 0 };
  if (source.length > LIMITS.expressionLength)
    return { code: "X607", message: `The expression has more than ${LIMITS.expressionLength} characters.` };
  if (!source.isWellFormed()) return { code: "X601", message: "The expression contains half a character." };
  // The engine's parser calls itself for each of these, without counting.
  const row = new RegExp(`(?:[!-]\\s*){${LIMITS.expressionDepth}}`).exec(source);
  if (row)
    return {
      code: "X607",
      message: `The expression is nested deeper than ${LIMITS.expressionDepth}.`,
      offset: row.index,
    };
  return null;
}

const syntaxFault = ({ kind, message, offset }: EngineFault): ExpressionFault => ({
  code: kind === "limit" ? "X607" : "X601",
  message: `${message}.`,
  ...(offset === undefined ? {} : { offset }),
});

function typeFaults(
  source: string,
  tree: Syntax,
  position: ExpressionPosition,
  itemName: string | undefined,
): ExpressionFault[] {
  let checked = typeOf(source, itemName);
  // CEL allows has() on any map; the engine's macro takes names only, the normal form says the same without it.
  if (!checked.ok && checked.fault.message.startsWith("has()")) {
    const { offset, ...first } = checked.fault;
    checked = typeOf(normalForm(tree), itemName);
    // Places in the normal form are none in the source.
    if (!checked.ok)
      checked = { ok: false, fault: { ...first, message: checked.fault.message, offset: offset ?? 0 } };
  }
  if (!checked.ok) {
    const hint = /overload|same type/.test(checked.fault.message)
      ? "Nothing is converted by itself: use string(), int(), double() or dyn()."
      : undefined;
    return [{ ...syntaxFault(checked.fault), ...(hint === undefined ? {} : { hint }) }];
  }
  return misplaced(checked.type, position);
}

function misplaced(type: string, position: ExpressionPosition): ExpressionFault[] {
  if (type === "dyn") return [];
  const optional = type.startsWith("optional")
    ? { hint: "Say what counts when it is missing: .orValue(…)." }
    : {};
  if (position === "boolean" && type !== "bool")
    return [
      { code: "X603", message: `The result must be true or false, it is ${type}.`, offset: 0, ...optional },
    ];
  if (position === "list" && !type.startsWith("list"))
    return [{ code: "X609", message: `The result must be a list, it is ${type}.`, offset: 0, ...optional }];
  if (position === "instant" && !["string", "google.protobuf.Timestamp"].includes(type)) {
    const message = `The result must be an RFC 3339 text or a timestamp, it is ${type}.`;
    return [{ code: "X601", message, offset: 0, ...optional }];
  }
  if (/^(?:bytes|type|optional|google\.protobuf\.Duration)/.test(type))
    return [{ code: "X601", message: `The result must be JSON, it is ${type}.`, offset: 0, ...optional }];
  return [];
}

const inOrder = (faults: ExpressionFault[]): ExpressionFault[] =>
  faults.sort((a, b) => (a.offset ?? 0) - (b.offset ?? 0) || (a.code < b.code ? -1 : 1));
