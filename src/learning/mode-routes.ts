/** HTTP for generation on demand, as Reflexio's client speaks it. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import type { RequestScope, Route } from "../http/route";
import { instantMs, ordered, secondOf } from "../http/schemas";
import { generateByHand } from "./modes/manual";
import {
  type GenerationScope,
  generationStatuses,
  modes,
  type ServiceName,
  serviceNames,
} from "./modes/model";
import { startGeneration } from "./modes/start";
import { cancelGenerations, type GenerationReport, reportGeneration } from "./modes/status";

const common = { dialect: "reflexio", tag: "Operations" } as const;

const name = z.string().max(1000);
const generationShape = {
  /** Empty is the default, as in Reflexio. */
  agent_version: name.nullish().transform((version) => version?.trim() || "agent-v0"),
  source: name.nullish(),
  /** Accepted and ignored: there is one playbook extractor per org. */
  playbook_name: name.nullish(),
};

const scopeOf = (asked: {
  agent_version: string;
  source?: string | null | undefined;
  start_time?: number | null | undefined;
  end_time?: number | null | undefined;
}): GenerationScope => ({
  agentVersion: asked.agent_version,
  source: asked.source ?? null,
  startSec: secondOf(asked.start_time) ?? null,
  endSec: secondOf(asked.end_time) ?? null,
});

/** Reflexio's name for every rerun; the operation itself is asked for by its service. */
const RERUN_ID = "rerun_playbook_generation";

const RERUN_REFUSALS = {
  in_progress: "A playbook generation is already in progress",
  version_change: "An upgrade or downgrade of user playbooks is in progress",
  not_configured: "Playbook generation is not configured",
  no_users: "No interactions found for this agent version, time and source",
} as const;

const rerun = defineRoute({
  ...common,
  method: "post",
  path: "/api/rerun_playbook_generation",
  summary: "Learn anew from every user's last turns, into pending user playbooks",
  description:
    "Answers at once; poll /api/get_operation_status with `service_name=playbook_generation`. Pending rules of the " +
    "version are deleted first, current ones are never touched; /api/upgrade_all_user_playbooks takes the result " +
    "into use.",
  scope: "write",
  limit: "generate",
  body: ordered(
    z.object({ ...generationShape, start_time: instantMs.nullish(), end_time: instantMs.nullish() }),
  ),
  example: {
    body: { agent_version: "helper-1" },
    after: "post /api/manual_playbook_generation",
  },
  response: z.object({ success: z.boolean(), msg: z.string(), operation_id: z.string() }),
  async handler(scope: RequestScope, { body }) {
    const start = await startGeneration(scope, "rerun", scopeOf(body));
    return "refusal" in start
      ? { success: false, msg: RERUN_REFUSALS[start.refusal], operation_id: RERUN_ID }
      : {
          success: true,
          msg: `Playbook generation started for ${start.users} users`,
          operation_id: RERUN_ID,
        };
  },
});

const manual = defineRoute({
  ...common,
  method: "post",
  path: "/api/manual_playbook_generation",
  summary: "Learn now from every user's last turns, into current user playbooks",
  description:
    "For the users of the latest 1,000 sessions. Waits up to 60 seconds; a longer run goes on, and the answer says " +
    "so with its id. `playbooks_generated` is how many current rules the version has then, 10,000 at most.",
  scope: "write",
  limit: "generate",
  body: z.object(generationShape),
  example: { body: { agent_version: "helper-1" }, after: "post /api/publish_interaction" },
  response: z.object({
    success: z.boolean(),
    msg: z.string(),
    playbooks_generated: z.int().nullable(),
    operation_id: z.string().nullable(),
  }),
  async handler(scope: RequestScope, { body }) {
    const answer = await generateByHand(scope, scopeOf(body));
    return {
      success: answer.success,
      msg: answer.msg,
      playbooks_generated: answer.playbooksGenerated,
      operation_id: answer.operationId,
    };
  },
});

const statusView = z.object({
  service_name: z.enum(serviceNames),
  operation_id: z.string(),
  mode: z.enum(modes),
  status: z.enum(generationStatuses),
  started_at: z.int(),
  completed_at: z.int().nullable(),
  total_users: z.int(),
  processed_users: z.int(),
  failed_users: z.int(),
  current_user_id: z.string().nullable(),
  processed_user_ids: z.array(z.string()),
  failed_user_ids: z.array(z.object({ user_id: z.string(), error: z.string() })),
  request_params: z.record(z.string(), z.union([z.string(), z.number()])),
  stats: z.object({ total_interactions_processed: z.int(), total_generated: z.int() }),
  error_message: z.string().nullable(),
  progress_percentage: z.number(),
});

const isoOf = (sec: number): string => new Date(sec * 1000).toISOString();

function viewOf({ operation, ...report }: GenerationReport): z.infer<typeof statusView> {
  const { source, startSec, endSec } = operation;
  return {
    service_name: operation.serviceName,
    operation_id: operation.operationId,
    mode: operation.mode,
    status: operation.status,
    started_at: operation.startedAt,
    completed_at: operation.completedAt,
    total_users: operation.totalUsers,
    processed_users: operation.processedUsers,
    failed_users: operation.failedUsers,
    current_user_id: operation.currentUserId,
    processed_user_ids: report.processedUserIds,
    failed_user_ids: report.failedUsers.map(({ userId, error }) => ({ user_id: userId, error })),
    request_params: {
      agent_version: operation.agentVersion,
      ...(source !== null && { source }),
      ...(startSec !== null && { start_time: isoOf(startSec) }),
      ...(endSec !== null && { end_time: isoOf(endSec) }),
    },
    stats: { total_interactions_processed: operation.turns, total_generated: operation.rules },
    error_message: operation.errorMessage,
    progress_percentage: report.percent,
  };
}

/** Any text: a service that nobody knows is a failure of the domain and not of the request. */
const asService = (text: string): ServiceName | undefined =>
  serviceNames.find((serviceName) => serviceName === text);

const status = defineRoute({
  ...common,
  method: "get",
  path: "/api/get_operation_status",
  summary: "How a rerun or manual generation stands",
  description:
    "Names at most 1,000 users of each kind. An operation without progress for 600 seconds is given up here.",
  scope: "read",
  limit: "read",
  query: z.object({ service_name: z.string().max(200).default("profile_generation") }),
  example: {
    query: { service_name: "playbook_generation" },
    after: "post /api/rerun_playbook_generation",
  },
  response: z.object({
    success: z.boolean(),
    operation_status: statusView.nullable(),
    msg: z.string().nullable(),
  }),
  async handler(scope: RequestScope, { query }) {
    const service = asService(query.service_name);
    const report = service === undefined ? null : await reportGeneration(scope, service);
    return report === null
      ? { success: false, operation_status: null, msg: "No operation of this service was found" }
      : { success: true, operation_status: viewOf(report), msg: null };
  },
});

const cancel = defineRoute({
  ...common,
  method: "post",
  path: "/api/cancel_operation",
  summary: "Cancel a rerun or manual generation",
  description: "Users in flight finish; nobody else begins. Without a service every one is cancelled.",
  scope: "write",
  limit: "bulk",
  body: z.object({ service_name: z.string().max(200).nullish() }),
  example: {
    body: { service_name: "playbook_generation" },
    after: "get /api/get_operation_status",
  },
  response: z.object({
    success: z.boolean(),
    cancelled_services: z.array(z.enum(serviceNames)),
    msg: z.string(),
  }),
  async handler(scope: RequestScope, { body }) {
    const asked = body.service_name ?? null;
    const service = asked === null ? undefined : asService(asked);
    if (asked !== null && service === undefined) {
      return { success: false, cancelled_services: [], msg: "There is no such service" };
    }
    const cancelled = await cancelGenerations(scope, service === undefined ? serviceNames : [service]);
    return {
      success: true,
      cancelled_services: cancelled,
      msg: cancelled.length === 0 ? "Nothing was running" : "Cancellation was requested",
    };
  },
});

export const modeRoutes: Route[] = [rerun, manual, status, cancel];
