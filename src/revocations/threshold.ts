/** How many distinct users an org wants behind a rule. */
import type { Database } from "../db/client";
import type { AgentPlaybook } from "../playbooks/model";
import type { Services } from "../services";

const NEEDED_USERS = 2;

export async function neededUsersOf(
  _services: Pick<Services, "clock">,
  _db: Database,
  _orgId: string,
): Promise<(rule: Pick<AgentPlaybook, "trigger" | "content" | "rationale">) => number> {
  return () => NEEDED_USERS;
}
