/** Messages that a person sends: a test, and one of before once more. */
import { completeWork, deferWork, enqueue } from "../../db/outbox";
import { sql } from "../../db/sql";
import { describeFault } from "../../http/fault";
import type { RequestScope } from "../../http/route";
import { nowSec } from "../../platform/clock";
import { Failure } from "../../platform/failure";
import { recordAudit, recordAuditIfChanged } from "../audit";
import { tell } from "./announce";
import { deliver } from "./deliver";
import { needEndpoint, needSecrets } from "./endpoint";
import { hasEndpoint } from "./endpoint-store";
import { findMessage, restartMessage } from "./message-store";
import { TEST_EVENT, type WebhookMessage } from "./model";

const disabled = (): Failure =>
  new Failure("conflict", "The webhook is disabled; PUT /api/webhook enables it again.");

/** @throws Failure("unavailable" | "not_found" | "conflict") where nothing can be sent */
async function needLiveEndpoint(scope: RequestScope): Promise<void> {
  needSecrets(scope);
  if ((await needEndpoint(scope)).disabledAt !== null) throw disabled();
}

/** @throws Failure("not_found") */
async function needMessage({ db, orgId }: RequestScope, messageId: string): Promise<WebhookMessage> {
  const message = await findMessage(db, orgId, messageId);
  if (message === null) throw new Failure("not_found", "There is no such message.");
  return message;
}

/**
 * Makes a message's attempt now. Where it fails, or the caller is gone before it ends, the message goes on by
 * its schedule like any other.
 */
async function deliverNow(scope: RequestScope, work: { orgId: string; id: string }, messageId: string) {
  const { services, db, orgId } = scope;
  try {
    const result = await deliver(services, orgId, messageId);
    const end =
      result === "done" ? completeWork(work) : deferWork(work, services.clock.nowMs() + result.retryInMs);
    await db.run(end);
  } catch (error) {
    services.log.warn("webhook.left_to_sweep", { orgId, messageId, ...describeFault(error) });
  }
  return needMessage(scope, messageId);
}

/** Sends a test message and says what became of it. @throws Failure */
export async function sendTest(scope: RequestScope): Promise<WebhookMessage> {
  const { services, db, orgId, principal, requestId } = scope;
  await needLiveEndpoint(scope);
  const nowMs = services.clock.nowMs();
  const messageId = services.ids.random("msg");
  const told = await tell(
    { orgId, messageId, type: TEST_EVENT, data: {}, createdAtMs: nowMs },
    hasEndpoint(orgId),
  );
  const [written] = await db.batch([
    ...told.statements,
    recordAuditIfChanged({
      principal,
      action: "test.webhook",
      entityType: "webhook",
      entityId: orgId,
      requestId,
      at: nowSec(services.clock),
      details: { message_id: messageId },
    }),
  ]);
  if (written?.changes !== 1) throw disabled();
  return deliverNow(scope, told.message, messageId);
}

/**
 * Sends a message again from its first attempt on, under the `webhook-id` it always had.
 * @throws Failure
 */
export async function resend(scope: RequestScope, messageId: string): Promise<WebhookMessage> {
  const { services, db, orgId, principal, requestId } = scope;
  await needMessage(scope, messageId);
  await needLiveEndpoint(scope);
  const nowMs = services.clock.nowMs();
  // Work of its own: what is left of the message's first work may end at this moment and take its row along.
  const work = await enqueue({
    orgId,
    topic: "webhook",
    key: [messageId],
    cause: `resend:${nowMs}`,
    nowMs,
    onlyIf: sql`changes() = 1`,
  });
  const [restarted] = await db.batch([
    restartMessage(orgId, messageId, nowMs, hasEndpoint(orgId)),
    work.statement,
    recordAudit({
      principal,
      action: "resend.webhook_message",
      entityType: "webhook_message",
      entityId: messageId,
      requestId,
      at: nowSec(services.clock),
    }),
  ]);
  if (restarted?.changes !== 1) throw disabled();
  return deliverNow(scope, work.message, messageId);
}
