/** HTTP for deleting many rules at once, as Reflexio's client speaks it. Counts are of what was really there. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import type { RequestScope, Route } from "../http/route";
import { deleteAllRules, deleteRulesByIds } from "./bulk-delete";
import type { RuleKind } from "./vector-store";

const common = { dialect: "reflexio", method: "delete", scope: "write", limit: "bulk" } as const;
const ofUsers = { ...common, tag: "User playbooks" } as const;
const ofAgents = {
  ...common,
  tag: "Agent playbooks",
  otherAnswers: {
    403: 'One of them is approved, and the key lacks the scope "review"; nothing was deleted.',
  },
} as const;

const counted = z.object({ success: z.boolean(), deleted_count: z.int(), message: z.string() });
/** Ids of one call, as in Reflexio. */
const ids = z.array(z.int().positive()).min(1).max(10_000);

const rulesOf = (count: number): string => (count === 1 ? "1 rule" : `${count} rules`);

async function byIds(scope: RequestScope, kind: RuleKind, named: readonly number[]) {
  const deleted = await deleteRulesByIds(scope, kind, named);
  return { success: true, deleted_count: deleted, message: `Deleted ${rulesOf(deleted)}.` };
}

async function all(scope: RequestScope, kinds: readonly RuleKind[]) {
  const { deleted, isFinished } = await deleteAllRules(scope, kinds);
  const rest = isFinished ? "" : " The rest is deleted in the background.";
  return { success: true, deleted_count: deleted, message: `Deleted ${rulesOf(deleted)}.${rest}` };
}

const LARGE =
  "The count is of what this call deleted. Of more than 10,000 rules the rest is deleted in the background, as the " +
  "message says then.";

const userPlaybooksByIds = defineRoute({
  ...ofUsers,
  path: "/api/delete_user_playbooks_by_ids",
  summary: "Delete several user playbooks for good",
  description: "Ids that name no rule are no fault and are not counted.",
  body: z.object({ user_playbook_ids: ids }),
  example: { body: { user_playbook_ids: [901, 902] } },
  response: counted,
  handler: (scope, { body }) => byIds(scope, "user_playbook", body.user_playbook_ids),
});

const allUserPlaybooks = defineRoute({
  ...ofUsers,
  path: "/api/delete_all_user_playbooks",
  summary: "Delete every user playbook of the org for good",
  description: LARGE,
  example: {},
  response: counted,
  handler: (scope) => all(scope, ["user_playbook"]),
});

const agentPlaybooksByIds = defineRoute({
  ...ofAgents,
  path: "/api/delete_agent_playbooks_by_ids",
  summary: "Delete several agent playbooks for good",
  description: "Ids that name no rule are no fault and are not counted.",
  body: z.object({ agent_playbook_ids: ids }),
  example: { body: { agent_playbook_ids: [901, 902] } },
  response: counted,
  handler: (scope, { body }) => byIds(scope, "agent_playbook", body.agent_playbook_ids),
});

const allAgentPlaybooks = defineRoute({
  ...ofAgents,
  path: "/api/delete_all_agent_playbooks",
  summary: "Delete every agent playbook of the org for good",
  description: LARGE,
  example: {},
  response: counted,
  handler: (scope) => all(scope, ["agent_playbook"]),
});

const allPlaybooks = defineRoute({
  ...ofAgents,
  path: "/api/delete_all_playbooks",
  summary: "Delete every rule of the org for good, of users and of agents",
  description: LARGE,
  example: {},
  response: counted,
  handler: (scope) => all(scope, ["agent_playbook", "user_playbook"]),
});

export const bulkDeleteRoutes: Route[] = [
  userPlaybooksByIds,
  allUserPlaybooks,
  agentPlaybooksByIds,
  allAgentPlaybooks,
  allPlaybooks,
];
