/** How often a rule was applied, by whom, and whether it helped. */
import * as z from "zod";
import type { Database } from "../db/client";
import type { RequestScope } from "../http/route";
import { nowSec } from "../platform/clock";
import { Failure, invalid } from "../platform/failure";
import { derivedId } from "../platform/ids";
import { refreshHarmfulFlag } from "./harmful-flag-store";
import { countUses, findSubjects, newestApplications, type Verdict, writeFeedback } from "./uses-store";
import type { RuleKind } from "./vector-store";

export const ruleKinds = ["user_playbook", "agent_playbook"] as const satisfies RuleKind[];

const MAX_APPLICATIONS = 20;

/** Counts of one rule. An application is a turn that cites it. */
export interface Uses {
  applied: number;
  sessions: number;
  users: number;
  /** Seconds. */
  lastAppliedAt: number | null;
  helpful: number;
  harmful: number;
}

/** Counts per rule, in one statement; a rule that nobody used counts zero. */
export async function usesOf(
  db: Database,
  orgId: string,
  kind: RuleKind,
  ids: readonly number[],
): Promise<Map<number, Uses>> {
  if (ids.length === 0) return new Map();
  const rows = await countUses(db, orgId, kind, ids);
  return new Map(rows.map(({ entityId, ...uses }) => [entityId, uses]));
}

export const usesSchema = z.object({
  kind: z.enum(ruleKinds),
  id: z.int(),
  /** Turns that cite the rule. */
  applied_count: z.int(),
  session_count: z.int(),
  user_count: z.int(),
  last_applied_at: z.int().nullable(),
  helpful_count: z.int(),
  harmful_count: z.int(),
  /** The newest 20, newest first. */
  applications: z.array(
    z.object({
      interaction_id: z.int(),
      created_at: z.int(),
      /** Only for reviewers, as a session's name often holds its user's. */
      session_id: z.string().nullable(),
      user_id: z.string().nullable(),
    }),
  ),
});
export type UsesView = z.output<typeof usesSchema>;

/**
 * The uses of one rule, or null where the org has none of that id.
 * @param mayNameUsers whether the reader holds the scope `review`
 */
export async function usesViewOf(
  db: Database,
  orgId: string,
  kind: RuleKind,
  id: number,
  mayNameUsers: boolean,
): Promise<UsesView | null> {
  const { hasRule } = await findSubjects(db, orgId, { kind, entityId: id, interactionId: null });
  if (!hasRule) return null;
  const [uses, applications] = await Promise.all([
    usesOf(db, orgId, kind, [id]),
    newestApplications(db, orgId, kind, id, MAX_APPLICATIONS),
  ]);
  const counts = uses.get(id);
  return {
    ...{ kind, id },
    applied_count: counts?.applied ?? 0,
    session_count: counts?.sessions ?? 0,
    user_count: counts?.users ?? 0,
    last_applied_at: counts?.lastAppliedAt ?? null,
    helpful_count: counts?.helpful ?? 0,
    harmful_count: counts?.harmful ?? 0,
    applications: applications.map(({ interactionId, createdAt, sessionId, userId }) => ({
      interaction_id: interactionId,
      created_at: createdAt,
      session_id: mayNameUsers ? sessionId : null,
      user_id: mayNameUsers ? userId : null,
    })),
  };
}

export interface Feedback {
  kind: RuleKind;
  id: number;
  verdict: Verdict;
  /** The turn in which the rule was applied; null speaks of the rule as such. */
  interactionId: number | null;
}

/**
 * Keeps what the caller says of a rule: one verdict per principal, rule and turn, the last one counting. The counts move
 * the rule in searches, and a rule of agents that harms is flagged in the same batch.
 * @throws Failure("not_found") where the org has no such rule, Failure("invalid") where it has no such turn
 */
export async function giveFeedback(scope: RequestScope, feedback: Feedback): Promise<void> {
  const { services, db, orgId, principal } = scope;
  const { kind, id, verdict, interactionId } = feedback;
  const subject = { kind, entityId: id, interactionId };
  await assertSubjects(scope, subject);
  const written = writeFeedback({
    ...{ orgId, ...subject, verdict, principalId: principal.id },
    feedbackId: await derivedId("fb", [orgId, kind, id, principal.id, interactionId ?? 0]),
    createdAt: nowSec(services.clock),
  });
  const flagged = kind === "agent_playbook" ? [refreshHarmfulFlag(orgId, id, services.clock.nowMs())] : [];
  const [result] = await db.batch([written, ...flagged]);
  if ((result?.changes ?? 0) > 0) return;
  // One of them went away meanwhile: say which.
  await assertSubjects(scope, subject);
  throw new Failure("conflict", "The rule or its turn changed meanwhile; send it again.");
}

async function assertSubjects(
  { db, orgId }: RequestScope,
  subject: Parameters<typeof findSubjects>[2],
): Promise<void> {
  const { hasRule, hasTurn } = await findSubjects(db, orgId, subject);
  if (!hasRule) throw new Failure("not_found", "There is no such rule.");
  if (!hasTurn) {
    throw invalid("/interaction_id", "there is no such turn", "the id of a stored turn, or none");
  }
}
