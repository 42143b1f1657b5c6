/** The audit trail: one row per change, in the change's own batch, naming the principal. */
import type { Statement } from "../db/sql";
import type { Principal } from "../platform/principal";
import { insertAudit, insertAuditIfChanged } from "./store";

export interface AuditEntry {
  principal: Pick<Principal, "orgId" | "id">;
  /** `verb.noun`, such as `approve.agent_playbook`. */
  action: string;
  entityType: string;
  entityId: string | number;
  requestId: string;
  at: number;
  /** Ids, counts and statuses; never content or personal data. */
  details?: Readonly<Record<string, string | number | boolean | null | readonly (string | number)[]>>;
}

const rowOf = ({ principal, details = {}, entityId, ...rest }: AuditEntry) => ({
  orgId: principal.orgId,
  principalId: principal.id,
  entityId: String(entityId),
  details: JSON.stringify(details),
  ...rest,
});

export const recordAudit = (entry: AuditEntry): Statement => insertAudit(rowOf(entry));

/** Records only where the statement just before it in the batch changed a row. */
export const recordAuditIfChanged = (entry: AuditEntry): Statement => insertAuditIfChanged(rowOf(entry));
