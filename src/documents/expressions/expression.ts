/**
 * What the rest of the code knows of expressions: where one stands, what is wrong with it, what it refers to, and what
 * it yields. Nothing here knows the engine (`engine.ts`).
 */
import type { Json } from "../model";
import type { FindingCode } from "../spec";

/**
 * Where an expression stands decides what it must yield: `boolean` (when, condition) exactly true or false, `list`
 * (a map's items) a list, `instant` (until) an RFC 3339 text or a timestamp, `value` (subject, template) any JSON.
 */
export type ExpressionPosition = "boolean" | "list" | "instant" | "value";

export interface ExpressionOptions {
  /** Set inside a map: the name of its element, `item` unless the map says `as` (ruling 24). */
  itemName?: string;
}

export type ExpressionFaultCode = Extract<
  FindingCode,
  "X601" | "X602" | "X603" | "X607" | "X608" | "X609" | "X611" | "X612"
>;

/** One thing wrong with an expression. */
export interface ExpressionFault {
  code: ExpressionFaultCode;
  message: string;
  /** What would be right. */
  hint?: string;
  /** Where in the source, in UTF-16 units. */
  offset?: number;
}

/** A use of `steps.<id>` or `steps["id"]`. */
export interface StepReference {
  step: string;
  /** It is only evaluated where the step is known to have run: under `has(steps.<id>)`, `.?` or `"id" in steps`. */
  guarded: boolean;
  /** Where in the source, in UTF-16 units. */
  offset: number;
}

/** What an expression reads. */
export interface References {
  /** Roots in order of first use. Empty: the expression is constant. */
  roots: string[];
  /** Every use, in source order. */
  steps: StepReference[];
  /** `steps` is read as a whole or under a computed key, so that which steps it reads cannot be known. */
  stepsDynamic: boolean;
  /** Names of `signals.<name>`, without repeats. */
  signals: string[];
}

/** Values of the roots, and of the map's element under its name. A root without a value is absent. */
export type Scope = Readonly<Record<string, Json>>;

export type Evaluated =
  | { ok: true; value: Json }
  | { ok: false; code: "expression_error" | "map_items_not_list"; message: string };

/** A checked expression. */
export interface CompiledExpression {
  readonly source: string;
  readonly position: ExpressionPosition;
  readonly references: References;
  /** The same text for expressions that differ in spaces, comments, quotes and needless parentheses only. */
  readonly normalized: string;
  /**
   * What it yields in a scope. Never throws, reads nothing but the scope, and does a bounded amount of work.
   * The value shares nothing with the scope. Of an `instant` it is the RFC 3339 text.
   */
  evaluate(scope: Scope): Evaluated;
}

export type Compiled<Expression extends CompiledExpression = CompiledExpression> =
  | { ok: true; expression: Expression }
  | {
      ok: false;
      /** In source order. */
      faults: ExpressionFault[];
      /** As far as the text could be parsed. */
      references?: References;
    };
