/** Remembers what a session was served, after it was answered (specification 9.4, trap 66). */
import type { Database } from "../db/client";
import type { Services } from "../services";
import {
  type DecisionKey,
  recordFirstServing,
  recordServed,
  type ServedRule,
  type Session,
  trimServed,
} from "./served-store";

const KEPT_MS = 86_400_000;
/** Rules remembered a session, the newest; beyond them the oldest may be served again. */
const MAX_SERVED = 500;

/** Never rejects: what is not remembered is merely served again. */
export async function rememberServed(
  { clock, log }: Pick<Services, "clock" | "log">,
  db: Database,
  session: Session,
  answer: { userPlaybooks: readonly { id: number }[]; agentPlaybooks: readonly { id: number }[] },
): Promise<void> {
  const rules: ServedRule[] = [
    ...answer.userPlaybooks.map(({ id }) => ({ kind: "user_playbook" as const, id })),
    ...answer.agentPlaybooks.map(({ id }) => ({ kind: "agent_playbook" as const, id })),
  ];
  if (rules.length === 0) return;
  try {
    await db.batch([recordServed(session, rules, clock.nowMs() + KEPT_MS), trimServed(session, MAX_SERVED)]);
  } catch (error) {
    log.warn("search.served_not_recorded", { reason: error instanceof Error ? error.name : "unknown" });
  }
}

/** The decisions whose rules are served here for the first time. */
export const unservedOf = (hits: readonly { id: number; unservedDecision: number | null }[]): DecisionKey[] =>
  hits.flatMap(({ id, unservedDecision }) =>
    unservedDecision === null ? [] : [{ id, version: unservedDecision }],
  );

/**
 * Whoever asked, and whether a session was named: a decision that reached a prompt can no longer be undone.
 * Never rejects: what is not noted now is noted when the rule is served next.
 */
export async function noteFirstServing(
  { clock, log }: Pick<Services, "clock" | "log">,
  db: Database,
  orgId: string,
  decisions: readonly DecisionKey[],
): Promise<void> {
  if (decisions.length === 0) return;
  try {
    await db.run(recordFirstServing(orgId, decisions, clock.nowMs()));
  } catch (error) {
    log.warn("search.serving_not_recorded", { reason: error instanceof Error ? error.name : "unknown" });
  }
}
