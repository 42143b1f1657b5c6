/** What the review pages show of each agent playbook: one page of the queue, or one rule. */
import type { RequestScope } from "../../http/route";
import { type Evidence, evidenceOf } from "../../playbooks/evidence";
import { type QueueCursor, type QueueFilter, type QueuePage, queueOf } from "../../playbooks/queue-store";
import { type Undoable, undoable } from "../../playbooks/undo";
import { type Uses, usesOf } from "../../playbooks/uses";

export interface ReviewRule {
  evidence: Evidence;
  uses: Uses | null;
  /** The last decision that can be taken back, in words why it cannot, or null where nobody has decided. */
  undo: Undoable | string | null;
}

export interface ReviewQueue {
  rules: ReviewRule[];
  counts: QueuePage["counts"];
  next: QueueCursor | null;
}

/** Rules of one page. */
const PAGE_RULES = 15;
/** Evidence is read for this many rules at once. */
const PARALLEL = 5;

async function evidences(scope: RequestScope, ids: readonly number[]): Promise<Evidence[]> {
  const mayName = scope.principal.scopes.includes("review");
  const found: Evidence[] = [];
  for (let first = 0; first < ids.length; first += PARALLEL) {
    const some = await Promise.all(
      ids.slice(first, first + PARALLEL).map((id) => evidenceOf(scope.db, scope.orgId, id, mayName)),
    );
    // A rule may have been deleted since the list was read.
    found.push(...some.filter((evidence) => evidence !== null));
  }
  return found;
}

/** Rules by id, in that order; those that are gone are left out. */
export async function reviewRules(scope: RequestScope, ids: readonly number[]): Promise<ReviewRule[]> {
  const { db, orgId } = scope;
  const [found, uses, undo] = await Promise.all([
    evidences(scope, ids),
    usesOf(db, orgId, "agent_playbook", ids),
    undoable(db, orgId, ids),
  ]);
  return found.map((evidence) => {
    const id = evidence.agent_playbook.agent_playbook_id;
    return { evidence, uses: uses.get(id) ?? null, undo: undo.get(id) ?? null };
  });
}

/** The newest rules that the filter matches, each with its evidence. */
export async function reviewQueue(
  scope: RequestScope,
  filter: Omit<QueueFilter, "limit">,
): Promise<ReviewQueue> {
  const { rows, next, counts } = await queueOf(scope.db, scope.orgId, { ...filter, limit: PAGE_RULES });
  const rules = await reviewRules(
    scope,
    rows.map((row) => row.agentPlaybookId),
  );
  return { rules, counts, next };
}
