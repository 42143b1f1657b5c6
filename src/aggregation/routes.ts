/** HTTP edge of aggregation: start one by hand, and look at what it does. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import type { Route } from "../http/route";
import { Failure } from "../platform/failure";
import { changeLogRoutes } from "./change-log-routes";
import { explicitOperationRoutes } from "./explicit-routes";
import { countsSchema } from "./model";
import { runAggregationNow } from "./operations";
import { findOperation, operationStatuses } from "./operations-store";

const TAG = "Aggregation";

const runAggregation = defineRoute({
  dialect: "reflexio",
  method: "post",
  path: "/api/run_playbook_aggregation",
  tag: TAG,
  summary: "Rebuild the agent playbooks of one agent version from all its user playbooks, now",
  description:
    "Clusters every current user playbook anew and, where rules came of it, puts them in the place of the pending ones; approved and rejected rules stay. Waits up to 60 seconds; a longer run goes on and answers with the id to poll at /api/operations/{operation_id}. While a rebuild of the version is not over, a call joins it.",
  scope: "write",
  limit: "aggregate",
  body: z.object({
    agent_version: z
      .string()
      .trim()
      .max(1000)
      .default("agent-v0")
      .transform((version) => (version === "" ? "agent-v0" : version)),
    /** Accepted and ignored: there is one playbook extractor per org. */
    playbook_name: z.string().max(1000).optional(),
  }),
  example: {
    body: { agent_version: "helper-1" },
    yields: { operation_id: { pointer: "/operation_id", sample: "op_c3k5qx7w2n4ha6tzr2yvm5j3pe" } },
  },
  response: z.object({ success: z.boolean(), message: z.string(), operation_id: z.string().nullable() }),
  async handler({ services, orgId, requestId }, { body }) {
    const answer = await runAggregationNow(services, { orgId, agentVersion: body.agent_version, requestId });
    return { success: answer.success, message: answer.message, operation_id: answer.operationId };
  },
});

const operationView = z.object({
  operation_id: z.string(),
  kind: z.literal("aggregation"),
  agent_version: z.string(),
  status: z.enum(operationStatuses),
  attempts: z.int(),
  /** Clusters answered and the commit; null before they are planned. */
  progress: z.object({ done: z.int(), total: z.int() }).nullable(),
  created_at: z.int(),
  updated_at: z.int(),
  error: z.string().nullable(),
  result: countsSchema.nullable(),
});

const getOperation = defineRoute({
  dialect: "own",
  method: "get",
  path: "/api/operations/{operation_id}",
  tag: TAG,
  summary: "How a long-running operation stands",
  scope: "read",
  limit: "read",
  params: z.object({ operation_id: z.string().min(1).max(100) }),
  example: { params: { operation_id: "{{operation_id}}" } },
  response: operationView,
  otherAnswers: { 404: "No operation of this org has that id." },
  async handler({ db, orgId }, { params }): Promise<z.infer<typeof operationView>> {
    const operation = await findOperation(db, orgId, params.operation_id);
    if (operation === null) throw new Failure("not_found", "No operation has this id.");
    return {
      operation_id: operation.operationId,
      kind: "aggregation",
      agent_version: operation.agentVersion,
      status: operation.status,
      attempts: operation.attempts,
      progress: operation.progress,
      created_at: operation.createdAt,
      updated_at: operation.updatedAt,
      error: operation.error,
      result: operation.status === "succeeded" ? operation.counts : null,
    };
  },
});

export const aggregationRoutes: Route[] = [
  runAggregation,
  getOperation,
  ...explicitOperationRoutes,
  ...changeLogRoutes,
];
