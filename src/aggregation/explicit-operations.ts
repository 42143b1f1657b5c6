/**
 * Durable operations under an id of the caller's own (specification 8.10): the same id is answered with the same
 * receipt for ever, and a version has one at a time.
 */
import * as z from "zod";
import type { Database } from "../db/client";
import { derivedId } from "../platform/ids";
import type { Services } from "../services";
import { type AggregationCall, submitOperation } from "./operations";
import { findOperation, type Operation, skipCodes } from "./operations-store";

export const receiptStatuses = ["queued", "running", "retrying", "succeeded", "failed"] as const;
/** Errors are codes only: a text may hold content. */
export const receiptErrors = [
  "attempts_exhausted",
  "invalid_configuration_or_input",
  "execution_failed",
  "input_erased",
] as const;

/** Times in seconds. */
export const receiptSchema = z.object({
  operation_id: z.string(),
  request_id: z.string(),
  agent_version: z.string(),
  status: z.enum(receiptStatuses),
  created_at: z.int(),
  updated_at: z.int(),
  started_at: z.int().nullable(),
  completed_at: z.int().nullable(),
  attempts: z.int(),
  next_attempt_at: z.int().nullable(),
  error: z.enum(receiptErrors).nullable(),
  result: z
    .object({
      clusters_found: z.int(),
      user_playbooks_processed: z.int(),
      playbooks_generated: z.int(),
      skipped: z.enum(skipCodes).nullable(),
    })
    .nullable(),
});
export type Receipt = z.infer<typeof receiptSchema>;

function errorOf(error: string | null): Receipt["error"] {
  if (error === null) return null;
  if (error === "cap_exceeded") return "invalid_configuration_or_input";
  return receiptErrors.find((code) => code === error) ?? "execution_failed";
}

/** What a caller sees of an operation. */
export function receiptOf(operation: Operation): Receipt {
  const { status, attempts, counts, nextAttemptAtMs } = operation;
  return {
    operation_id: operation.operationId,
    request_id: operation.requestId,
    agent_version: operation.agentVersion,
    status: status === "queued" && attempts > 0 ? "retrying" : status,
    created_at: operation.createdAt,
    updated_at: operation.updatedAt,
    started_at: operation.startedAt,
    completed_at: operation.completedAt,
    attempts,
    next_attempt_at: nextAttemptAtMs === null ? null : Math.ceil(nextAttemptAtMs / 1000),
    error: errorOf(operation.error),
    result:
      status === "succeeded" && counts !== null
        ? {
            clusters_found: counts.clusters_found,
            user_playbooks_processed: counts.user_playbooks_processed,
            playbooks_generated: counts.playbooks_generated,
            skipped: operation.skipped,
          }
        : null,
  };
}

/** Why a submission was not taken. */
export interface Conflict {
  reason: "other_version" | "version_busy";
  /** The operation that has the id, or that is not over. */
  operationId: string;
}

/** Takes an operation in, or finds the one that the same request made. It waits for nothing. */
export async function submitExplicit(
  services: Services,
  call: AggregationCall,
): Promise<{ receipt: Receipt } | { conflict: Conflict }> {
  const operationId = await derivedId("op", [call.orgId, "explicit", call.requestId]);
  const { operation, isInTheWay } = await submitOperation(services, call, operationId);
  if (isInTheWay) return { conflict: { reason: "version_busy", operationId: operation.operationId } };
  if (operation.agentVersion !== call.agentVersion) {
    return { conflict: { reason: "other_version", operationId: operation.operationId } };
  }
  return { receipt: receiptOf(operation) };
}

/** @returns the receipt, or null where the org has no such operation */
export async function findReceipt(db: Database, orgId: string, operationId: string): Promise<Receipt | null> {
  const operation = await findOperation(db, orgId, operationId);
  return operation === null ? null : receiptOf(operation);
}
