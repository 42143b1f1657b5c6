/**
 * Topic `webhook`: one message on its way to the org's endpoint. At least once: whoever receives it knows a
 * double by its `webhook-id`.
 */
import type { Work } from "../../db/outbox";
import type { Statement } from "../../db/sql";
import type { Services } from "../../services";
import { attempt, type Outcome } from "./attempt";
import { disableEndpoint, noteDelivery, noteFailure } from "./endpoint-store";
import { claimAttempt, loadDelivery, recordAttempt } from "./message-store";
import type { Endpoint, WebhookMessage } from "./model";
import { waitMs } from "./schedule";

export type DeliveryServices = Pick<
  Services,
  "database" | "clock" | "log" | "secrets" | "settings" | "webhookEgress"
>;

/** Longer than an attempt can take: after it, one that was claimed and not recorded counts as lost. */
const CLAIM_MS = 30_000;
/** An endpoint that took nothing for so long is disabled. */
const PATIENCE_SEC = 5 * 86_400;
/** How long to wait for whoever took the message at this moment. */
const BUSY_RETRY_MS = 2_000;

type Delivery = "done" | { retryInMs: number };

/** What an attempt leaves behind, and when the next one is due. */
function ending(
  message: WebhookMessage,
  endpoint: Endpoint,
  outcome: Outcome,
  nowMs: number,
): { statements: Statement[]; delivery: Delivery } {
  const { orgId, url } = endpoint;
  const nowSec = Math.floor(nowMs / 1000);
  const attempts = message.attempts + 1;
  if (outcome.kind === "delivered") {
    const end = { attempts, lastStatus: outcome.status, lastError: null, deliveredAtMs: nowMs };
    return { statements: [recordAttempt(message, end), noteDelivery(orgId, url)], delivery: "done" };
  }
  const lastStatus = outcome.kind === "unsent" ? null : outcome.status;
  const end = { attempts, lastStatus, lastError: outcome.error };
  if (outcome.kind === "refused") {
    return {
      statements: [
        recordAttempt(message, { ...end, failedAtMs: nowMs }),
        disableEndpoint(orgId, url, outcome.error, nowSec),
      ],
      delivery: "done",
    };
  }
  const wait = waitMs(attempts, outcome.kind === "failed" ? outcome.retryAfterMs : 0);
  const recorded = wait === null ? { ...end, failedAtMs: nowMs } : { ...end, nextAttemptAtMs: nowMs + wait };
  return {
    statements: [
      recordAttempt(message, recorded),
      ...(outcome.kind === "failed" ? [noteFailure(orgId, url, nowSec, PATIENCE_SEC)] : []),
    ],
    delivery: wait === null ? "done" : { retryInMs: wait },
  };
}

/** Takes one message as far as it goes now. A message that is gone or has ended is done. */
export async function deliver(
  services: DeliveryServices,
  orgId: string,
  messageId: string,
): Promise<Delivery> {
  const db = services.database(orgId);
  const { message, endpoint } = await loadDelivery(db, orgId, messageId);
  if (message === null || message.deliveredAtMs !== null || message.failedAtMs !== null) return "done";
  const nowMs = services.clock.nowMs();
  if (message.nextAttemptAtMs > nowMs) return { retryInMs: message.nextAttemptAtMs - nowMs };
  if (endpoint === null || endpoint.disabledAt !== null) {
    const { attempts, lastStatus } = message;
    const lastError = endpoint === null ? "endpoint_deleted" : "endpoint_disabled";
    await db.run(recordAttempt(message, { attempts, lastStatus, lastError, failedAtMs: nowMs }));
    return "done";
  }
  const claimed = { ...message, nextAttemptAtMs: nowMs + CLAIM_MS };
  if ((await db.run(claimAttempt(message, claimed.nextAttemptAtMs))) === 0) {
    return { retryInMs: BUSY_RETRY_MS };
  }
  const outcome = await attempt(services, endpoint, message);
  if (outcome.kind !== "delivered") {
    services.log.warn("webhook.not_delivered", { orgId, messageId, error: outcome.error });
  }
  const { statements, delivery } = ending(claimed, endpoint, outcome, services.clock.nowMs());
  await db.batch(statements);
  return delivery;
}

/** Work of topic `webhook`, key `[messageId]`. */
export async function deliverWebhook(services: DeliveryServices, work: Work): Promise<Delivery> {
  const [messageId] = work.key;
  if (typeof messageId === "string") return deliver(services, work.orgId, messageId);
  services.log.error("webhook.work_key", { work: work.id });
  return "done";
}
