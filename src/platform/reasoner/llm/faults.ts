/** What went wrong with a call, as the port's closed faults. Messages carry no content and no key. */
import { EgressError, type EgressErrorCode } from "../../egress";
import { ReasonerError, type ReasonerFault } from "../port";
import { retryAfterMs } from "./retry-after";

const egressFaults: Record<EgressErrorCode, readonly [ReasonerFault, string]> = {
  timeout: ["transient", "timeout"],
  aborted: ["transient", "aborted"],
  network: ["transient", "network"],
  response_too_large: ["unusable", "response_too_large"],
  invalid_url: ["refused", "egress_refused"],
  scheme_refused: ["refused", "egress_refused"],
  credentials_in_url: ["refused", "egress_refused"],
  host_refused: ["refused", "egress_refused"],
  port_refused: ["refused", "egress_refused"],
  too_many_redirects: ["refused", "egress_refused"],
  redirect_invalid: ["refused", "egress_refused"],
  redirect_body_lost: ["refused", "egress_refused"],
};

/** The fields of the AI SDK's `APICallError` that are read; told by shape, so the SDK need not be loaded. */
interface HttpFailure {
  statusCode: number;
  headers?: Record<string, string>;
  body: string;
}

function httpFailureOf(error: object): HttpFailure | null {
  if (!("statusCode" in error) || typeof error.statusCode !== "number") return null;
  const headers = "responseHeaders" in error ? error.responseHeaders : undefined;
  const body = "responseBody" in error && typeof error.responseBody === "string" ? error.responseBody : "";
  if (typeof headers !== "object" || headers === null) return { statusCode: error.statusCode, body };
  const texts = Object.entries(headers).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return { statusCode: error.statusCode, headers: Object.fromEntries(texts), body };
}

/** Providers answer 429 for an empty account too, and waiting does not fill it. */
const exhausted = /insufficient_quota|billing_hard_limit|credit balance is too low/i;

function ofStatus({ statusCode, headers, body }: HttpFailure): ReasonerError {
  const because = `the model endpoint answered ${statusCode}`;
  if (
    statusCode === 402 ||
    ((statusCode === 429 || statusCode === 400) && exhausted.test(body.slice(0, 20_000)))
  ) {
    return new ReasonerError("refused", "billing", because);
  }
  const waitMs = retryAfterMs(headers);
  if (statusCode === 429) return new ReasonerError("transient", "rate_limited", because, waitMs);
  if (statusCode === 408 || statusCode === 504)
    return new ReasonerError("transient", "timeout", because, waitMs);
  if (statusCode === 503 || statusCode === 529)
    return new ReasonerError("transient", "overloaded", because, waitMs);
  if (statusCode >= 500 || statusCode === 409 || statusCode === 425) {
    return new ReasonerError("transient", "provider_error", because, waitMs);
  }
  if (statusCode === 401) return new ReasonerError("refused", "unauthorized", because);
  if (statusCode === 403) return new ReasonerError("refused", "forbidden", because);
  if (statusCode >= 400) return new ReasonerError("refused", "bad_request", because);
  // A success whose body is empty, HTML or of another shape: a gateway in between, gone by the next try.
  return new ReasonerError("transient", "invalid_response", `${because} with a body that is no completion`);
}

/** The chain of an error and its causes, and the last error of a retry loop. */
function* causesOf(error: unknown): Generator<object> {
  let current: unknown = error;
  for (let depth = 0; depth < 8 && typeof current === "object" && current !== null; depth += 1) {
    yield current;
    current = "cause" in current ? current.cause : "lastError" in current ? current.lastError : undefined;
  }
}

/** Turns whatever a provider call threw into a `ReasonerError`. */
export function explainFailure(error: unknown): ReasonerError {
  let seenHttp: HttpFailure | null = null;
  for (const cause of causesOf(error)) {
    if (cause instanceof ReasonerError) return cause;
    if (cause instanceof EgressError) {
      const [fault, code] = egressFaults[cause.code];
      return new ReasonerError(fault, code, cause.message);
    }
    const name = "name" in cause ? cause.name : undefined;
    if (name === "TimeoutError")
      return new ReasonerError("transient", "timeout", "the model did not answer in time");
    if (name === "AbortError") return new ReasonerError("transient", "aborted", "the call was given up");
    seenHttp ??= httpFailureOf(cause);
  }
  if (seenHttp !== null) return ofStatus(seenHttp);
  return new ReasonerError("transient", "provider_error", "the model call failed without saying why");
}
