/** A failure that was paid for: what the calls before it cost, so that a spending cap counts it too. */
import { ReasonerError } from "../port";

export interface Spent {
  provider: string;
  model: string;
  inputTokens: number;
  outputTokens: number;
}

/** The same failure with its cost. */
export class SpentReasonerError extends ReasonerError {
  constructor(
    failure: ReasonerError,
    readonly spent: Spent,
  ) {
    super(failure.fault, failure.code, failure.message, failure.retryAfterMs);
  }
}

/** What a failed task cost; null when it cost nothing or nobody said. */
export function spentBy(error: unknown): Spent | null {
  return error instanceof SpentReasonerError ? error.spent : null;
}
