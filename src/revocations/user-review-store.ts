/** SQL of a person's word on a user playbook that waits in review. */
import { guard, type Statement, sql } from "../db/sql";
import type { UserPlaybook } from "../playbooks/model";

/** Writes status and flags over a pending row that still is as `before` shows it. Guard `version`. */
export const decideUserPlaybook = (
  before: UserPlaybook,
  after: Pick<UserPlaybook, "status" | "flags" | "updatedAtMs">,
): Statement[] => [
  sql`UPDATE user_playbooks SET status = ${after.status}, flags = ${JSON.stringify(after.flags)},
        updated_at_ms = ${after.updatedAtMs}
      WHERE org_id = ${before.orgId} AND user_playbook_id = ${before.userPlaybookId}
        AND updated_at_ms = ${before.updatedAtMs} AND status = 'pending'`,
  guard("version", sql`changes() = 1`),
];
