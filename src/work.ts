/** Background work: the queue's messages and the sweep that sends again what a queue lost. */
import { recheckContradictions } from "./aggregation/contradictions";
import { runAggregationWork, sweepAggregation } from "./aggregation/sweep";
import {
  completeWork,
  deferToQueue,
  deferWork,
  findWork,
  type Topic,
  takeDueWork,
  type Work,
  type WorkMessage,
  workMessageSchema,
} from "./db/outbox";
import { sweepHistory } from "./erasure/history";
import { runErasure } from "./erasure/run";
import { describeFault } from "./http/fault";
import { pruneIdempotencyKeys } from "./http/store";
import { runRetention } from "./interactions/retain";
import { runExtraction } from "./learning/consumer";
import { runGeneration } from "./learning/modes/run";
import { announceStalls } from "./learning/stalls";
import { runStoredReview } from "./learning/stored-review/run";
import { runTagging } from "./learning/tagging";
import { pruneSessions } from "./orgs/sessions-store";
import { deliverWebhook } from "./orgs/webhooks/deliver";
import { pruneMessages } from "./orgs/webhooks/message-store";
import { runBulkDelete } from "./playbooks/bulk-delete";
import { ensureBoundModel } from "./playbooks/reembedding";
import { reembed, syncVector } from "./playbooks/vectors";
import { runRevocation } from "./revocations/run";
import { reindex } from "./search/rebuild";
import { pruneServed } from "./search/served-store";
import type { Services } from "./services";

export type WorkResult = "done" | { retryInMs: number };
type Handler = (services: Services, work: Work) => Promise<WorkResult>;

const handlers: Record<Topic, Handler> = {
  extraction: runExtraction,
  tagging: runTagging,
  aggregation: runAggregationWork,
  vector: syncVector,
  reembed,
  retention: runRetention,
  reindex,
  revocation: runRevocation,
  webhook: deliverWebhook,
  contradictions: recheckContradictions,
  generation: runGeneration,
  erasure: runErasure,
  review: runStoredReview,
  bulk_delete: runBulkDelete,
};

/** A handler that throws is tried again after 2, 4, 8 … seconds, at most five minutes. */
const backOffMs = (attempts: number): number => Math.min(300_000, 1000 * 2 ** Math.min(attempts + 1, 9));

/** Shorter waits ride the queue's own delay; longer ones are left to the sweep, which comes every minute. */
const SWEEP_MS = 60_000;
/** Deliveries of one message after which its row is left to the sweep; the queue itself gives up after six. */
const MAX_DELIVERIES = 5;
/** A batch that has taken this long gives its other messages back, so that another consumer takes them. */
const BATCH_MS = 300_000;
/** Due rows taken a sweep and kind; when there are more, the sweep queues itself. */
const SWEEP_LIMIT = 500;
/** Expired rows of served rules that a sweep forgets; a search with a session leaves ten or so. */
const SERVED_LIMIT = 10_000;
/** What an org was told is kept for so long. */
const WEBHOOK_MESSAGES_KEPT_MS = 30 * 86_400_000;
/** The message with which a sweep that was not enough asks for another. */
const SWEEP_AGAIN: WorkMessage = { orgId: "", id: "sweep" };

async function runHandler(services: Services, work: Work): Promise<WorkResult> {
  try {
    return await handlers[work.topic](services, work);
  } catch (error) {
    const { topic, orgId, id, attempts } = work;
    services.log.error("work.fault", { topic, orgId, id, attempts, ...describeFault(error) });
    return { retryInMs: backOffMs(attempts) };
  }
}

/** Does one piece of work. A message whose row is gone was done before. */
export async function performWork(services: Services, message: WorkMessage): Promise<WorkResult> {
  const db = services.database(message.orgId);
  const work = await findWork(db, message);
  if (work === null) return "done";
  services.defer(
    ensureBoundModel(services, work.orgId).catch((error: unknown) =>
      services.log.warn("work.model_not_checked", describeFault(error)),
    ),
  );
  const result = await runHandler(services, work);
  if (result === "done") {
    await db.run(completeWork(work));
  } else {
    const deferred = result.retryInMs < SWEEP_MS ? deferToQueue : deferWork;
    await db.run(deferred(work, services.clock.nowMs() + result.retryInMs));
  }
  return result;
}

/** Acknowledges a message, or asks for its next delivery, so that one row never has two messages of ours. */
async function settle(services: Services, message: Message, work: WorkMessage, result: WorkResult) {
  if (result !== "done" && result.retryInMs === 0) {
    // Progress was made: the rest is new work and not another try.
    await services.send([work]);
  } else if (result !== "done" && result.retryInMs < SWEEP_MS && message.attempts < MAX_DELIVERIES) {
    message.retry({ delaySeconds: Math.ceil(result.retryInMs / 1000) });
    return;
  }
  message.ack();
}

/** Each message alone: what one of them does never decides over another. */
export async function consume(services: Services, batch: MessageBatch): Promise<void> {
  const startedMs = services.clock.nowMs();
  for (const message of batch.messages) {
    const parsed = workMessageSchema.safeParse(message.body);
    if (!parsed.success) {
      services.log.error("queue.malformed", { id: message.id });
      message.ack();
      continue;
    }
    if (services.clock.nowMs() - startedMs >= BATCH_MS) {
      message.retry();
      continue;
    }
    const { orgId, id } = parsed.data;
    try {
      if (id === SWEEP_AGAIN.id && orgId === SWEEP_AGAIN.orgId) {
        await sendDue(services);
        message.ack();
      } else {
        await settle(services, message, parsed.data, await performWork(services, parsed.data));
      }
    } catch (error) {
      services.log.error("queue.fault", { orgId, id, attempts: message.attempts, ...describeFault(error) });
      message.retry({ delaySeconds: Math.ceil(backOffMs(message.attempts) / 1000) });
    }
  }
}

/** A message the queue gave up on: its row is still in the outbox, so the sweep goes on with it. */
export function noteDead(services: Services, batch: MessageBatch): void {
  for (const message of batch.messages) {
    const work = workMessageSchema.safeParse(message.body);
    services.log.error("queue.dead", { attempts: message.attempts, ...(work.success && work.data) });
    message.ack();
  }
}

/** Sends the rows that are due, of every org. */
async function sendDue(services: Services): Promise<void> {
  const due = await takeDueWork(services.database(""), services.clock.nowMs(), SWEEP_LIMIT);
  await services.send(due.length < SWEEP_LIMIT ? due : [...due, SWEEP_AGAIN]);
}

/** Every minute: send what is due, wake coordinators whose alarm was lost, forget what has expired. */
export async function sweep(services: Services): Promise<void> {
  const nowMs = services.clock.nowMs();
  const chores: Record<string, () => Promise<unknown>> = {
    // Before the outbox, which puts off what it has sent.
    stalls: () => announceStalls(services),
    outbox: () => sendDue(services),
    aggregation: () => sweepAggregation(services, nowMs),
    idempotency: () => services.database("").run(pruneIdempotencyKeys(nowMs, SWEEP_LIMIT)),
    sessions: () => services.database("").run(pruneSessions(Math.floor(nowMs / 1000), SWEEP_LIMIT)),
    served: () => services.database("").run(pruneServed(nowMs, SERVED_LIMIT)),
    webhooks: () => services.database("").run(pruneMessages(nowMs - WEBHOOK_MESSAGES_KEPT_MS, SWEEP_LIMIT)),
  };
  for (const [chore, run] of Object.entries(chores)) {
    try {
      await run();
    } catch (error) {
      // The others still have their turn, and the next minute sweeps again.
      services.log.error("sweep.fault", { chore, ...describeFault(error) });
    }
  }
}

/** Every hour: aggregation that is due, and history that is old. */
export async function hourly(services: Services): Promise<void> {
  try {
    await sweepHistory(services);
  } catch (error) {
    services.log.error("sweep.fault", { chore: "history", ...describeFault(error) });
  }
  await sweepAggregation(services, services.clock.nowMs());
}
