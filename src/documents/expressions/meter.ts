/**
 * The work of one evaluation, counted. Counts decide, not clocks: the same expression on the same values is refused
 * on every machine or on none.
 */
import { LIMITS } from "../spec";

/** Evaluation ends: a limit was reached. Once thrown, no `||` and no `exists()` may make an answer of it. */
export class LimitError extends Error {}

export class Meter {
  #steps = 0;
  #characters = 0;
  /** The first limit that was reached. */
  exceeded: LimitError | null = null;

  /** Work done so far: elements compared, copied or visited, nodes of comprehensions' bodies. */
  get steps(): number {
    return this.#steps;
  }

  /** @throws LimitError when that is too much work */
  spend(steps: number): void {
    // An exists() goes on after an error: nothing more may be done for it.
    if (this.exceeded) throw this.exceeded;
    this.#steps += steps;
    if (this.#steps > LIMITS.expressionSteps)
      this.refuse(`the evaluation takes more than ${LIMITS.expressionSteps} steps`);
  }

  /** Counts JSON text that is yielded. @throws LimitError when that is too much */
  yield(characters: number): void {
    this.#characters += characters;
    if (this.#characters > LIMITS.expressionTextLength)
      this.refuse(`the result has more than ${LIMITS.expressionTextLength} characters`);
  }

  /** @throws LimitError always */
  refuse(message: string): never {
    this.exceeded ??= new LimitError(message);
    throw this.exceeded;
  }
}
