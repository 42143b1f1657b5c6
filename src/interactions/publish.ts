/** Publishing: one call becomes stored turns and, where they can be learned from, one piece of work. */
import { type Database, GuardFailed } from "../db/client";
import { enqueue, type WorkMessage } from "../db/outbox";
import type { Statement } from "../db/sql";
import { loadConfig } from "../orgs/config-store";
import { nowSec } from "../platform/clock";
import { Failure, type Issue } from "../platform/failure";
import { sha256Hex } from "../platform/ids";
import type { Services } from "../services";
import { activeKinds, admit } from "./admission";
import { citedRules } from "./applications";
import { storeApplications } from "./applications-store";
import { canonicalJson } from "./canonical";
import type { NewRequest, NewTurn, PublishBody } from "./model";
import { retentionWork } from "./retain";
import { findRequest, type StoredRequest, storeRequest } from "./store";
import { newTurn } from "./turns";
import { checkPublish } from "./validate";

/** A failed write is looked for and tried once more; then the caller must come back with the same id. */
const MAX_ATTEMPTS = 2;

export interface Published {
  requestId: string;
  turns: number;
  warnings: string[];
  /** False where this answers a repeated call. */
  isNew: boolean;
}

/** The turns' own hash within a stored body hash. */
const turnsHashOf = (bodyHash: string): string => bodyHash.split(":")[1] ?? "";

/**
 * What a request is compared by when it comes again: a hash of everything that was asked, with the agent
 * version before it is resolved, then one of the turns alone.
 */
async function bodyHashOf(body: PublishBody, turns: readonly NewTurn[]): Promise<string> {
  const turnsHash = await sha256Hex(
    canonicalJson(turns.map(({ role, content, details }) => [role, content, details])),
  );
  const wholeHash = await sha256Hex(
    canonicalJson([
      body.user_id,
      body.session_id,
      body.source,
      body.agent_version,
      [body.skip_aggregation, body.force_extraction, body.evaluation_only, body.override_learning_stall],
      [body.retrieval_experiment_id ?? null, body.retrieval_experiment_arm ?? null],
      turnsHash,
    ]),
  );
  return `${wholeHash}:${turnsHash}`;
}

/** Which fields of a repeated request id differ from what is stored, as JSON pointers. */
function differences(request: NewRequest, stored: StoredRequest): string[] {
  const pairs: [pointer: string, isEqual: boolean][] = [
    ["/user_id", request.userId === stored.user_id],
    ["/session_id", request.sessionId === stored.session_id],
    ["/source", request.source === stored.source],
    ["/agent_version", request.agentVersion === stored.agent_version],
    ["/skip_aggregation", request.skipAggregation === stored.skip_aggregation],
    ["/force_extraction", request.forceExtraction === stored.force_extraction],
    ["/evaluation_only", request.evaluationOnly === stored.evaluation_only],
    ["/retrieval_experiment_id", request.experimentId === stored.experiment_id],
    ["/retrieval_experiment_arm", request.experimentArm === stored.experiment_arm],
    ["/interaction_data_list", turnsHashOf(request.bodyHash) === turnsHashOf(stored.body_hash)],
  ];
  const named = pairs.filter(([, isEqual]) => !isEqual).map(([pointer]) => pointer);
  // The one field of the body that no column holds.
  return named.length > 0 ? named : ["/override_learning_stall"];
}

/** The stored request stands for this call if it has the same body. @throws Failure("conflict") if not */
function answerStored(request: NewRequest, turns: readonly NewTurn[], stored: StoredRequest): Published {
  if (stored.body_hash === request.bodyHash) {
    return { requestId: request.requestId, turns: turns.length, warnings: stored.warnings, isNew: false };
  }
  const issues = differences(request, stored).map(
    (pointer): Issue => ({
      pointer,
      message: "differs from the request that is stored under this request_id",
      expected: "the body of the first call, or a new request_id",
      type: "conflict",
    }),
  );
  const fields = issues.map(({ pointer }) => pointer).join(", ");
  throw new Failure("conflict", `request_id is taken by a request with another ${fields}`, issues);
}

interface Outcome {
  /** The request that was found in place of this call's own write, or null. */
  stored: StoredRequest | null;
  /** Whether this call may have written it: its work still has to be announced. */
  mayBeOwn: boolean;
}

/** @see ../erasure */
const beingErased = (requestId: string): Failure =>
  new Failure(
    "unavailable",
    `This user is being erased. Send the same body again with request_id ${requestId} when that has ended.`,
    [],
    { "Retry-After": "10" },
  );

/** Tries a batch whose outcome an error may leave unknown. @throws Failure("unavailable") */
async function store(
  services: Services,
  db: Database,
  request: NewRequest,
  statements: readonly Statement[],
): Promise<Outcome> {
  let mayBeOwn = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await db.batch(statements);
      return { stored: null, mayBeOwn: true };
    } catch (error) {
      mayBeOwn ||= !(error instanceof GuardFailed);
      if (error instanceof GuardFailed && error.guard === "erasure") throw beingErased(request.requestId);
      const stored = await findRequest(db, request.orgId, request.requestId).catch(() => null);
      if (stored !== null) return { stored, mayBeOwn };
      if (attempt < MAX_ATTEMPTS) continue;
      services.log.error("publish.unconfirmed", {
        orgId: request.orgId,
        publishRequestId: request.requestId,
        guard: error instanceof GuardFailed ? error.guard : null,
        message: error instanceof Error ? error.message.slice(0, 300) : "",
      });
      throw new Failure(
        "unavailable",
        `The write was not confirmed. Send the same body again with request_id ${request.requestId}.`,
        [],
        { "Retry-After": "1" },
      );
    }
  }
}

/** Work for the extractors that may learn from the request; one message serves all of them. */
async function followUp(request: NewRequest, nowMs: number) {
  if (!activeKinds.some((kind) => request.eligible[kind])) return null;
  return enqueue({
    orgId: request.orgId,
    topic: "extraction",
    key: [request.userId],
    cause: request.requestId,
    nowMs,
  });
}

/** An accelerator: what is lost here, the sweep sends. */
function send(services: Services, message: WorkMessage): void {
  services.defer(
    services.send([message]).catch((error: unknown) =>
      services.log.warn("publish.send_failed", {
        id: message.id,
        message: error instanceof Error ? error.message.slice(0, 300) : "",
      }),
    ),
  );
}

/**
 * Stores a publish call once, whatever is repeated or fails.
 * @throws Failure("invalid") for a bad body, ("conflict") for a request id with another body,
 *   ("unavailable") when the write was not confirmed
 */
export async function publish(services: Services, orgId: string, body: PublishBody): Promise<Published> {
  const db = services.database(orgId);
  const checked = checkPublish(body);
  const turns: NewTurn[] = [];
  // One after another: inline images are decoded here, and their sum may be large.
  for (const kept of checked.turns) turns.push(await newTurn(kept));
  const { hash, config } = await loadConfig(db, orgId, services.clock);
  const request: NewRequest = {
    orgId,
    requestId: body.request_id ?? services.ids.random("req"),
    userId: body.user_id,
    sessionId: body.session_id,
    source: body.source,
    agentVersion:
      body.agent_version.trim() === "" ? services.settings.DEFAULT_AGENT_VERSION : body.agent_version,
    createdAt: nowSec(services.clock),
    evaluationOnly: body.evaluation_only,
    forceExtraction: body.force_extraction,
    skipAggregation: body.skip_aggregation,
    experimentId: body.retrieval_experiment_id ?? null,
    experimentArm: body.retrieval_experiment_arm ?? null,
    configHash: hash,
    eligible: admit({
      config,
      source: body.source,
      evaluationOnly: body.evaluation_only,
      stalled: false,
      overrideStall: body.override_learning_stall,
    }),
    bodyHash: await bodyHashOf(body, turns),
    warnings: checked.warnings,
  };
  const nowMs = services.clock.nowMs();
  const work = await followUp(request, nowMs);
  const all = [
    ...storeRequest(request, turns),
    ...storeApplications(request, turns.length, citedRules(checked.turns.map(({ turn }) => turn))),
    ...(work === null ? [] : [work.statement]),
    await retentionWork(services, orgId, { requestId: request.requestId, count: turns.length, nowMs }),
  ];
  const { stored, mayBeOwn } = await store(services, db, request, all);
  if (work !== null && mayBeOwn) send(services, work.message);
  return stored === null
    ? { requestId: request.requestId, turns: turns.length, warnings: checked.warnings, isNew: true }
    : answerStored(request, turns, stored);
}
