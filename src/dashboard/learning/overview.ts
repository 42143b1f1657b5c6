/** What the page of learning shows: streams, aggregation by version, operations. */
import { type Operation, type OperationPlace, recentOperations } from "../../aggregation/operations-store";
import {
  listVersionOverviews,
  loadVersionOverviews,
  type VersionOverview,
} from "../../aggregation/overview-store";
import type { RequestScope } from "../../http/route";
import { countOpenByReason } from "../../learning/dead-letter-store";
import { type GenerationOperation, PLAYBOOK_SERVICE } from "../../learning/modes/model";
import { findGeneration } from "../../learning/modes/operation-store";
import { type LearningProgress, readLearningProgress } from "../../learning/progress-store";
import type { ReviewRun } from "../../learning/stored-review/model";
import { recentRuns } from "../../learning/stored-review/run-store";
import { windowPolicy } from "../../orgs/config";
import { loadConfig } from "../../orgs/config-store";
import { nowSec } from "../../platform/clock";

const DAY_SEC = 86_400;
const PAGE_VERSIONS = 20;
const PAGE_OPERATIONS = 20;
const SHOWN_REVIEWS = 5;

export interface Overview {
  progress: LearningProgress;
  /** Whether the org's Config merges rules at all. */
  isAggregating: boolean;
  versions: VersionOverview[];
  /** Where the next page of versions begins; null on the last. */
  nextVersions: string | null;
  operations: Operation[];
  nextOperations: OperationPlace | null;
  /** States of the operations' versions. */
  backlogOf: ReadonlyMap<string, VersionOverview>;
  /** The latest that somebody asked for. */
  generation: GenerationOperation | null;
  reviews: ReviewRun[];
  /** Null where the reader may not see dead letters. */
  openDeadLetters: number | null;
  /** Something moves: the page is worth showing anew. */
  isMoving: boolean;
}

const isActive = ({ status }: Operation): boolean => status === "queued" || status === "running";

const moves = (progress: LearningProgress): boolean =>
  progress.streams.some(({ state }) => state === "queued" || state === "working") ||
  progress.windows.some(({ lastError }) => lastError === null);

export async function readOverview(
  { db, orgId, services, principal }: RequestScope,
  from: { versionsAfter: string | null; operationsBefore: OperationPlace | null },
): Promise<Overview> {
  const { config } = await loadConfig(db, orgId, services.clock);
  const [progress, versions, operations, generation, reviews, letters] = await Promise.all([
    readLearningProgress(db, orgId, nowSec(services.clock) - DAY_SEC, windowPolicy(config, "playbook")),
    listVersionOverviews(db, orgId, { after: from.versionsAfter, limit: PAGE_VERSIONS + 1 }),
    recentOperations(db, orgId, { before: from.operationsBefore, limit: PAGE_OPERATIONS + 1 }),
    findGeneration(db, orgId, PLAYBOOK_SERVICE),
    recentRuns(db, orgId, SHOWN_REVIEWS),
    principal.scopes.includes("admin") ? countOpenByReason(db, orgId) : null,
  ]);
  const shownVersions = versions.slice(0, PAGE_VERSIONS);
  const shownOperations = operations.slice(0, PAGE_OPERATIONS);
  const known = new Map(shownVersions.map((version) => [version.agentVersion, version]));
  const unknown = shownOperations.filter(isActive).filter(({ agentVersion }) => !known.has(agentVersion));
  const others =
    unknown.length === 0
      ? []
      : await loadVersionOverviews(db, orgId, [...new Set(unknown.map(({ agentVersion }) => agentVersion))]);
  const last = shownOperations.at(-1);
  return {
    progress,
    isAggregating: (config.user_playbook_extractor_config?.aggregation_config ?? null) !== null,
    versions: shownVersions,
    nextVersions: versions.length > PAGE_VERSIONS ? (shownVersions.at(-1)?.agentVersion ?? null) : null,
    operations: shownOperations,
    nextOperations:
      operations.length > PAGE_OPERATIONS && last !== undefined
        ? { createdAt: last.createdAt, operationId: last.operationId }
        : null,
    backlogOf: new Map([...shownVersions, ...others].map((version) => [version.agentVersion, version])),
    generation,
    reviews,
    openDeadLetters: letters === null ? null : letters.reduce((sum, { letters: count }) => sum + count, 0),
    isMoving:
      generation?.status === "in_progress" ||
      reviews.some(({ state }) => state === "running") ||
      shownOperations.some(isActive) ||
      shownVersions.some(({ isAtWork }) => isAtWork) ||
      moves(progress),
  };
}
