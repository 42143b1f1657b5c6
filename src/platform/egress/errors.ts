/** The closed set of reasons for which an outgoing request is refused or given up. */

export const egressErrorCodes = [
  "invalid_url",
  "scheme_refused",
  "credentials_in_url",
  "host_refused",
  "port_refused",
  "too_many_redirects",
  "redirect_invalid",
  "redirect_body_lost",
  "timeout",
  "aborted",
  "response_too_large",
  "network",
] as const;
export type EgressErrorCode = (typeof egressErrorCodes)[number];

/** Thrown by the guarded fetch. The message names hosts and limits, never paths, queries or bodies. */
export class EgressError extends Error {
  override readonly name = "EgressError";
  constructor(
    readonly code: EgressErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
