/** Who may decide at a gate (c.4, ruling 37). Whoever started the run may not, unless the gate says so. */
import { DEFAULTS } from "../../spec";
import type { Principal } from "../model";
import type { Gate } from "../state";

/** Null when the principal may decide, else the code of the refusal. */
export function refusalOf(
  gate: Gate,
  startedBy: Principal,
  by: Principal,
): "not_an_approver" | "self_approval" | null {
  if (!isApprover(gate.approver, by)) return "not_an_approver";
  return by.id === startedBy.id && !gate.allowSelfApproval ? "self_approval" : null;
}

/** Whether the gate takes this principal's word, whoever started the run. */
export function isApprover(approver: Gate["approver"], { id, roles }: Principal): boolean {
  if (typeof approver === "string") return roles.includes(approver) || roles.includes(DEFAULTS.approverRole);
  const { users, roles: named } = approver;
  if (users === undefined && named === undefined) return roles.includes(DEFAULTS.approverRole);
  return (users ?? []).includes(id) || (named ?? []).some((role) => roles.includes(role));
}

/** How many people must approve. */
export const countOf = ({ approver }: Gate): number =>
  typeof approver === "string" ? 1 : Math.max(1, approver.count ?? 1);
