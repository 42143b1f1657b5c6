/**
 * Templates: JSON whose strings may hold `${{ … }}`. Only the document's own strings are compiled, once. What an
 * expression yields is data and is never looked at again, whatever it looks like (section e.1, point 6).
 */
import type { Json, JsonObject, Template } from "../model";
import { LIMITS, TEMPLATE } from "../spec";
import { canonicalJson } from "../text/canonical-json";
import { childPointer } from "../text/pointer";
import { compileExpression, type Program } from "./compile";
import type {
  ExpressionFault,
  ExpressionFaultCode,
  ExpressionOptions,
  References,
  Scope,
} from "./expression";
import { Meter } from "./meter";
import { splitText } from "./template-text";

export interface TemplateOptions extends ExpressionOptions {
  /** `{"$secret": NAME}` leaves are allowed in a tool's input alone. */
  secrets: "allowed" | "refused";
}

export interface TemplateFault extends Omit<ExpressionFault, "code"> {
  code: ExpressionFaultCode | "X610";
  /** Into the template: the string, or the object around `$secret`. `offset` is of that string. */
  pointer: string;
}

/** A `{"$secret": NAME}` of the template itself. Its pointer holds for what the template yields as well. */
export interface SecretLeaf {
  pointer: string;
  name: string;
}

/** An expression of a template, as far as it could be parsed. */
export interface TemplateExpression {
  /** Of the string that holds it. */
  pointer: string;
  references: References;
}

export type EvaluatedTemplate =
  | { ok: true; value: Json }
  | { ok: false; code: "expression_error"; message: string; pointer: string };

export interface CompiledTemplate {
  readonly secrets: readonly SecretLeaf[];
  readonly expressions: readonly TemplateExpression[];
  /** What it yields in a scope: typed values, texts by ruling 35, secret leaves as they are. Never throws. */
  evaluate(scope: Scope): EvaluatedTemplate;
}

/** Everything that can be said of a template; `template` is null when it has faults. */
export interface TemplateReading {
  /** In document order. */
  faults: TemplateFault[];
  secrets: SecretLeaf[];
  expressions: TemplateExpression[];
  template: CompiledTemplate | null;
}

/**
 * Compiles a template. A string that is exactly `${{ … }}` yields the typed value; `${{ … }}` within other text is
 * written as text. Keys of objects are literal.
 */
export function compileTemplate(json: Template, options: TemplateOptions): TemplateReading {
  const reader = new Reader(options);
  const node = reader.read(json, "", 0);
  const { faults, secrets, expressions } = reader;
  if (!node || faults.length > 0) return { faults, secrets, expressions, template: null };
  return {
    faults,
    secrets,
    expressions,
    template: { secrets, expressions, evaluate: (scope) => run(node, scope) },
  };
}

type Node =
  | { kind: "literal"; value: null | boolean | number | string }
  | { kind: "secret"; name: string }
  | { kind: "typed"; pointer: string; expression: Program }
  | { kind: "text"; pointer: string; parts: (string | Program)[] }
  | { kind: "list"; elements: Node[] }
  | { kind: "object"; members: [key: string, value: Node][] };

class Reader {
  readonly faults: TemplateFault[] = [];
  readonly secrets: SecretLeaf[] = [];
  readonly expressions: TemplateExpression[] = [];
  readonly #options: TemplateOptions;
  constructor(options: TemplateOptions) {
    this.#options = options;
  }

  /** Null when there is a fault in it. */
  read(json: Template, pointer: string, depth: number): Node | null {
    if (typeof json === "string") return this.#text(json, pointer);
    if (json === null || typeof json !== "object") return { kind: "literal", value: json };
    if (depth >= LIMITS.expressionValueDepth) {
      const message = `The template is nested deeper than ${LIMITS.expressionValueDepth}.`;
      this.faults.push({ code: "X607", message, pointer });
      return null;
    }
    if (Array.isArray(json)) {
      const elements = json.map((element, index) =>
        this.read(element, childPointer(pointer, index), depth + 1),
      );
      return elements.every((element) => element !== null) ? { kind: "list", elements } : null;
    }
    if (Object.hasOwn(json, TEMPLATE.secretKey)) return this.#secret(json, pointer);
    const members: [string, Node][] = [];
    for (const [key, member] of Object.entries(json)) {
      const node = this.read(member, childPointer(pointer, key), depth + 1);
      if (node) members.push([key, node]);
    }
    return { kind: "object", members };
  }

  #secret(json: JsonObject, pointer: string): Node | null {
    const name = json[TEMPLATE.secretKey];
    const right = `Write {"${TEMPLATE.secretKey}": "NAME"}, with nothing beside it.`;
    const refuse = (message: string, hint: string): null => {
      this.faults.push({ code: "X612", message, hint, pointer });
      return null;
    };
    if (typeof name !== "string" || Object.keys(json).length > 1)
      return refuse("This names no secret.", right);
    if (name.includes(TEMPLATE.open)) return refuse("The name of a secret cannot be computed.", right);
    if (this.#options.secrets === "refused")
      return refuse("A secret cannot be used here.", "Only the input of a tool may name secrets.");
    this.secrets.push({ pointer, name });
    return { kind: "secret", name };
  }

  #text(text: string, pointer: string): Node | null {
    const split = splitText(text);
    if (!split.ok) {
      const message = `"${TEMPLATE.open}" is not closed.`;
      const hint = `Write "${TEMPLATE.close}" where the expression ends, or ${TEMPLATE.open} "${TEMPLATE.open}" ${TEMPLATE.close} for the characters themselves.`;
      this.faults.push({ code: "X610", message, hint, pointer, offset: split.unclosedAt });
      return null;
    }
    const parts: (string | Program)[] = [];
    for (const segment of split.segments) {
      const part =
        segment.kind === "text" ? segment.text : this.#expression(segment.source, segment.offset, pointer);
      if (part !== null) parts.push(part);
    }
    const [only] = parts;
    if (parts.length === 0) return { kind: "literal", value: "" };
    if (parts.length === 1 && only !== undefined)
      return typeof only === "string"
        ? { kind: "literal", value: only }
        : { kind: "typed", pointer, expression: only };
    return { kind: "text", pointer, parts };
  }

  #expression(source: string, offset: number, pointer: string): Program | null {
    const { itemName } = this.#options;
    const compiled = compileExpression(source, "value", itemName === undefined ? {} : { itemName });
    if (compiled.ok) {
      this.expressions.push({ pointer, references: compiled.expression.references });
      return compiled.expression;
    }
    if (compiled.references) this.expressions.push({ pointer, references: compiled.references });
    for (const fault of compiled.faults)
      this.faults.push({ ...fault, pointer, offset: offset + (fault.offset ?? 0) });
    return null;
  }
}

class Failure extends Error {
  readonly pointer: string;
  constructor(message: string, pointer: string) {
    super(message);
    this.pointer = pointer;
  }
}

function run(node: Node, scope: Scope): EvaluatedTemplate {
  try {
    return { ok: true, value: filled(node, scope, new Meter()) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      code: "expression_error",
      message,
      pointer: error instanceof Failure ? error.pointer : "",
    };
  }
}

/** One meter for the whole template: many expressions may not yield what one may not. */
function filled(node: Node, scope: Scope, meter: Meter): Json {
  switch (node.kind) {
    case "literal":
      return node.value;
    case "secret":
      return { [TEMPLATE.secretKey]: node.name };
    case "typed":
      return resultOf(node.expression, scope, meter, node.pointer);
    case "text": {
      const texts = node.parts.map((part) =>
        typeof part === "string" ? part : asText(resultOf(part, scope, meter, node.pointer), node.pointer),
      );
      return texts.join("");
    }
    case "list":
      return node.elements.map((element) => filled(element, scope, meter));
    case "object":
      return Object.fromEntries(node.members.map(([key, member]) => [key, filled(member, scope, meter)]));
  }
}

function resultOf(expression: Program, scope: Scope, meter: Meter, pointer: string): Json {
  const result = expression.evaluate(scope, meter);
  if (result.ok) return result.value;
  throw new Failure(result.message, pointer);
}

/** Ruling 35: strings as they are, null as nothing, lists and objects as RFC 8785 writes them. */
function asText(value: Json, pointer: string): string {
  if (typeof value === "string") return value;
  if (value === null) return "";
  try {
    return canonicalJson(value);
  } catch {
    throw new Failure("the value has no canonical text: it holds half a character", pointer);
  }
}
