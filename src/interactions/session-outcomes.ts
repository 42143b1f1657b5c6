/** Noting how a session ended: the first word counts, the same again is no error, another one is refused. */
import type { RequestScope } from "../http/route";
import { nowSec } from "../platform/clock";
import { canonicalJson } from "./canonical";
import { type OutcomeKind, type SessionOutcome, sessionOf, storeOutcome } from "./session-outcomes-store";

/** Clocks of callers and of the server differ by so much at most. */
const CLOCK_SLACK_SEC = 300;

/** Why an outcome is not taken, in Reflexio's words. */
export const refusals = [
  "unknown_session",
  "occurred_before_session",
  "occurred_in_future",
  "conflicting_finalization",
  "subject_not_writable",
] as const;
export type Refusal = (typeof refusals)[number];

export interface ReportedOutcome {
  sessionId: string;
  outcome: OutcomeKind;
  /** Seconds. */
  occurredAt: number;
  label: string | null;
  value: number | null;
  metadata: Record<string, unknown> | null;
}

export type OutcomeResult =
  | { kind: "taken"; isNew: boolean; stored: SessionOutcome }
  | { kind: "refused"; reason: Refusal; message: string };

const refuse = (reason: Refusal, message: string): OutcomeResult => ({ kind: "refused", reason, message });

const UNKNOWN = refuse("unknown_session", "Nothing of this session was published.");

const reported = ["outcome", "occurredAt", "label", "value", "metadata"] as const;

/** Keeps the first outcome of a published session. */
export async function reportOutcome(scope: RequestScope, report: ReportedOutcome): Promise<OutcomeResult> {
  const { db, orgId, principal, services } = scope;
  const session = await sessionOf(db, orgId, report.sessionId);
  if (session === null) return UNKNOWN;
  if (session.isBeingErased) return refuse("subject_not_writable", "The session's user is being erased.");
  const now = nowSec(services.clock);
  if (report.occurredAt > now + CLOCK_SLACK_SEC)
    return refuse("occurred_in_future", "occurred_at lies in the future; it is in seconds since 1970.");
  if (report.occurredAt < session.startedAt - CLOCK_SLACK_SEC)
    return refuse("occurred_before_session", "occurred_at lies before the session's first request.");
  const { metadata, ...rest } = report;
  const outcome: SessionOutcome = {
    ...rest,
    metadata: metadata === null ? null : canonicalJson(metadata),
    userId: session.userId,
    source: session.source,
    createdAt: now,
  };
  const result = await storeOutcome(db, orgId, outcome, principal.id);
  // It went while this call ran.
  if (result === null) return UNKNOWN;
  const { stored, isNew } = result;
  if (!isNew && reported.some((key) => stored[key] !== outcome[key]))
    return refuse("conflicting_finalization", "The session has another outcome, and the first one counts.");
  return { kind: "taken", isNew, stored };
}
