/** HTTP edge of explicit operations: submit one under an id of your own, and read its receipt. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { Reply, type Route } from "../http/route";
import { Failure } from "../platform/failure";
import { type Conflict, findReceipt, receiptSchema, submitExplicit } from "./explicit-operations";

const TAG = "Aggregation";

/** 1 to 200 characters that are not all blank. */
const key = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => text.trim() !== "", { message: "must not be blank" });

const conflictMessages: Record<Conflict["reason"], string> = {
  other_version: "This request_id was used for another agent_version; take a new one.",
  version_busy: "Another operation of this agent_version is not over; wait for it, or read its receipt.",
};

const submit = defineRoute({
  dialect: "reflexio",
  method: "post",
  path: "/api/playbook_aggregation_operations",
  tag: TAG,
  summary: "Submit a full rebuild under an id of your own",
  description:
    "Answers at once with a receipt. The same request_id is answered with the same operation for ever, so a lost answer is simply asked for again. Five attempts, 1, 2, 4 … minutes apart.",
  scope: "write",
  limit: "aggregate",
  body: z.object({ request_id: key, agent_version: key }),
  example: {
    body: { request_id: "nightly-2026-03-01", agent_version: "helper-2" },
    yields: { explicit_operation_id: { pointer: "/operation_id", sample: "op_k3w5qx7c2n4ha6tzr2yvm5j3pe" } },
  },
  response: receiptSchema,
  otherAnswers: {
    409: "The request_id was used for another version, or the version has an operation that is not over; `operation_id` names it.",
  },
  async handler({ services, orgId }, { body }) {
    const submitted = await submitExplicit(services, {
      orgId,
      agentVersion: body.agent_version,
      requestId: body.request_id,
    });
    if ("receipt" in submitted) return submitted.receipt;
    const { reason, operationId } = submitted.conflict;
    return new Reply(409, { detail: conflictMessages[reason], operation_id: operationId });
  },
});

const read = defineRoute({
  dialect: "reflexio",
  method: "get",
  path: "/api/playbook_aggregation_operations/{operation_id}",
  tag: TAG,
  summary: "The receipt of an operation",
  scope: "read",
  limit: "read",
  params: z.object({ operation_id: z.string().min(1).max(100) }),
  example: { params: { operation_id: "{{explicit_operation_id}}" } },
  response: receiptSchema,
  otherAnswers: { 404: "No operation of this org has that id." },
  async handler({ db, orgId }, { params }) {
    const receipt = await findReceipt(db, orgId, params.operation_id);
    if (receipt === null) throw new Failure("not_found", "No operation has this id.");
    return receipt;
  },
});

export const explicitOperationRoutes: Route[] = [submit, read];
