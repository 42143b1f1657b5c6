/** Starts a generation: everything it needs to go on by itself commits in one batch. */
import { GuardFailed } from "../../db/client";
import { enqueue, type WorkMessage } from "../../db/outbox";
import type { RequestScope } from "../../http/route";
import { recordAudit } from "../../orgs/audit";
import { loadConfig } from "../../orgs/config-store";
import { nowSec } from "../../platform/clock";
import { derivedId, sha256Hex } from "../../platform/ids";
import { type GenerationScope, isStale, type Mode, PLAYBOOK_SERVICE, sourcesOf } from "./model";
import { beginGeneration, failGeneration, findGeneration } from "./operation-store";
import { prepareKey } from "./prepare";
import { hasUsers, insertUnits } from "./selection-store";

/** Why an operation that did nothing for ten minutes ended. */
export const AUTO_RECOVERED = "auto-recovered: no progress for 600 seconds";

export type Start =
  | { operationId: string; users: number }
  | { refusal: "in_progress" | "version_change" | "not_configured" | "no_users" };

/** Gives up an operation that has stopped moving. Whoever else did it first did it as well. */
export async function recoverStale({ services, db, orgId }: Pick<RequestScope, "services" | "db" | "orgId">) {
  const found = await findGeneration(db, orgId, PLAYBOOK_SERVICE);
  const nowMs = services.clock.nowMs();
  if (found === null || !isStale(found, nowMs)) return found;
  try {
    await db.batch(failGeneration(found, AUTO_RECOVERED, nowMs, true));
  } catch (error) {
    if (!(error instanceof GuardFailed)) throw error;
  }
  return findGeneration(db, orgId, PLAYBOOK_SERVICE);
}

/** The short form of a run's name that its rules carry. */
const requestIdOf = async (mode: Mode, operationId: string): Promise<string> =>
  `${mode === "rerun" ? "rerun_playbook" : "manual"}_${(await sha256Hex(operationId)).slice(0, 8)}`;

/** @returns the operation, or why there is none */
export async function startGeneration(
  scope: RequestScope,
  mode: Mode,
  asked: GenerationScope,
): Promise<Start> {
  const { services, db, orgId, principal, requestId } = scope;
  if ((await recoverStale(scope))?.status === "in_progress") return { refusal: "in_progress" };
  const { hash, config } = await loadConfig(db, orgId, services.clock);
  const extractor = config.user_playbook_extractor_config;
  if (extractor === null) return { refusal: "not_configured" };
  const sources = sourcesOf(mode, extractor.request_sources_enabled, asked.source);
  if (sources === null || !(await hasUsers(db, orgId, mode, asked, sources.users)))
    return { refusal: "no_users" };

  const operationId = await derivedId("gen", [orgId, mode, requestId]);
  const nowMs = services.clock.nowMs();
  const key = prepareKey(operationId, mode === "rerun" ? "clear" : "open", 0);
  const work = await enqueue({ orgId, topic: "generation", key, cause: operationId, nowMs });
  const operation = {
    ...asked,
    ...{ orgId, operationId, mode },
    serviceName: PLAYBOOK_SERVICE,
    windowSources: sources.window,
    configHash: hash,
    requestId: await requestIdOf(mode, operationId),
    principalId: principal.id,
    startedAt: nowSec(services.clock),
  };
  try {
    await db.batch([
      ...beginGeneration(operation, insertUnits(orgId, operationId, mode, asked, sources.users), nowMs),
      work.statement,
      recordAudit({
        principal,
        action: `${mode}.playbook_generation`,
        entityType: "generation_operation",
        entityId: operationId,
        requestId,
        at: operation.startedAt,
        details: { agent_version: asked.agentVersion, source: asked.source },
      }),
    ]);
  } catch (error) {
    const now = await findGeneration(db, orgId, PLAYBOOK_SERVICE);
    if (now?.operationId !== operationId) {
      if (!(error instanceof GuardFailed)) throw error;
      if (error.guard === "members") return { refusal: "no_users" };
      return { refusal: now?.status === "in_progress" ? "in_progress" : "version_change" };
    }
  }
  announce(scope, [work.message]);
  const started = await findGeneration(db, orgId, PLAYBOOK_SERVICE);
  return { operationId, users: started?.totalUsers ?? 0 };
}

/** An accelerator: what is lost here, the sweep sends. */
function announce({ services }: RequestScope, messages: readonly WorkMessage[]): void {
  services.defer(
    services
      .send(messages)
      .catch(() => services.log.warn("generation.send_failed", { count: messages.length })),
  );
}
