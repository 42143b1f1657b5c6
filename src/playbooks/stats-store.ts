/** SQL of what there is of rules, and how often they were applied lately. */
import * as z from "zod";
import type { Database } from "../db/client";
import { isBeingErased } from "../db/erasure-mark";
import { firstIdSince } from "../db/first-since";
import { type Statement, sql } from "../db/sql";
import { turnsByDay } from "../interactions/activity-store";
import { outcomesByDay } from "../interactions/session-outcomes-store";

/** Rules of one answer; those applied most. */
const MAX_STATS = 1_000;
/** Applications that are counted: the newest. */
const MAX_APPLICATIONS = 50_000;
const TITLE_CHARS = 200;

/** Rules of users learned on each UTC day from `fromDay` on, whatever became of them since. */
const rulesByDay = (orgId: string, fromDay: number): Statement => {
  const sinceSec = fromDay * 86_400;
  return sql`SELECT created_at / 86400 AS day, count(*) AS count FROM user_playbooks
      WHERE org_id = ${orgId} AND user_playbook_id >= ${firstIdSince("user_playbooks", orgId, sinceSec)}
        AND created_at >= ${sinceSec} GROUP BY day`;
};

const countRow = z.object({ day: z.int(), count: z.int() });
const outcomeRow = z.object({ day: z.int(), successes: z.int(), failures: z.int() });

/** What happened on each UTC day; a day on which nothing did is left out. */
export interface DailyCounts {
  turns: z.output<typeof countRow>[];
  rules: z.output<typeof countRow>[];
  outcomes: z.output<typeof outcomeRow>[];
}

/** @param fromDay days since the epoch */
export async function loadDailyCounts(db: Database, orgId: string, fromDay: number): Promise<DailyCounts> {
  const [turns, rules, outcomes] = await db.batch([
    turnsByDay(orgId, fromDay),
    rulesByDay(orgId, fromDay),
    outcomesByDay(orgId, fromDay),
  ]);
  return {
    turns: z.array(countRow).parse(turns?.rows ?? []),
    rules: z.array(countRow).parse(rules?.rows ?? []),
    outcomes: z.array(outcomeRow).parse(outcomes?.rows ?? []),
  };
}

/** Rules of a user in every state; none while the user is being erased. */
export async function countRulesOf(db: Database, orgId: string, userId: string): Promise<number> {
  const row = await db.first(
    z.object({ found: z.int() }),
    sql`SELECT count(*) AS found FROM user_playbooks WHERE org_id = ${orgId} AND user_id = ${userId}
        AND NOT ${isBeingErased(orgId, userId)}`,
  );
  return row?.found ?? 0;
}

const statRow = z
  .object({
    kind: z.enum(["user_playbook", "agent_playbook"]),
    entity_id: z.int(),
    title: z.string().nullable(),
    applied: z.int(),
    last_applied_at: z.int(),
    last_interaction_id: z.int(),
  })
  .transform((row) => ({
    kind: row.kind,
    entityId: row.entity_id,
    /** Null where the rule is gone. */
    title: row.title,
    applied: row.applied,
    /** Seconds. */
    lastAppliedAt: row.last_applied_at,
    lastInteractionId: row.last_interaction_id,
  }));
export type ApplicationStat = z.output<typeof statRow>;

/** What a rule is called: its trigger, else what it says. */
const title: Statement = sql`substr(coalesce(nullif(trim(p.trigger), ''), p.content), 1, ${TITLE_CHARS})`;

/** Rules by how many turns cited them since, those cited most first. */
export const loadApplicationStats = (
  db: Database,
  orgId: string,
  sinceSec: number,
): Promise<ApplicationStat[]> =>
  db.all(
    statRow,
    sql`SELECT counted.kind, counted.entity_id, applied, last_applied_at, last_interaction_id,
          iif(counted.kind = 'agent_playbook',
            (SELECT ${title} FROM agent_playbooks p WHERE p.org_id = ${orgId} AND p.agent_playbook_id = counted.entity_id),
            (SELECT ${title} FROM user_playbooks p WHERE p.org_id = ${orgId} AND p.user_playbook_id = counted.entity_id
              AND NOT ${isBeingErased(orgId, { text: "p.user_id", params: [] })})) AS title
        FROM (SELECT kind, entity_id, count(*) AS applied, max(created_at) AS last_applied_at,
            max(interaction_id) AS last_interaction_id
          FROM (SELECT kind, entity_id, created_at, interaction_id
            FROM rule_applications INDEXED BY rule_applications_by_turn
            WHERE org_id = ${orgId} AND interaction_id >= ${firstIdSince("requests", orgId, sinceSec)}
            ORDER BY interaction_id DESC LIMIT ${MAX_APPLICATIONS})
          WHERE created_at >= ${sinceSec} GROUP BY kind, entity_id
          ORDER BY applied DESC, last_interaction_id DESC, kind, entity_id LIMIT ${MAX_STATS}) counted
        ORDER BY applied DESC, last_interaction_id DESC, counted.kind, counted.entity_id`,
  );
