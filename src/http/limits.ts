/** Requests a minute per key and kind of work (specification 2). */

import { Failure } from "../platform/failure";
import type { Principal } from "../platform/principal";
import type { LimitClass } from "./route";

/** The bindings, each a fixed number of requests a minute. */
export interface RateLimits {
  LIMIT_5?: RateLimit;
  LIMIT_10?: RateLimit;
  LIMIT_60?: RateLimit;
  LIMIT_120?: RateLimit;
}

/** The binding that counts each class. */
export const bindingOf: Record<Exclude<LimitClass, "none">, keyof RateLimits> = {
  publish: "LIMIT_60",
  write: "LIMIT_60",
  search: "LIMIT_120",
  read: "LIMIT_120",
  aggregate: "LIMIT_10",
  bulk: "LIMIT_10",
  config: "LIMIT_10",
  generate: "LIMIT_5",
};

/** @throws Failure("limited") */
export async function assertWithinLimit(
  bindings: RateLimits,
  principal: Principal,
  limitClass: LimitClass,
): Promise<void> {
  if (limitClass === "none") return;
  const limiter = bindings[bindingOf[limitClass]];
  if (limiter === undefined) return;
  const { success } = await limiter.limit({
    key: JSON.stringify([principal.orgId, principal.keyId ?? principal.id, limitClass]),
  });
  if (!success) {
    throw new Failure("limited", `Too many ${limitClass} requests for this key; try again in a minute.`, [], {
      "retry-after": "60",
    });
  }
}
