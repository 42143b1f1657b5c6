/** Remembers what a session was served, after it was answered (specification 9.4, trap 66). */
import type { Database } from "../db/client";
import type { Services } from "../services";
import { recordServed, type ServedRule, type Session, trimServed } from "./served-store";

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
