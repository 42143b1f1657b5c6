/** The gate: who may touch an approved rule, and how two reviewers are kept from overwriting each other. */

import { Failure } from "../platform/failure";
import type { Principal } from "../platform/principal";
import type { AgentPlaybook, ApprovalStatus } from "./model";

/**
 * The one check behind everything that makes a rule approved, changes one that is, or undoes an approval:
 * it needs the scope `review`. `before` is null for a new rule, `after` null for a deletion.
 * @throws Failure("forbidden")
 */
export function assertMayDecide(
  principal: Pick<Principal, "scopes">,
  before: ApprovalStatus | null,
  after: ApprovalStatus | null,
): void {
  if (before !== "approved" && after !== "approved") return;
  if (principal.scopes.includes("review")) return;
  throw new Failure(
    "forbidden",
    before === "approved"
      ? 'Only a key with the scope "review" may change or remove an approved playbook.'
      : 'Only a key with the scope "review" may approve a playbook.',
  );
}

/** The strong entity tag of a row. */
export const entityTag = (version: number): string => `"${version}"`;

/** Whether `If-Match` names this version. Absent or `*` names every one. */
export function matchesVersion(ifMatch: string | null, version: number): boolean {
  if (ifMatch === null || ifMatch.trim() === "*") return true;
  return ifMatch.split(",").some((tag) => tag.trim().replace(/^"(.*)"$/, "$1") === String(version));
}

/** Who decided, for the reviewer who came second. */
export function decisionOf(row: AgentPlaybook): string {
  const state = `it is now ${row.playbookStatus}, at version ${row.version}`;
  return row.decidedBy === null ? state : `${state}, decided by ${row.decidedBy}`;
}

export const staleVersion = (row: AgentPlaybook): Failure =>
  new Failure(
    "precondition_failed",
    `Agent playbook ${row.agentPlaybookId} has changed: ${decisionOf(row)}.`,
    [],
    {
      etag: entityTag(row.version),
    },
  );

export const overtaken = (row: AgentPlaybook): Failure =>
  new Failure(
    "conflict",
    `Agent playbook ${row.agentPlaybookId} changed meanwhile: ${decisionOf(row)}.`,
    [],
    {
      etag: entityTag(row.version),
    },
  );
