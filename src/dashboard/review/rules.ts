/** What the review page shows of each agent playbook. */
import type { RequestScope } from "../../http/route";
import { evidenceOf } from "../../playbooks/evidence";
import { type AgentPlaybook, type ApprovalStatus, tombstoneStatuses } from "../../playbooks/model";
import { listAgentPlaybooks } from "../../playbooks/store";
import type { ReviewRule } from "./rule-card";

/** Rules of one page, newest first. */
const PAGE_RULES = 25;
/** Sources of a rule, and turns of a source, that a page shows; the API gives them all. */
const PAGE_SOURCES = 10;
const PAGE_TURNS = 10;
/** Evidence is read for this many rules at once. */
const PARALLEL = 5;

async function reviewRule(scope: RequestScope, row: AgentPlaybook): Promise<ReviewRule | null> {
  const mayName = scope.principal.scopes.includes("review");
  const found = await evidenceOf(scope.db, scope.orgId, row.agentPlaybookId, mayName);
  if (found === null) return null;
  const { agent_playbook: rule } = found;
  return {
    agentPlaybookId: rule.agent_playbook_id,
    agentVersion: rule.agent_version,
    trigger: rule.trigger,
    content: rule.content,
    rationale: rule.rationale,
    playbookStatus: rule.playbook_status,
    decidedBy: rule.decided_by,
    flags: rule.flags,
    version: rule.version,
    users: found.user_count,
    moreSources: found.sources_left_out + Math.max(0, found.sources.length - PAGE_SOURCES),
    sources: found.sources.slice(0, PAGE_SOURCES).map((source) => ({
      userPlaybookId: source.user_playbook_id,
      content: source.content ?? "(deleted)",
      turns: source.turns
        .slice(0, PAGE_TURNS)
        .map(({ role, content }) => ({ role, content, userId: source.user_id })),
      moreTurns: source.turns_left_out + Math.max(0, source.turns.length - PAGE_TURNS),
    })),
  };
}

/** The newest rules of one approval status, each with its evidence. */
export async function rulesForReview(
  scope: RequestScope,
  status: ApprovalStatus,
): Promise<{ rules: ReviewRule[]; hasMore: boolean }> {
  const rows = await listAgentPlaybooks(scope.db, scope.orgId, {
    limit: PAGE_RULES + 1,
    approvals: [status],
  });
  const live = rows
    .slice(0, PAGE_RULES)
    .filter((row) => !tombstoneStatuses.some((tombstone) => tombstone === row.status));
  const rules: ReviewRule[] = [];
  for (let first = 0; first < live.length; first += PARALLEL) {
    const shown = await Promise.all(live.slice(first, first + PARALLEL).map((row) => reviewRule(scope, row)));
    rules.push(...shown.filter((rule) => rule !== null));
  }
  return { rules, hasMore: rows.length > PAGE_RULES };
}
