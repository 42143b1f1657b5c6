/**
 * Carries an erasure on, page by page. Every page is safe to do twice, so two deliveries of one message harm
 * nothing; how far it has come stands in the key of its outbox row.
 */
import { GuardFailed } from "../db/client";
import { findWork, moveWork, type Work, type WorkMessage } from "../db/outbox";
import { nowSec } from "../platform/clock";
import type { Services } from "../services";
import { runHistory } from "./history";
import { findErasure, finishErasure } from "./mark-store";
import { keyOf, type Position, positionOf, type Stage, stageAfter } from "./model";
import {
  deleteAnswers,
  deleteRequests,
  deleteTraces,
  deleteTurns,
  deleteWindows,
  ERASURE_PAGE,
  type Place,
  requestsOfUser,
} from "./pages-store";
import { runReplay } from "./replay";
import { eraseAgentRules, eraseIndex, eraseRules } from "./targets";

/** Pages of one message. */
const PAGES_PER_MESSAGE = 20;
/** After a rule changed under the erasure. */
const BUSY_RETRY_MS = 2_000;

/** What a page leads to: the same stage again, from where on, or null for the next stage. */
type PageResult = { afterSeq: number } | null;
type Page = (services: Services, place: Place, afterSeq: number) => Promise<PageResult>;

const again = (isMore: boolean): PageResult => (isMore ? { afterSeq: 0 } : null);

const deleting =
  (statements: (place: Place) => ReturnType<typeof deleteTurns>): Page =>
  async (services, place) => {
    const [deleted] = await services.database(place.orgId).batch(statements(place));
    return again((deleted?.rows.length ?? 0) === ERASURE_PAGE);
  };

const pages: Record<Exclude<Stage, "finish">, Page> = {
  agents: async (services, place) => again(await eraseAgentRules(services, place)),
  rules: async (services, place) => again(await eraseRules(services, place)),
  turns: deleting(deleteTurns),
  async requests(services, place, afterSeq) {
    const db = services.database(place.orgId);
    const page = await requestsOfUser(db, place, afterSeq);
    if (page.maxSeqs.length > 0) await db.batch(deleteRequests(place, page));
    return page.lookedToSeq === null ? null : { afterSeq: page.lookedToSeq };
  },
  windows: deleting(deleteWindows),
  index: async (services, place) => again(await eraseIndex(services, place)),
  async traces(services, place) {
    await services.database(place.orgId).batch(deleteTraces(place));
    return null;
  },
  answers: deleting(({ orgId }) => [deleteAnswers(orgId)]),
};

const move = (services: Services, work: Work, next: Position): Promise<number> =>
  services.database(work.orgId).run(moveWork(work, keyOf(next)));

/** Ends the erasure; where something of the user came meanwhile, it goes through the stages again. */
async function finish(services: Services, work: Work, position: Position, place: Place): Promise<boolean> {
  try {
    await services
      .database(work.orgId)
      .batch(finishErasure(work.orgId, place.erasure, work, nowSec(services.clock)));
    return false;
  } catch (error) {
    if (!(error instanceof GuardFailed && error.guard === "erasure")) throw error;
    await move(services, work, { ...position, stage: "agents", afterSeq: 0 });
    return true;
  }
}

/**
 * One page of an erasure.
 * @returns false where there is nothing left to do
 * @throws GuardFailed where a rule changed under it; the page is done again then
 */
export async function advance(services: Services, message: WorkMessage): Promise<boolean> {
  const db = services.database(message.orgId);
  const work = await findWork(db, message);
  const position = work === null ? null : positionOf(work);
  if (work === null || position === null) return false;
  const erasure = await findErasure(db, work.orgId, position.erasureId);
  if (erasure === null) return false;
  const place: Place = { orgId: work.orgId, erasure };
  const { stage, afterSeq } = position;
  if (stage === "finish") return finish(services, work, position, place);
  const result = await pages[stage](services, place, afterSeq);
  if (result === null) await move(services, work, { ...position, stage: stageAfter(stage), afterSeq: 0 });
  else if (result.afterSeq !== afterSeq) await move(services, work, { ...position, ...result });
  return true;
}

/** Work of topic `erasure`: `[erasure, stage, after]`, `["replay", after]` of the log, or `["history"]`. */
export async function runErasure(services: Services, work: Work): Promise<"done" | { retryInMs: number }> {
  if (work.key[0] === "replay") return runReplay(services, work);
  if (work.key[0] === "history") return runHistory(services, work);
  if (positionOf(work) === null) {
    services.log.error("erasure.key", { work: work.id });
    return "done";
  }
  try {
    for (let page = 0; page < PAGES_PER_MESSAGE; page += 1) {
      if (!(await advance(services, work))) return "done";
    }
    return { retryInMs: 0 };
  } catch (error) {
    if (error instanceof GuardFailed) return { retryInMs: BUSY_RETRY_MS };
    throw error;
  }
}
