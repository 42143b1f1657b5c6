/** Every failure a caller may see is one of a closed set, rendered in one place (`http/dialects`). */

export const failureStatus = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  invalid: 422,
  limited: 429,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
  timeout: 504,
} as const;

export type FailureKind = keyof typeof failureStatus;

/** One fault of an input: where (JSON pointer), what is wrong, what would be right. */
export interface Issue {
  pointer: string;
  message: string;
  expected: string;
  /** A stable code such as `too_small` or `missing`. */
  type: string;
}

export class Failure extends Error {
  override readonly name = "Failure";
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly issues: readonly Issue[] = [],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }

  get status(): (typeof failureStatus)[FailureKind] {
    return failureStatus[this.kind];
  }
}

/** An input that breaks one rule at one place. */
export const invalid = (pointer: string, message: string, expected: string, type = "value_error"): Failure =>
  new Failure("invalid", message, [{ pointer, message, expected, type }]);
