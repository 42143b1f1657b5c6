/** SQL of what a revocation has still to touch, and of what it would touch if it began now. */
import * as z from "zod";
import type { Database } from "../db/client";
import { type Statement, sql } from "../db/sql";
import { approvalStatuses, lifecycleStatuses } from "../playbooks/model";
import { reached, tainted } from "./derived-store";
import type { Preview, RevocationTarget } from "./model";

/** From where derived rules are looked at. */
export interface Look {
  orgId: string;
  target: RevocationTarget;
  /** The revocation that looks; null before it began. */
  revocationId: string | null;
  /** Revocations of exactly this target that are in force. */
  inForce: readonly string[];
}

/** Rows that another row replaced are history and stay as they are. */
export const isLiving = (status: string): Statement => ({
  text: `(${status} IS NULL OR ${status} NOT IN ('merged', 'superseded'))`,
  params: [],
});

export const isFlagged = (flags: string): Statement => ({
  text: `EXISTS (SELECT 1 FROM json_each(${flags}) WHERE value = 'tainted')`,
  params: [],
});

/**
 * A rule is open to a revocation once: its lineage says so. To another revocation of the same target it is open
 * again only where a person has put it back into service, or taken its flag away, since.
 */
const isOpen = (
  { orgId, revocationId, inForce }: Look,
  rule: { type: "user_playbook" | "agent_playbook"; id: Statement; isInReview: Statement },
): Statement =>
  sql`NOT EXISTS (SELECT 1 FROM lineage l INDEXED BY lineage_by_entity WHERE l.org_id = ${orgId}
        AND l.entity_type = ${rule.type} AND l.entity_id = CAST(${rule.id} AS TEXT) AND (l.request_id = ${revocationId}
          OR (${rule.isInReview} AND l.request_id IN (SELECT value FROM json_each(${JSON.stringify(inForce)})))))`;

/** From clause of open user playbooks `p`; needs `tainted`. */
const openUserPlaybooks = (look: Look): Statement =>
  sql`tainted t CROSS JOIN user_playbooks p ON p.org_id = ${look.orgId} AND p.user_playbook_id = t.id
      WHERE ${isLiving("p.status")} AND ${isOpen(look, {
        type: "user_playbook",
        id: { text: "p.user_playbook_id", params: [] },
        isInReview: sql`p.status IS NOT NULL AND ${isFlagged("p.flags")}`,
      })}`;

/** From clause of open agent playbooks `a`; needs `reached`. */
const openAgentPlaybooks = (look: Look): Statement =>
  sql`reached r CROSS JOIN agent_playbooks a ON a.org_id = ${look.orgId} AND a.agent_playbook_id = r.id
      WHERE ${isLiving("a.status")} AND ${isOpen(look, {
        type: "agent_playbook",
        id: { text: "a.agent_playbook_id", params: [] },
        isInReview: sql`a.playbook_status <> 'approved' AND ${isFlagged("a.flags")}`,
      })}`;

const withUsers = ({ orgId, target }: Look): Statement => sql`WITH RECURSIVE ${tainted(orgId, target)}`;
const withBoth = ({ orgId, target }: Look): Statement =>
  sql`WITH RECURSIVE ${tainted(orgId, target)}, ${reached(orgId)}`;

/** Scalar condition: a revocation has touched all that is derived from its target. */
export const nothingOpen = (look: Look): Statement =>
  sql`NOT EXISTS (${withBoth(look)} SELECT 1 FROM ${openAgentPlaybooks(look)})
      AND NOT EXISTS (${withUsers(look)} SELECT 1 FROM ${openUserPlaybooks(look)})`;

const openRow = z.object({ id: z.int(), version: z.int(), is_served: z.int().transform(Boolean) });
export type OpenRow = z.output<typeof openRow>;

/** Open rules in the order in which they leave service, at most `limit` of each kind. */
export interface OpenRules {
  userPlaybooks: OpenRow[];
  agentPlaybooks: OpenRow[];
}

const selectOpenUsers = (look: Look, limit: number): Statement =>
  sql`${withUsers(look)} SELECT p.user_playbook_id AS id, p.updated_at_ms AS version, p.status IS NULL AS is_served
      FROM ${openUserPlaybooks(look)} ORDER BY is_served DESC, id LIMIT ${limit}`;

const selectOpenAgents = (look: Look, limit: number): Statement =>
  sql`${withBoth(look)} SELECT a.agent_playbook_id AS id, a.version, a.playbook_status = 'approved' AS is_served
      FROM ${openAgentPlaybooks(look)} ORDER BY is_served DESC, id LIMIT ${limit}`;

export async function loadOpen(db: Database, look: Look, limit: number): Promise<OpenRules> {
  const [users, agents] = await db.batch([selectOpenUsers(look, limit), selectOpenAgents(look, limit)]);
  return {
    userPlaybooks: z.array(openRow).parse(users?.rows ?? []),
    agentPlaybooks: z.array(openRow).parse(agents?.rows ?? []),
  };
}

/** Unfinished windows of the user that show a revoked turn. */
export const touchedWindows = (orgId: string, target: RevocationTarget): Statement => {
  const shows =
    target.kind === "user"
      ? sql`true`
      : sql`EXISTS (SELECT 1 FROM json_each(w.manifest) m
          WHERE m.value IN (SELECT value FROM json_each(${JSON.stringify(target.interactionIds)})))`;
  return sql`SELECT w.window_id FROM windows w INDEXED BY windows_by_user WHERE w.org_id = ${orgId}
      AND w.user_id = ${target.userId} AND w.state IN ('open', 'computed') AND ${shows}`;
};

/** Scalar: how many of the target's turns are there. */
export const countTurns = (orgId: string, { kind, userId, interactionIds }: RevocationTarget): Statement =>
  kind === "user"
    ? sql`SELECT count(*) FROM interactions WHERE org_id = ${orgId} AND user_id = ${userId}`
    : sql`SELECT count(*) FROM interactions WHERE org_id = ${orgId} AND user_id = ${userId}
        AND interaction_id IN (SELECT value FROM json_each(${JSON.stringify(interactionIds)}))`;

const count = z.int();
const countsRow = z.object({ turns: count, windows: count, user_playbooks: count, agent_playbooks: count });

const userRow = z.object({
  user_playbook_id: z.int(),
  trigger: z.string().nullable(),
  content: z.string(),
  status: z.enum(lifecycleStatuses).nullable(),
});

const agentRow = z.object({
  agent_playbook_id: z.int(),
  agent_version: z.string(),
  trigger: z.string().nullable(),
  content: z.string(),
  playbook_status: z.enum(approvalStatuses),
  remaining_sources: z.int(),
  remaining_users: z.int(),
});

/** What is known of a revocation before it begins; rows of one instant. */
export interface Survey extends Omit<Preview, "token" | "in_force" | "totals"> {
  totals: Preview["totals"];
  open: OpenRules;
}

/** Sources of agent playbook `a` that stay CURRENT and are not tainted; needs `tainted`. */
const remaining = (what: string, orgId: string): Statement =>
  sql`(SELECT ${{ text: what, params: [] }} FROM agent_playbook_sources s
      CROSS JOIN user_playbooks p ON p.org_id = s.org_id AND p.user_playbook_id = s.user_playbook_id
      WHERE s.org_id = ${orgId} AND s.agent_playbook_id = a.agent_playbook_id AND p.status IS NULL
        AND p.user_playbook_id NOT IN (SELECT id FROM tainted))`;

/**
 * Everything a preview tells, in one batch.
 * @param limits rows with their text, characters of each text, and rows that the token covers
 */
export async function survey(
  db: Database,
  look: Look,
  limits: { shown: number; characters: number; covered: number },
): Promise<Survey> {
  const { orgId, target } = look;
  const { shown, characters, covered } = limits;
  const [counts, openUsers, openAgents, users, agents] = await db.batch([
    sql`${withBoth(look)} SELECT (${countTurns(orgId, target)}) AS turns,
          (SELECT count(*) FROM (${touchedWindows(orgId, target)})) AS windows,
          (SELECT count(*) FROM ${openUserPlaybooks(look)}) AS user_playbooks,
          (SELECT count(*) FROM ${openAgentPlaybooks(look)}) AS agent_playbooks`,
    selectOpenUsers(look, covered),
    selectOpenAgents(look, covered),
    sql`${withUsers(look)} SELECT p.user_playbook_id, substr(p.trigger, 1, ${characters}) AS trigger,
          substr(p.content, 1, ${characters}) AS content, p.status
        FROM ${openUserPlaybooks(look)} ORDER BY p.status IS NOT NULL, p.user_playbook_id LIMIT ${shown}`,
    sql`${withBoth(look)} SELECT a.agent_playbook_id, a.agent_version, substr(a.trigger, 1, ${characters}) AS trigger,
          substr(a.content, 1, ${characters}) AS content, a.playbook_status,
          ${remaining("count(*)", orgId)} AS remaining_sources,
          ${remaining("count(DISTINCT p.user_id)", orgId)} AS remaining_users
        FROM ${openAgentPlaybooks(look)}
        ORDER BY a.playbook_status <> 'approved', a.agent_playbook_id LIMIT ${shown}`,
  ]);
  const { turns, windows, ...totals } = countsRow.parse(counts?.rows[0]);
  return {
    turns,
    windows,
    totals,
    user_playbooks: z.array(userRow).parse(users?.rows ?? []),
    agent_playbooks: z.array(agentRow).parse(agents?.rows ?? []),
    open: {
      userPlaybooks: z.array(openRow).parse(openUsers?.rows ?? []),
      agentPlaybooks: z.array(openRow).parse(openAgents?.rows ?? []),
    },
  };
}
