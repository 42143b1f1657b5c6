/** Taking a decision back, until something was built on it. An undo is final: whoever regrets it decides anew. */
import { type Database, GuardFailed } from "../db/client";
import type { RequestScope } from "../http/route";
import { Failure } from "../platform/failure";
import { loadAgentPlaybooks } from "./agent-store";
import { staleVersion } from "./approval";
import { type DecisionKind, restored } from "./decisions";
import type { AgentPlaybook } from "./model";
import { undoBatch } from "./undo-batch";
import { loadUndoFacts, type UndoFacts } from "./undo-store";

/** A decision that can be taken back. */
export interface Undoable {
  /** The rule's version, which the undo must name. */
  version: number;
  kind: DecisionKind;
  /** Principal who decided. */
  by: string;
  atMs: number;
}

/** What was built on a decision, one clause each; empty where it can be taken back. */
export function builtOn(facts: UndoFacts): string[] {
  if (facts.rowStatus !== null) {
    return [
      facts.supersededBy === null ? "the rule was retired" : `rule #${facts.supersededBy} superseded it`,
    ];
  }
  if (facts.undoneAtMs !== null) return ["its last decision was undone already"];
  if (facts.rowVersion !== facts.version) {
    // Aggregation or a revocation: whatever a person changes is a newer decision.
    return [
      `the rule has changed since (its evidence or its warnings), and is at version ${facts.rowVersion}`,
    ];
  }
  const built: string[] = [];
  if (facts.playbookStatus === "approved") {
    if (facts.servedAtMs !== null) built.push("it was served to a prompt since");
    if (facts.applied > 0) built.push(`${counted(facts.applied, "turn")} cited it since`);
    if (facts.successor !== null) built.push(`rule #${facts.successor} was made to replace it`);
  }
  if (facts.rival !== null) built.push(`rule #${facts.rival} was approved in its place`);
  if (facts.movedMembers > 0) {
    built.push(
      `aggregation has placed ${counted(facts.movedMembers, "rule")} of its cluster elsewhere or ended them`,
    );
  }
  if (facts.hasLostPredecessor) built.push(`rule #${facts.replaced}, which it replaced, is gone`);
  if (facts.isRevoked) built.push("a source of what would come back was revoked");
  return built;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/**
 * Per rule its last decision, where it can be taken back, or in words why it cannot. Rules that nobody has
 * decided on are left out.
 */
export async function undoable(
  db: Database,
  orgId: string,
  agentPlaybookIds: readonly number[],
): Promise<Map<number, Undoable | string>> {
  const all = await loadUndoFacts(db, orgId, agentPlaybookIds);
  return new Map(
    all.map((facts) => {
      const built = builtOn(facts);
      const { version, kind, principalId: by, atMs } = facts;
      return [facts.agentPlaybookId, built.length === 0 ? { version, kind, by, atMs } : built.join("; ")];
    }),
  );
}

export interface Undone {
  row: AgentPlaybook;
  decision: Undoable;
  /** The rule that is in service again, or null. */
  restoredPredecessorId: number | null;
}

/**
 * Takes back the newest decision about a rule: texts, flags, status, clusters and the rule it superseded.
 * @param version the rule's version as the caller saw it
 * @returns null where there is no such rule
 * @throws Failure("forbidden") without `review`, Failure("precondition_failed") when the rule is at another
 * version, Failure("conflict") naming what was built on the decision; nothing is written then
 */
export async function undoDecision(
  scope: RequestScope,
  agentPlaybookId: number,
  version: number,
): Promise<Undone | null> {
  const { services, db, principal } = scope;
  assertMayReview(principal);
  const { row, facts } = await look(scope, agentPlaybookId);
  if (row === null) return null;
  if (facts !== null && isOwnUndo(facts, row, version, principal.id)) return undoneOf(facts, row);
  if (row.version !== version) throw staleVersion(row);
  const decided = standing(facts, row);
  const after = restored(row, decided.before, services.clock.nowMs());
  const { statements, messages } = await undoBatch(scope, row, after, decided);
  try {
    await db.batch(statements);
  } catch (error) {
    const now = await look(scope, agentPlaybookId);
    if (now.row === null) return null;
    const isIn = now.facts !== null && isOwnUndo(now.facts, now.row, version, principal.id);
    if (!isIn) {
      if (!(error instanceof GuardFailed)) throw error;
      if (now.row.version !== version) throw staleVersion(now.row);
      standing(now.facts, now.row);
      throw new Failure("conflict", `Agent playbook ${agentPlaybookId} changed meanwhile; look at it again.`);
    }
  }
  services.defer(services.send(messages));
  return undoneOf(decided, { ...after, version: version + 1 });
}

/** Who may decide on everything may take it back. @throws Failure("forbidden") */
function assertMayReview({ scopes }: RequestScope["principal"]): void {
  if (scopes.includes("review")) return;
  throw new Failure("forbidden", 'Only a key with the scope "review" may undo a decision.');
}

async function look(
  { db, orgId }: RequestScope,
  agentPlaybookId: number,
): Promise<{ row: AgentPlaybook | null; facts: UndoFacts | null }> {
  const [row] = await loadAgentPlaybooks(db, orgId, [agentPlaybookId]);
  const [facts] = row === undefined ? [] : await loadUndoFacts(db, orgId, [agentPlaybookId]);
  return { row: row ?? null, facts: facts ?? null };
}

/** Whether this very undo is in: the answer to it was lost, or its twin was faster. */
const isOwnUndo = (facts: UndoFacts, row: AgentPlaybook, version: number, by: string): boolean =>
  facts.version === version && facts.undoneBy === by && row.version === version + 1;

/** The decision, if it stands alone. @throws Failure("conflict") naming what was built on it */
function standing(facts: UndoFacts | null, row: AgentPlaybook): UndoFacts {
  const { agentPlaybookId } = row;
  if (facts === null) {
    throw new Failure(
      "conflict",
      `Nobody has decided on agent playbook ${agentPlaybookId}: there is nothing to undo.`,
    );
  }
  const built = builtOn(facts);
  if (built.length === 0) return facts;
  throw new Failure(
    "conflict",
    `The last decision on agent playbook ${agentPlaybookId} can no longer be undone: ${built.join("; ")}.`,
  );
}

const undoneOf = (facts: UndoFacts, row: AgentPlaybook): Undone => ({
  row,
  decision: { version: facts.version, kind: facts.kind, by: facts.principalId, atMs: facts.atMs },
  restoredPredecessorId: facts.replaced,
});
