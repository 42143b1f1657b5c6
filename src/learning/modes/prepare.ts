/**
 * What an operation does before its users' turn: a rerun takes away the PENDING rules of its version, page by
 * page, and then every user gets a row in the outbox.
 */
import type { Work, WorkMessage } from "../../db/outbox";
import { completeWork, moveWork } from "../../db/outbox";
import { guard, sql } from "../../db/sql";
import { derivedId } from "../../platform/ids";
import { insertWork } from "../../playbooks/follow-up-store";
import { MOVED_RULES, movePage } from "../../playbooks/version-move";
import { pageOfRules } from "../../playbooks/version-store";
import type { Services } from "../../services";
import type { WorkResult } from "../consumer";
import type { GenerationOperation } from "./model";
import { operationGuard, touchGeneration } from "./operation-store";
import { listUnits } from "./unit-store";

/** Users who get their row in one batch. */
const OPENED_UNITS = 500;

/** Where a preparation stands: which stage, and after which rule or user. */
type Stage = "clear" | "open";

export const prepareKey = (operationId: string, stage: Stage, after: number): Work["key"] => [
  operationId,
  stage,
  after,
];

/** Statements that hold a page together: the operation goes on, and nobody else did this page. */
const moved = (operation: GenerationOperation, work: Work, next: Work["key"] | null, nowMs: number) => [
  operationGuard(operation),
  next === null ? completeWork(work) : moveWork(work, next),
  guard("operation", sql`changes() = 1`),
  touchGeneration(operation, nowMs),
];

function announce(services: Services, messages: readonly WorkMessage[]): void {
  services.defer(
    services
      .send(messages)
      .catch(() => services.log.warn("generation.send_failed", { count: messages.length })),
  );
}

/** Takes a page of PENDING rules away; those of other versions stay (trap 32). */
async function clearPage(
  services: Services,
  operation: GenerationOperation,
  work: Work,
  after: number,
): Promise<WorkResult> {
  const { orgId, operationId, agentVersion, principalId } = operation;
  const db = services.database(orgId);
  const filter = { agentVersion, playbookName: null };
  const rules = await pageOfRules(db, orgId, filter, {
    from: "pending",
    afterId: after,
    lastId: Number.MAX_SAFE_INTEGER,
    limit: MOVED_RULES,
  });
  const page = await movePage(
    services,
    orgId,
    rules,
    { from: "pending", to: "deleted" },
    { runId: operationId, principalId, cause: `${operationId}:clear:${after}` },
  );
  const isLast = rules.length < MOVED_RULES;
  const next = isLast
    ? prepareKey(operationId, "open", 0)
    : prepareKey(operationId, "clear", rules.at(-1)?.userPlaybookId ?? after);
  await db.batch([...moved(operation, work, next, services.clock.nowMs()), ...page.statements]);
  announce(services, page.messages);
  return { retryInMs: 0 };
}

/** Gives a page of users their rows. */
async function openPage(
  services: Services,
  operation: GenerationOperation,
  work: Work,
  after: number,
): Promise<WorkResult> {
  const { orgId, operationId } = operation;
  const db = services.database(orgId);
  const nowMs = services.clock.nowMs();
  const units = await listUnits(db, orgId, operationId, { states: ["waiting"], after, limit: OPENED_UNITS });
  const rows = await Promise.all(
    units.map(async ({ position }) => {
      const key = [operationId, position];
      return {
        id: await derivedId("job", [orgId, "generation", key, operationId]),
        topic: "generation",
        key,
      } as const;
    }),
  );
  const isLast = units.length < OPENED_UNITS;
  const next = isLast ? null : prepareKey(operationId, "open", units.at(-1)?.position ?? after);
  await db.batch([...moved(operation, work, next, nowMs), ...insertWork(orgId, rows, nowMs)]);
  announce(
    services,
    rows.map(({ id }) => ({ orgId, id })),
  );
  return isLast ? "done" : { retryInMs: 0 };
}

/** One page of a preparation. @throws GuardFailed where somebody else was faster */
export function prepare(
  services: Services,
  operation: GenerationOperation,
  work: Work,
  stage: Stage,
  after: number,
): Promise<WorkResult> {
  return (stage === "clear" ? clearPage : openPage)(services, operation, work, after);
}
