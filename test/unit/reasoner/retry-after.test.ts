import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxRetryAfterMs, retryAfterMs } from "../../../src/platform/reasoner/llm/retry-after";

describe("retry-after", () => {
  it.each([
    [{ "retry-after": "12" }, 12_000],
    [{ "Retry-After": " 0.5 " }, 500],
    [{ "retry-after-ms": "40", "retry-after": "12" }, 40],
    [{ "retry-after": "Wed, 04 Mar 2026 10:00:30 GMT", date: "Wed, 04 Mar 2026 10:00:00 GMT" }, 30_000],
    [{ "retry-after": "Wed, 04 Mar 2026 10:00:00 GMT", date: "Wed, 04 Mar 2026 10:00:30 GMT" }, 0],
    [{ "retry-after": "86400" }, maxRetryAfterMs],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "Wed, 04 Mar 2026 10:00:30 GMT" }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])("reads %j as %s ms", (headers, expected) => {
    expect(retryAfterMs(headers)).toBe(expected);
  });

  it("never asks for a negative, fractional or unbounded wait", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.double().map(String),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        (text) => {
          const wait = retryAfterMs({ "retry-after": text, date: "Wed, 04 Mar 2026 10:00:00 GMT" }) ?? 0;
          expect(Number.isInteger(wait) && wait >= 0 && wait <= maxRetryAfterMs).toBe(true);
        },
      ),
    );
  });
});
