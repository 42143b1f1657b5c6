/** What follows when rules have left service: support, clusters, the index, and word to whoever reviews. */
import type { Database } from "../db/client";
import type { WorkMessage } from "../db/outbox";
import type { Statement } from "../db/sql";
import { gateThresholds } from "../orgs/config";
import { loadConfig } from "../orgs/config-store";
import { announcePending } from "../playbooks/announce-pending";
import { followUp } from "../playbooks/follow-up";
import { type GateThresholds, recountedFlags } from "../playbooks/gate";
import { loadGateSupport } from "../playbooks/gate-store";
import type { Services } from "../services";
import {
  loadSupported,
  type SupportChange,
  type SupportedRule,
  type TouchedPage,
  versionsOf,
  writeSupport,
} from "./bookkeeping-store";
import { supportAfter } from "./support";

/** Rules whose sources are read at once. */
const PARALLEL = 5;

interface FollowUp {
  statements: Statement[];
  messages: WorkMessage[];
}

/** The change of one rule's support; null where it stands as it was. */
async function changeOf(
  db: Database,
  orgId: string,
  { rule, sources, users, sourceIds }: SupportedRule,
  thresholds: GateThresholds,
): Promise<SupportChange | null> {
  const gate = await loadGateSupport(db, orgId, sourceIds, thresholds);
  const after = supportAfter(rule, { sources, users, flags: recountedFlags(rule, gate, thresholds) });
  const { agentPlaybookId, version } = rule;
  return after === null ? null : { agentPlaybookId, version, ...after };
}

async function changesOf(
  db: Database,
  orgId: string,
  rules: readonly SupportedRule[],
  thresholds: GateThresholds,
): Promise<SupportChange[]> {
  const changes: (SupportChange | null)[] = [];
  for (let first = 0; first < rules.length; first += PARALLEL) {
    const some = rules.slice(first, first + PARALLEL);
    changes.push(...(await Promise.all(some.map((rule) => changeOf(db, orgId, rule, thresholds)))));
  }
  return changes.filter((change) => change !== null);
}

/** Support of the page's agent playbooks as their sources stand now, and word of those that are pending again. */
async function ofSupport(
  services: Services,
  db: Database,
  orgId: string,
  page: TouchedPage,
  nowMs: number,
): Promise<FollowUp> {
  const rules = await loadSupported(db, orgId, page.agentPlaybookIds);
  const { config } = await loadConfig(db, orgId, services.clock);
  const changes = await changesOf(db, orgId, rules, gateThresholds(config));
  const flagsAfter = new Map(changes.map(({ agentPlaybookId, flags }) => [agentPlaybookId, flags]));
  const reopened = rules
    .map(({ rule }) => ({ ...rule, flags: [...(flagsAfter.get(rule.agentPlaybookId) ?? rule.flags)] }))
    .filter((rule) => rule.playbookStatus === "pending" && page.reopenedIds.includes(rule.agentPlaybookId));
  const told = await announcePending(reopened, reopened[0]?.version ?? 0, nowMs);
  return {
    statements: [...writeSupport(orgId, changes, nowMs), ...(told?.statements ?? [])],
    messages: told === null ? [] : [told.message],
  };
}

/**
 * What follows for one page of touched rules.
 * @param cause what makes this page itself, so that its work is enqueued once
 */
export async function followers(
  services: Services,
  orgId: string,
  cause: string,
  page: TouchedPage,
): Promise<FollowUp> {
  const db = services.database(orgId);
  const nowMs = services.clock.nowMs();
  const versions = await versionsOf(db, orgId, page.userPlaybookIds);
  const all = [
    await ofSupport(services, db, orgId, page, nowMs),
    await followUp(orgId, "user_playbook", page.userPlaybookIds, versions, cause, nowMs),
    await followUp(orgId, "agent_playbook", page.agentPlaybookIds, [], cause, nowMs),
  ];
  return {
    statements: all.flatMap(({ statements }) => statements),
    messages: all.flatMap(({ messages }) => messages),
  };
}
