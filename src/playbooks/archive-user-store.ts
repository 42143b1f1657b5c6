/** SQL of taking a user playbook out of use and back. */
import { guard, type Statement, sql } from "../db/sql";
import type { UserPlaybook } from "./model";

/** Writes status and flags over a row that still is as `before` shows it. Guard `version`. */
export const setLifecycle = (
  before: Pick<UserPlaybook, "orgId" | "userPlaybookId" | "updatedAtMs">,
  after: Pick<UserPlaybook, "status" | "flags" | "updatedAtMs">,
): Statement[] => [
  sql`UPDATE user_playbooks SET status = ${after.status}, flags = ${JSON.stringify(after.flags)},
        updated_at_ms = ${after.updatedAtMs}
      WHERE org_id = ${before.orgId} AND user_playbook_id = ${before.userPlaybookId}
        AND updated_at_ms = ${before.updatedAtMs}`,
  guard("version", sql`changes() = 1`),
];
