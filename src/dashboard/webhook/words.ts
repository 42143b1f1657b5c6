/** Events, states and faults of the webhook in the words of somebody at the desk. */
import type { DisabledReason, WebhookEvent, WebhookMessage } from "../../orgs/webhooks/model";

export const eventText: Record<WebhookEvent, string> = {
  "rule.pending": "A rule waits for review",
  "dead_letter.added": "Work was given up",
  "learning.stalled": "Nothing has been learned for 15 minutes although turns wait",
  "budget.reached": "The model tokens of the day are spent",
};

export const disabledText: Record<DisabledReason, string> = {
  gone: "the receiver answered 410 Gone",
  failing: "nothing could be delivered for five days",
  url_refused: "its address may not be called any more",
};

export type MessageState = "pending" | "delivered" | "failed";

export const stateOf = ({ deliveredAtMs, failedAtMs }: WebhookMessage): MessageState =>
  deliveredAtMs !== null ? "delivered" : failedAtMs !== null ? "failed" : "pending";
