/** Background work: the queue's messages and the sweep that sends again what a queue lost. */
import { runAggregationWork, sweepAggregation } from "./aggregation/sweep";
import {
  completeWork,
  deferWork,
  findWork,
  type Topic,
  takeDueWork,
  type Work,
  type WorkMessage,
  workMessageSchema,
} from "./db/outbox";
import { pruneIdempotencyKeys } from "./http/store";
import { runExtraction } from "./learning/consumer";
import { ensureBoundModel } from "./playbooks/reembedding";
import { reembed, syncVector } from "./playbooks/vectors";
import type { Services } from "./services";

export type WorkResult = "done" | { retryInMs: number };
type Handler = (services: Services, work: Work) => Promise<WorkResult>;

const handlers: Record<Topic, Handler> = {
  extraction: runExtraction,
  aggregation: runAggregationWork,
  vector: syncVector,
  reembed,
};

/** A handler that throws is tried again after 2, 4, 8 … seconds, at most five minutes. */
const backOffMs = (attempts: number): number => Math.min(300_000, 1000 * 2 ** Math.min(attempts + 1, 9));

/** Due rows taken a sweep and kind; more wait for the next. */
const SWEEP_LIMIT = 500;

/** Does one piece of work. A message whose row is gone was done before. */
export async function performWork(services: Services, message: WorkMessage): Promise<WorkResult> {
  const db = services.database(message.orgId);
  const work = await findWork(db, message);
  if (work === null) return "done";
  services.defer(ensureBoundModel(services, work.orgId));
  let result: WorkResult;
  try {
    result = await handlers[work.topic](services, work);
  } catch (error) {
    services.log.error("work.fault", {
      topic: work.topic,
      orgId: work.orgId,
      id: work.id,
      attempts: work.attempts,
      message: error instanceof Error ? `${error.name}: ${error.message}` : "",
    });
    result = { retryInMs: backOffMs(work.attempts) };
  }
  if (result === "done") {
    await db.run(completeWork(work));
  } else {
    await db.run(deferWork(work, services.clock.nowMs() + result.retryInMs));
  }
  return result;
}

/** Each message alone: done is acknowledged, the rest comes back. */
export async function consume(services: Services, batch: MessageBatch): Promise<void> {
  for (const message of batch.messages) {
    const parsed = workMessageSchema.safeParse(message.body);
    if (!parsed.success) {
      services.log.error("queue.malformed", { id: message.id });
      message.ack();
      continue;
    }
    try {
      const result = await performWork(services, parsed.data);
      if (result === "done") message.ack();
      else message.retry({ delaySeconds: Math.min(43_200, Math.ceil(result.retryInMs / 1000)) });
    } catch (error) {
      services.log.error("queue.fault", { message: error instanceof Error ? error.message : "" });
      message.retry();
    }
  }
}

/** A message the queue gave up on: its row is still in the outbox, so the sweep goes on with it. */
export function noteDead(services: Services, batch: MessageBatch): void {
  for (const message of batch.messages) {
    services.log.error("queue.dead", { id: message.id, attempts: message.attempts });
    message.ack();
  }
}

/** Every minute: send what is due, wake coordinators whose alarm was lost, forget what has expired. */
export async function sweep(services: Services): Promise<void> {
  const nowMs = services.clock.nowMs();
  const db = services.database("");
  await services.send(await takeDueWork(db, nowMs, SWEEP_LIMIT));
  await sweepAggregation(services, nowMs);
  await db.run(pruneIdempotencyKeys(nowMs, SWEEP_LIMIT));
}

/** Every hour: aggregation that is due. */
export async function hourly(services: Services): Promise<void> {
  await sweepAggregation(services, services.clock.nowMs());
}
