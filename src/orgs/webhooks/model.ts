/** What an org can be told, and what is kept of the telling. */

/** Types of events an endpoint can ask for. */
export const webhookEvents = [
  "rule.pending",
  "dead_letter.added",
  "learning.stalled",
  "budget.reached",
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** What is said of each event: ids, counts and closed codes; never content or personal data. */
export interface EventData {
  /** Rules of agents wait for a person: a new one, several of one call, or one that was reopened. */
  "rule.pending": {
    /** The first of them. */
    agent_playbook_id: number;
    agent_version: string;
    count: number;
    flags: readonly string[];
    /** User playbooks it was made from, and users behind them; 0 for a rule that was added by hand. */
    sources: number;
    distinct_users: number;
    /** Path of the page that shows it. */
    url: string;
  };
  /** Work was given up. */
  "dead_letter.added": { dead_letter_id: string; topic: string; reason: string };
  /** Turns of users wait to be learned from and nothing comes of it. */
  "learning.stalled": { streams: number; oldest_seconds: number; last_error: string | null };
  /** The org has spent its model tokens of the UTC day. */
  "budget.reached": { day: string; tokens: number; cap: number };
}

/** One thing to tell. Equal type and key are told once, however often they are announced. */
export type Announcement = {
  [Type in WebhookEvent]: { type: Type; key: readonly (string | number)[]; data: EventData[Type] };
}[WebhookEvent];

/** The message that a person sends to try an endpoint; it goes out whatever events are asked for. */
export const TEST_EVENT = "webhook.test";

export interface Endpoint {
  orgId: string;
  url: string;
  events: WebhookEvent[];
  /** Sealed. */
  secret: string;
  /** Sealed; signs as well until `previousUntil`. */
  previousSecret: string | null;
  /** Seconds, as every time here. */
  previousUntil: number | null;
  createdAt: number;
  updatedAt: number;
  /** First of the failed attempts since the last delivery. */
  failingSince: number | null;
  disabledAt: number | null;
  disabledReason: DisabledReason | null;
}

export const disabledReasons = [
  /** The receiver answered 410. */
  "gone",
  /** Nothing was delivered for five days of attempts. */
  "failing",
  /** Its address may not be called any more. */
  "url_refused",
] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export interface WebhookMessage {
  orgId: string;
  /** The receiver's key against doubles (`webhook-id`). */
  messageId: string;
  type: string;
  data: Record<string, unknown>;
  createdAtMs: number;
  attempts: number;
  nextAttemptAtMs: number;
  /** HTTP status of the last attempt, null where none was answered. */
  lastStatus: number | null;
  /** A closed code. */
  lastError: string | null;
  deliveredAtMs: number | null;
  failedAtMs: number | null;
}

/** The name under which signing secrets are sealed. */
export const SECRET_NAME = "webhook_secret";
