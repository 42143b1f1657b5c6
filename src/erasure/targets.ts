/** Pages over rules: those of agents that came of the user's, the user's own, and their entries in the index. */
import { recordAudit } from "../orgs/audit";
import { nowSec } from "../platform/clock";
import { derivedId } from "../platform/ids";
import { vectorEntryId } from "../platform/vectors/entry-id";
import { followUp } from "../playbooks/follow-up";
import type { AgentPlaybook } from "../playbooks/model";
import { loadAgentPlaybooks } from "../playbooks/store";
import type { RuleKind } from "../playbooks/vector-store";
import { followers } from "../revocations/followers";
import type { Services } from "../services";
import { deleteRules, type Place, rulesOfUser } from "./pages-store";
import {
  deleteAgentRules,
  deleteTargets,
  forgetDecisionsOf,
  loadTargets,
  recordErased,
  type Target,
} from "./targets-store";

/** Rules of agents of one page: their support is counted anew one by one. */
const AGENT_PAGE = 50;
/** Entries of the index of one page. */
const INDEX_PAGE = 100;

const eventsOf = (place: Place, kind: RuleKind, ids: readonly number[]) =>
  Promise.all(
    ids.map(async (entityId) => ({
      entityId,
      eventId: await derivedId("lin", [place.orgId, kind, entityId, "hard_delete", place.erasure.erasureId]),
    })),
  );

/** Takes rules out of the index under every model that may have put them there. */
async function leaveIndex(
  services: Services,
  { orgId }: Place,
  kind: RuleKind,
  targets: readonly Target[],
): Promise<void> {
  const bound = services.embedder.model.name;
  const ids = await Promise.all(
    targets.flatMap(({ entityId, models }) =>
      [...new Set([bound, ...models])].map((model) => vectorEntryId(orgId, kind, entityId, model)),
    ),
  );
  if (ids.length > 0) await services.vectors.remove(orgId, ids);
}

const mayStay = (row: AgentPlaybook, target: Target | undefined): boolean =>
  row.status === null && row.playbookStatus === "approved" && row.version === target?.keptVersion;

/** Counts the support of rules that stay anew; they are decided from here on, whatever becomes of their version. */
async function keepRules(services: Services, place: Place, ids: number[]): Promise<void> {
  const { orgId, erasure } = place;
  const { statements, messages } = await followers(services, orgId, `${erasure.erasureId}:kept:${ids[0]}`, {
    lastRow: 0,
    userPlaybookIds: [],
    agentPlaybookIds: ids,
    reopenedIds: [],
  });
  const decided = [forgetDecisionsOf(orgId, ids), deleteTargets(place, "agent_playbook", ids)];
  await services.database(orgId).batch([...statements, ...decided]);
  services.defer(services.send(messages));
}

async function dropAgentRules(
  services: Services,
  place: Place,
  rows: readonly AgentPlaybook[],
): Promise<void> {
  const { orgId, erasure } = place;
  const nowMs = services.clock.nowMs();
  const ids = rows.map((row) => row.agentPlaybookId);
  const versions = [...new Set(rows.map((row) => row.agentVersion))];
  const cause = `${erasure.erasureId}:${ids[0]}`;
  const follow = await followUp(orgId, "agent_playbook", ids, versions, cause, nowMs);
  await services.database(orgId).batch([
    recordErased(
      place,
      "agent_playbook",
      await eventsOf(place, "agent_playbook", ids),
      nowSec(services.clock),
    ),
    ...deleteAgentRules(place, ids, versions, nowMs),
    recordAudit({
      principal: { orgId, id: erasure.principalId },
      action: "erase.agent_playbooks",
      entityType: "erasure",
      entityId: erasure.erasureId,
      requestId: erasure.erasureId,
      at: nowSec(services.clock),
      details: { agent_playbook_ids: ids },
    }),
    ...follow.statements,
  ]);
  services.defer(services.send(follow.messages));
}

/** @returns whether there is more; @throws GuardFailed where a rule that stays changed meanwhile */
export async function eraseAgentRules(services: Services, place: Place): Promise<boolean> {
  const db = services.database(place.orgId);
  const targets = await loadTargets(db, place, "agent_playbook", AGENT_PAGE);
  if (targets.length === 0) return false;
  const byId = new Map(targets.map((target) => [target.entityId, target]));
  const rows = await loadAgentPlaybooks(db, place.orgId, [...byId.keys()]);
  const staying = rows.filter((row) => mayStay(row, byId.get(row.agentPlaybookId)));
  const leaving = rows.filter((row) => !staying.includes(row));
  if (leaving.length > 0) await dropAgentRules(services, place, leaving);
  if (staying.length > 0) {
    await keepRules(
      services,
      place,
      staying.map((row) => row.agentPlaybookId),
    );
  }
  const kept = new Set(staying.map((row) => row.agentPlaybookId));
  const gone = targets.filter(({ entityId }) => !kept.has(entityId));
  await leaveIndex(services, place, "agent_playbook", gone);
  await db.run(
    deleteTargets(
      place,
      "agent_playbook",
      gone.map(({ entityId }) => entityId),
    ),
  );
  return true;
}

/** @returns whether there is more */
export async function eraseRules(services: Services, place: Place): Promise<boolean> {
  const db = services.database(place.orgId);
  const ids = await rulesOfUser(db, place);
  if (ids.length === 0) return false;
  const events = await eventsOf(place, "user_playbook", ids);
  await db.batch([
    recordErased(place, "user_playbook", events, nowSec(services.clock)),
    ...deleteRules(place, ids),
  ]);
  return true;
}

/** @returns whether there is more */
export async function eraseIndex(services: Services, place: Place): Promise<boolean> {
  const db = services.database(place.orgId);
  const targets = await loadTargets(db, place, "user_playbook", INDEX_PAGE);
  if (targets.length === 0) return false;
  await leaveIndex(services, place, "user_playbook", targets);
  await db.run(
    deleteTargets(
      place,
      "user_playbook",
      targets.map(({ entityId }) => entityId),
    ),
  );
  return true;
}
