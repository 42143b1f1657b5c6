/** Many decisions in one call, each in a guarded batch of its own: what one ends in never decides over another. */
import type { RequestScope } from "../http/route";
import { Failure, type Issue } from "../platform/failure";
import { entityTag } from "./approval";
import { type ChangeOutcome, tryChange } from "./change-agent";
import type { ApprovalStatus } from "./model";

export interface BulkDecision {
  agentPlaybookId: number;
  /** The rule's version as the caller saw it. */
  version: number;
  playbookStatus: ApprovalStatus;
  /** An approval leaves the rule that this one replaces in service. */
  keepReplaced: boolean;
}

export const bulkOutcomes = ["done", "unchanged", "overtaken", "not_found", "refused"] as const;

export interface BulkResult {
  agentPlaybookId: number;
  outcome: (typeof bulkOutcomes)[number];
  /** One sentence for people. */
  message: string;
  /** The rule's version now; null where it is not known or there is no such rule. */
  version: number | null;
}

/** Two decisions about one rule would overtake each other. @throws Failure("invalid") naming the second */
function assertDistinct(decisions: readonly BulkDecision[]): void {
  const seen = new Set<number>();
  const issues: Issue[] = [];
  for (const [position, { agentPlaybookId }] of decisions.entries()) {
    if (seen.has(agentPlaybookId)) {
      issues.push({
        pointer: `/decisions/${position}/agent_playbook_id`,
        message: `agent playbook ${agentPlaybookId} is decided on twice`,
        expected: "each agent playbook once",
        type: "duplicate",
      });
    }
    seen.add(agentPlaybookId);
  }
  if (issues.length > 0) throw new Failure("invalid", "An agent playbook is decided on twice.", issues);
}

function resultOf({ agentPlaybookId, playbookStatus }: BulkDecision, ended: ChangeOutcome): BulkResult {
  switch (ended.kind) {
    case "done": {
      const message = `It is ${playbookStatus} from now on.`;
      return { agentPlaybookId, outcome: "done", message, version: ended.row.version };
    }
    case "unchanged": {
      const message = `It is ${playbookStatus} already.`;
      return { agentPlaybookId, outcome: "unchanged", message, version: ended.row.version };
    }
    case "missing":
      return {
        ...{
          agentPlaybookId,
          outcome: "not_found",
          message: "There is no such agent playbook.",
          version: null,
        },
      };
    case "overtaken":
    case "refused":
      return {
        ...{ agentPlaybookId, outcome: ended.kind, message: ended.failure.message, version: ended.version },
      };
  }
}

/**
 * Decides one after the other, in the given order. The same call again, also after one that broke off, finds
 * its own decisions unchanged and makes the others.
 * @throws Failure("invalid") where a rule is named twice; what the database throws
 */
export async function decideAll(
  scope: RequestScope,
  decisions: readonly BulkDecision[],
): Promise<BulkResult[]> {
  assertDistinct(decisions);
  const results: BulkResult[] = [];
  for (const decision of decisions) {
    const { agentPlaybookId, version, playbookStatus, keepReplaced } = decision;
    const headers = new Headers(scope.headers);
    headers.set("if-match", entityTag(version));
    const change = { playbookStatus, keepReplaced };
    results.push(resultOf(decision, await tryChange({ ...scope, headers }, agentPlaybookId, change)));
  }
  return results;
}
