/** What follows from changed rules, for their batch: index work, aggregation work and lineage, in bulk. */

import type { Topic, WorkMessage } from "../db/outbox";
import type { Statement } from "../db/sql";
import { derivedId } from "../platform/ids";
import { insertLineage, insertWork, type LineageRow } from "./follow-up-store";
import { markVersionsPending } from "./user-store";
import type { RuleKind } from "./vector-store";

export interface FollowUp {
  statements: Statement[];
  /** To send once the batch is in. */
  messages: WorkMessage[];
}

interface Job {
  topic: Topic;
  key: (string | number)[];
}

/** Work rows for many keys in as few statements as their size allows. */
async function enqueueAll(
  orgId: string,
  jobs: readonly Job[],
  cause: string,
  nowMs: number,
): Promise<FollowUp> {
  const rows = await Promise.all(
    jobs.map(async ({ topic, key }) => ({
      id: await derivedId("job", [orgId, topic, key, cause]),
      topic,
      key,
    })),
  );
  return {
    statements: insertWork(orgId, rows, nowMs),
    messages: rows.map(({ id }) => ({ orgId, id })),
  };
}

/**
 * @param cause what makes this change itself, such as the time of the change or the key of a call
 * @param agentVersions versions whose aggregation has to look again
 */
export async function followUp(
  orgId: string,
  kind: RuleKind,
  entityIds: readonly number[],
  agentVersions: readonly string[],
  cause: string,
  nowMs: number,
): Promise<FollowUp> {
  const versions = [...new Set(agentVersions)];
  const opposition: Job = { topic: "contradictions", key: [...entityIds] };
  const jobs: Job[] = [
    ...entityIds.map((entityId): Job => ({ topic: "vector", key: [kind, entityId] })),
    ...versions.map((version): Job => ({ topic: "aggregation", key: [version] })),
    ...(kind === "agent_playbook" && entityIds.length > 0 ? [opposition] : []),
  ];
  const work = await enqueueAll(orgId, jobs, cause, nowMs);
  return versions.length === 0
    ? work
    : { ...work, statements: [...work.statements, markVersionsPending(orgId, versions, nowMs)] };
}

/** One `create` event per new row; `requestKey` ties them to the call that made them. */
export async function recordCreation(
  orgId: string,
  kind: RuleKind,
  entityIds: readonly number[],
  actor: string,
  requestKey: string,
  createdAt: number,
): Promise<Statement[]> {
  const rows = await Promise.all(
    entityIds.map(
      async (entityId): Promise<LineageRow> => ({
        eventId: await derivedId("lin", [orgId, kind, entityId, "create", requestKey]),
        entityId,
      }),
    ),
  );
  return insertLineage(orgId, kind, rows, actor, requestKey, createdAt);
}
