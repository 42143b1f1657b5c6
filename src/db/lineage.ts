/** Lineage: one append-only, content-free event per change of a rule, written in the change's batch. */
import { derivedId } from "../platform/ids";
import { type Statement, sql } from "./sql";

export interface LineageEvent {
  orgId: string;
  entityType: "user_playbook" | "agent_playbook" | "profile";
  entityId: number | string;
  op:
    | "create"
    | "revise"
    | "merge"
    | "aggregate"
    | "archive"
    | "soft_delete"
    | "hard_delete"
    | "purge"
    | "status_change";
  sourceIds?: readonly (number | string)[];
  provRelation?: string;
  /** Who or what did it: a principal id, `extraction`, `consolidation`, `aggregation`. */
  actor: string;
  /** Correlates the events of one run. */
  requestId: string;
  reason?: string;
  createdAt: number;
  fromStatus?: string | null;
  toStatus?: string | null;
  statusNamespace?: "lifecycle" | "approval";
  modelName?: string;
  provider?: string;
}

/** The event's id is derived from what it records, so a repeated effect records it once. */
export async function recordLineage(event: LineageEvent): Promise<Statement> {
  const id = await derivedId("lin", [
    event.orgId,
    event.entityType,
    event.entityId,
    event.op,
    event.requestId,
    event.toStatus ?? "",
    event.reason ?? "",
    event.op === "status_change" || event.op === "revise" ? event.createdAt : 0,
  ]);
  return sql`INSERT INTO lineage (org_id, event_id, entity_type, entity_id, op, prov_relation, source_ids, actor,
      request_id, reason, created_at, from_status, to_status, status_namespace, model_name, provider)
    VALUES (${event.orgId}, ${id}, ${event.entityType}, ${String(event.entityId)}, ${event.op},
      ${event.provRelation ?? null}, ${JSON.stringify(event.sourceIds ?? [])}, ${event.actor}, ${event.requestId},
      ${event.reason ?? null}, ${event.createdAt}, ${event.fromStatus ?? null}, ${event.toStatus ?? null},
      ${event.statusNamespace ?? null}, ${event.modelName ?? null}, ${event.provider ?? null})
    ON CONFLICT (org_id, event_id) DO NOTHING`;
}
