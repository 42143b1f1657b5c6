/** Notices, when an org is used, that its rules carry vectors of a model that is no longer bound. */
import type { Services } from "../services";
import { enqueueReembedding, needsReembedding } from "./vectors";

/** An isolate looks at an org and model once in this time. */
const LOOK_AGAIN_MS = 3_600_000;
const MAX_KNOWN = 4096;

/** When each org was last looked at here, by org and model. */
const lookedAtMs = new Map<string, number>();

/** Enqueues the org's re-embedding where one is needed; one seek in an index an hour and isolate. */
export async function ensureBoundModel(services: Services, orgId: string): Promise<void> {
  const key = JSON.stringify([orgId, services.embedder.model.name]);
  const nowMs = services.clock.nowMs();
  if (nowMs - (lookedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < LOOK_AGAIN_MS) return;
  if (lookedAtMs.size >= MAX_KNOWN) lookedAtMs.clear();
  lookedAtMs.set(key, nowMs);
  if (!(await needsReembedding(services, orgId))) return;
  const { message, statement } = await enqueueReembedding(services, orgId);
  await services.database(orgId).run(statement);
  await services.send([message]);
}
