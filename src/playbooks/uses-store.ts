/** SQL of what became of a rule: the turns that cite it, and what was said of it afterwards. */
import * as z from "zod";
import type { Database } from "../db/client";
import { isBeingErased } from "../db/erasure-mark";
import { type Statement, sql } from "../db/sql";
import type { RuleKind } from "./vector-store";

export const verdicts = ["helpful", "harmful"] as const;
export type Verdict = (typeof verdicts)[number];

const ruleExists: Record<RuleKind, (orgId: string, entityId: number) => Statement> = {
  user_playbook: (orgId, entityId) =>
    sql`EXISTS (SELECT 1 FROM user_playbooks WHERE org_id = ${orgId} AND user_playbook_id = ${entityId})`,
  agent_playbook: (orgId, entityId) =>
    sql`EXISTS (SELECT 1 FROM agent_playbooks WHERE org_id = ${orgId} AND agent_playbook_id = ${entityId})`,
};

/** A turn lies in the first request that ends at or behind it, so two seeks find it. */
const turnExists = (orgId: string, interactionId: number): Statement =>
  sql`EXISTS (SELECT 1 FROM interactions WHERE org_id = ${orgId} AND interaction_id = ${interactionId}
      AND user_id = (SELECT user_id FROM requests WHERE org_id = ${orgId} AND max_seq >= ${interactionId}
        ORDER BY max_seq LIMIT 1))`;

interface Subject {
  kind: RuleKind;
  entityId: number;
  /** Null is no turn in particular. */
  interactionId: number | null;
}

const turnOf = (orgId: string, { interactionId }: Subject): Statement =>
  interactionId === null ? sql`1` : turnExists(orgId, interactionId);

const subjectsExist = (subject: Subject & { orgId: string }): Statement =>
  sql`${ruleExists[subject.kind](subject.orgId, subject.entityId)} AND ${turnOf(subject.orgId, subject)}`;

/** Whether the org has the rule and the turn that a verdict names; no turn is always there. */
export async function findSubjects(
  db: Database,
  orgId: string,
  subject: Subject,
): Promise<{ hasRule: boolean; hasTurn: boolean }> {
  const row = await db.first(
    z.object({ has_rule: z.int(), has_turn: z.int() }),
    sql`SELECT ${ruleExists[subject.kind](orgId, subject.entityId)} AS has_rule,
          ${turnOf(orgId, subject)} AS has_turn`,
  );
  return { hasRule: row?.has_rule === 1, hasTurn: row?.has_turn === 1 };
}

export interface NewFeedback extends Subject {
  orgId: string;
  /** Derived from who spoke and of which turn. */
  feedbackId: string;
  verdict: Verdict;
  principalId: string;
  /** Seconds. */
  createdAt: number;
}

/** Writes a verdict, or replaces the one of the same principal, rule and turn; nothing where either is gone. */
export const writeFeedback = (feedback: NewFeedback): Statement =>
  sql`INSERT INTO rule_feedback (org_id, kind, entity_id, feedback_id, verdict, interaction_id, principal_id, created_at)
      SELECT ${feedback.orgId}, ${feedback.kind}, ${feedback.entityId}, ${feedback.feedbackId}, ${feedback.verdict},
        ${feedback.interactionId}, ${feedback.principalId}, ${feedback.createdAt}
      WHERE ${subjectsExist(feedback)}
      ON CONFLICT (org_id, kind, entity_id, feedback_id) DO UPDATE SET verdict = excluded.verdict,
        interaction_id = excluded.interaction_id, created_at = excluded.created_at`;

const usesRow = z
  .object({
    entity_id: z.int(),
    applied: z.int(),
    sessions: z.int(),
    users: z.int(),
    last_applied_at: z.int().nullable(),
    helpful: z.int(),
    harmful: z.int(),
  })
  .transform((row) => ({
    entityId: row.entity_id,
    applied: row.applied,
    sessions: row.sessions,
    users: row.users,
    lastAppliedAt: row.last_applied_at,
    helpful: row.helpful,
    harmful: row.harmful,
  }));
export type UsesRow = z.output<typeof usesRow>;

/** One row per given id, whether there is such a rule or not. */
export const countUses = (
  db: Database,
  orgId: string,
  kind: RuleKind,
  entityIds: readonly number[],
): Promise<UsesRow[]> => {
  const said = (verdict: Verdict): Statement =>
    sql`(SELECT count(*) FROM rule_feedback f WHERE f.org_id = ${orgId} AND f.kind = ${kind}
        AND f.entity_id = wanted.value AND f.verdict = ${verdict})`;
  return db.all(
    usesRow,
    sql`SELECT wanted.value AS entity_id, count(a.interaction_id) AS applied, count(DISTINCT iif(a.session_id IS NULL, NULL, json_array(a.user_id, a.session_id))) AS sessions,
          count(DISTINCT a.user_id) AS users, max(a.created_at) AS last_applied_at,
          ${said("helpful")} AS helpful, ${said("harmful")} AS harmful
        FROM json_each(${JSON.stringify([...new Set(entityIds)])}) wanted LEFT JOIN rule_applications a
          ON a.org_id = ${orgId} AND a.kind = ${kind} AND a.entity_id = wanted.value
        GROUP BY wanted.value ORDER BY wanted.value`,
  );
};

const applicationRow = z
  .object({ interaction_id: z.int(), user_id: z.string(), session_id: z.string(), created_at: z.int() })
  .transform((row) => ({
    interactionId: row.interaction_id,
    userId: row.user_id,
    sessionId: row.session_id,
    /** Seconds. */
    createdAt: row.created_at,
  }));
export type Application = z.output<typeof applicationRow>;

/** The newest turns that cite a rule, newest first. */
export const newestApplications = (
  db: Database,
  orgId: string,
  kind: RuleKind,
  entityId: number,
  limit: number,
): Promise<Application[]> =>
  db.all(
    applicationRow,
    sql`SELECT interaction_id, user_id, session_id, created_at FROM rule_applications
        WHERE org_id = ${orgId} AND kind = ${kind} AND entity_id = ${entityId}
          AND NOT ${isBeingErased(orgId, { text: "rule_applications.user_id", params: [] })}
        ORDER BY interaction_id DESC LIMIT ${limit}`,
  );
