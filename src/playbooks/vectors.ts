/** Background work on vectors of rules: copying one to the index, and moving an org to another model. */
import { enqueue, type Work, type WorkMessage } from "../db/outbox";
import type { Statement } from "../db/sql";
import { nowSec } from "../platform/clock";
import { EmbedderError } from "../platform/embedder/port";
import { derivedId } from "../platform/ids";
import type { Services } from "../services";
import { syncRules } from "./index-copy";
import { findForeignVectors, type RuleKind, writeDeadLetter } from "./vector-store";

export { embedRules, embedRulesIfReady, unitVectorOf } from "./rule-embedding";

/** Rules of one page of re-embedding. */
const REEMBED_PAGE = 100;
const RETRY_MS = 1_000;
/** A model that refused a rule so often will not take it by itself: authentication, or the text. */
const MAX_REFUSALS = 5;

/** The work that copies a rule to the index, for the batch that changes the rule. */
export const enqueueVector = (
  orgId: string,
  kind: RuleKind,
  entityId: number,
  updatedAtMs: number,
): Promise<{ message: WorkMessage; statement: Statement }> =>
  enqueue({ orgId, topic: "vector", key: [kind, entityId], cause: String(updatedAtMs), nowMs: updatedAtMs });

/** Work of topic `vector`, key `[kind, entityId, …]`. Safe to repeat, in any order. */
export async function syncVector(services: Services, work: Work): Promise<"done" | { retryInMs: number }> {
  const [kind, entityId, ...others] = work.key;
  if ((kind !== "user_playbook" && kind !== "agent_playbook") || typeof entityId !== "number") {
    services.log.error("playbooks.vector_key", { work: work.id });
    return "done";
  }
  try {
    const ids = [entityId, ...others.filter((id) => typeof id === "number")];
    return (await syncRules(services, work.orgId, kind, ids)) ? "done" : { retryInMs: RETRY_MS };
  } catch (error) {
    const isHopeless =
      error instanceof EmbedderError && error.fault === "refused" && work.attempts >= MAX_REFUSALS;
    if (!isHopeless) throw error;
    await services.database(work.orgId).run(
      writeDeadLetter(work, {
        deadLetterId: await derivedId("dead", [work.orgId, work.topic, kind, entityId]),
        reason: "embedding_refused",
        message: "The embedding model refuses this rule; it is found by its words only.",
        createdAt: nowSec(services.clock),
      }),
    );
    return "done";
  }
}

/** Whether an org still has vectors of another model than the bound one: one seek in an index. */
export async function needsReembedding(services: Services, orgId: string): Promise<boolean> {
  const found = await findForeignVectors(services.database(orgId), orgId, services.embedder.model.name, 1);
  return found.length > 0;
}

/**
 * Moves a page of an org's rules to the bound model: embeds, copies to the index, takes the old entries out of
 * it and only then forgets the old vectors, so that an interrupted page is simply done again.
 * @returns whether there is more
 */
export async function reembedPage(
  services: Services,
  orgId: string,
): Promise<{ moved: number; more: boolean }> {
  const model = services.embedder.model.name;
  const found = await findForeignVectors(services.database(orgId), orgId, model, REEMBED_PAGE);
  let settled = true;
  for (const [kind, rows] of Map.groupBy(found, (row) => row.kind)) {
    settled =
      (await syncRules(
        services,
        orgId,
        kind,
        rows.map((row) => row.entity_id),
      )) && settled;
  }
  return { moved: found.length, more: found.length === REEMBED_PAGE || !settled };
}

/** Work of topic `reembed`: page after page until nothing is left. */
export async function reembed(services: Services, work: Work): Promise<"done" | { retryInMs: number }> {
  const { more } = await reembedPage(services, work.orgId);
  return more ? { retryInMs: RETRY_MS } : "done";
}

/** The work that re-embeds an org for the bound model; one per org and model at a time. */
export const enqueueReembedding = (services: Services, orgId: string) =>
  enqueue({
    orgId,
    topic: "reembed",
    key: [],
    cause: services.embedder.model.name,
    nowMs: services.clock.nowMs(),
  });
