/** One page of user playbooks that move to another state, or out of it: the statements, and what follows. */
import { loadConfig } from "../orgs/config-store";
import { derivedId } from "../platform/ids";
import type { Services } from "../services";
import { type FollowUp, followUp } from "./follow-up";
import { taggingDefinition, tagLater } from "./tagging";
import { type Move, touchesCurrent } from "./version-model";
import { type MovingRule, moveLineage, moveRules } from "./version-store";

/** Rules of one page. */
export const MOVED_RULES = 500;

export interface MovedBy {
  /** What asked for it; ties the lineage together and makes its ids. */
  runId: string;
  principalId: string;
  /** What makes this page's followers themselves. */
  cause: string;
}

/** Rules that became CURRENT without ever being tagged are tagged now, where the org wants tags. */
async function tagging(
  services: Services,
  orgId: string,
  rules: readonly MovingRule[],
  cause: string,
  nowMs: number,
) {
  const { config } = await loadConfig(services.database(orgId), orgId, services.clock);
  if (taggingDefinition(config) === "") return [];
  const whose = new Map<string, { userId: string; agentVersion: string }>();
  for (const { userId, agentVersion, isTagged } of rules) {
    if (userId !== null && !isTagged)
      whose.set(JSON.stringify([userId, agentVersion]), { userId, agentVersion });
  }
  return Promise.all([...whose.values()].map((of) => tagLater({ orgId, ...of, cause, nowMs })));
}

/**
 * Moves a page of rules with lineage, index work and word to aggregation. Guard `version`: every rule is as the
 * page found it.
 */
export async function movePage(
  services: Services,
  orgId: string,
  rules: readonly MovingRule[],
  move: Move,
  { runId, principalId, cause }: MovedBy,
): Promise<FollowUp> {
  if (rules.length === 0) return { statements: [], messages: [] };
  const nowMs = services.clock.nowMs();
  const ids = rules.map(({ userPlaybookId }) => userPlaybookId);
  const events = await Promise.all(
    ids.map(async (entityId) => ({
      entityId,
      eventId: await derivedId("lin", [orgId, "user_playbook", entityId, runId, move.to ?? "current"]),
    })),
  );
  // Rules that only go from one shelf to another are in no index and in no cluster.
  const follow =
    touchesCurrent(move) || move.to === "deleted"
      ? await followUp(
          orgId,
          "user_playbook",
          ids,
          touchesCurrent(move) ? rules.map(({ agentVersion }) => agentVersion) : [],
          cause,
          nowMs,
        )
      : { statements: [], messages: [] };
  return {
    messages: follow.messages,
    statements: [
      ...moveRules(orgId, rules, move, nowMs),
      ...moveLineage(orgId, events, move, { principalId, requestId: runId, atSec: Math.floor(nowMs / 1000) }),
      ...follow.statements,
      ...(move.to === null ? await tagging(services, orgId, rules, cause, nowMs) : []),
    ],
  };
}
