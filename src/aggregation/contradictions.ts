/**
 * Background: after a rule of agents was made, decided on, edited or deleted, `contradicts_approved` is looked at
 * anew. Whoever writes such a change leaves this work in its own batch, so that of two changes made at the same
 * time the later one's work sees both; reading then costs nothing, and the version that grows makes a reviewer who
 * has the unflagged rule before them look again.
 */
import type { Work } from "../db/outbox";
import { flags } from "../playbooks/model";
import type { Services } from "../services";
import {
  loadApprovedRules,
  noteOpposition,
  type PendingRule,
  pendingRules,
  versionsOf,
} from "./contradictions-store";
import { type ComparableRule, opposedRule } from "./opposition";

const FLAG = "contradicts_approved" as const;
/** When a rule changed while it was compared. */
const RETRY_MS = 1_000;

/** What a pending rule must be compared with: all that is approved, unless only the changed rules can matter. */
function rivalsOf(
  rule: PendingRule,
  approved: readonly ComparableRule[],
  changed: ReadonlySet<number>,
): readonly ComparableRule[] {
  return changed.has(rule.agentPlaybookId) || rule.flags.includes(FLAG)
    ? approved
    : approved.filter(({ agentPlaybookId }) => changed.has(agentPlaybookId));
}

/** @returns how many pending rules should have been noted and had changed meanwhile */
async function recheckVersion(
  services: Services,
  orgId: string,
  agentVersion: string,
  changed: ReadonlySet<number>,
): Promise<number> {
  const db = services.database(orgId);
  const approved = await loadApprovedRules(db, orgId, agentVersion);
  let overtaken = 0;
  for await (const page of pendingRules(db, orgId, agentVersion)) {
    const updates = page.flatMap((rule) => {
      const opposed = opposedRule(rule, rivalsOf(rule, approved, changed));
      if ((opposed !== null) === rule.flags.includes(FLAG)) return [];
      const noted = {
        flags: flags.filter((flag) => (flag === FLAG ? opposed !== null : rule.flags.includes(flag))),
        opposedId: opposed?.agentPlaybookId ?? null,
      };
      return [noteOpposition(orgId, rule, noted, services.clock.nowMs())];
    });
    if (updates.length === 0) continue;
    overtaken += (await db.batch(updates)).filter(({ changes }) => changes === 0).length;
  }
  return overtaken;
}

/** Handles the topic `contradictions`; its key lists the agent playbooks that changed. */
export async function recheckContradictions(
  services: Services,
  { orgId, key }: Work,
): Promise<"done" | { retryInMs: number }> {
  const changed = new Set(key.map(Number));
  let overtaken = 0;
  for (const agentVersion of await versionsOf(services.database(orgId), orgId, [...changed])) {
    overtaken += await recheckVersion(services, orgId, agentVersion, changed);
  }
  return overtaken === 0 ? "done" : { retryInMs: RETRY_MS };
}
