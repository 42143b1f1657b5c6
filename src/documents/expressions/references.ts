/** What an expression reads, and which steps it reads only where they are known to have run. */
import type { References, StepReference } from "./expression";
import { partsOf, type Syntax } from "./syntax";

/** Collects the references of a tree; `roots` are the names that stand for roots (a map's item included). */
export function referencesOf(tree: Syntax, roots: readonly string[]): References {
  const collector = new Collector(roots);
  collector.visit(tree, new Set(), new Set());
  return {
    roots: [...collector.roots],
    steps: collector.steps.sort((a, b) => a.offset - b.offset),
    stepsDynamic: collector.stepsDynamic,
    signals: [...collector.signals],
  };
}

class Collector {
  readonly roots = new Set<string>();
  readonly steps: StepReference[] = [];
  readonly signals = new Set<string>();
  stepsDynamic = false;
  readonly #known: readonly string[];
  constructor(known: readonly string[]) {
    this.#known = known;
  }

  /** `bound`: variables of comprehensions around here; `present`: steps known to have run here. */
  visit(node: Syntax, bound: ReadonlySet<string>, present: ReadonlySet<string>): void {
    if (node.kind === "name") {
      if (bound.has(node.name) || !this.#known.includes(node.name)) return;
      this.roots.add(node.name);
      if (node.name === "steps") this.stepsDynamic = true;
      return;
    }
    const step = memberOf(node, "steps", bound);
    if (step !== null && (node.kind === "select" || node.kind === "index")) {
      this.roots.add("steps");
      const guarded = node.optional || present.has(step);
      this.steps.push({ step, guarded, offset: node.offset });
      return;
    }
    const signal = memberOf(node, "signals", bound);
    if (signal !== null) this.signals.add(signal);
    const tested = node.kind === "binary" && node.operator === "in" ? stepIn(node, bound) : null;
    if (tested !== null) {
      this.roots.add("steps");
      this.steps.push({ step: tested, guarded: true, offset: node.offset });
      return;
    }
    this.#visitParts(node, bound, present);
  }

  #visitParts(node: Syntax, bound: ReadonlySet<string>, present: ReadonlySet<string>): void {
    const with_ = (more: ReadonlySet<string>): ReadonlySet<string> => new Set([...present, ...more]);
    switch (node.kind) {
      case "and":
      case "or": {
        // CEL's operators do not care for order: the right side's answer absorbs the left side's error as well.
        const isAnd = node.kind === "and";
        this.visit(node.left, bound, with_(knownWhen(node.right, isAnd, bound)));
        this.visit(node.right, bound, with_(knownWhen(node.left, isAnd, bound)));
        return;
      }
      case "choice":
        this.visit(node.condition, bound, present);
        this.visit(node.yes, bound, with_(knownWhen(node.condition, true, bound)));
        this.visit(node.no, bound, with_(knownWhen(node.condition, false, bound)));
        return;
      case "has":
        this.visit(node.of, bound, with_(stepsUnder(node.of, bound)));
        return;
      default:
        for (const { part, binds } of partsOf(node))
          this.visit(part, binds === undefined ? bound : new Set([...bound, binds]), present);
    }
  }
}

/** Steps that have run whenever `node` yields `answer`. */
function knownWhen(node: Syntax, answer: boolean, bound: ReadonlySet<string>): Set<string> {
  switch (node.kind) {
    case "has":
      return answer ? stepsUnder(node.of, bound) : new Set();
    case "not":
      return knownWhen(node.of, !answer, bound);
    case "and":
    case "or":
      return (node.kind === "and") === answer
        ? new Set([...knownWhen(node.left, answer, bound), ...knownWhen(node.right, answer, bound)])
        : new Set();
    case "binary": {
      const tested = answer && node.operator === "in" ? stepIn(node, bound) : null;
      return tested === null ? new Set() : new Set([tested]);
    }
    default:
      return new Set();
  }
}

/** Of `steps.a.b.c`: `a`. */
function stepsUnder(node: Syntax, bound: ReadonlySet<string>): Set<string> {
  const step = memberOf(node, "steps", bound);
  if (step !== null) return new Set([step]);
  return node.kind === "select" || node.kind === "index" ? stepsUnder(node.of, bound) : new Set();
}

/** Of `root.name` or `root["name"]`: the name. */
function memberOf(node: Syntax, root: string, bound: ReadonlySet<string>): string | null {
  if (node.kind !== "select" && node.kind !== "index") return null;
  if (node.of.kind !== "name" || node.of.name !== root || bound.has(root)) return null;
  return node.kind === "select" ? node.field : textOf(node.key);
}

/** Of `"a" in steps`: `a`. */
function stepIn(node: Syntax & { kind: "binary" }, bound: ReadonlySet<string>): string | null {
  const { left, right } = node;
  return right.kind === "name" && right.name === "steps" && !bound.has("steps") ? textOf(left) : null;
}

const textOf = (node: Syntax): string | null =>
  node.kind === "literal" && node.value.type === "string" ? node.value.value : null;
