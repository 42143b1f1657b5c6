/** SQL of version changes: where one stands, the rules of its next page, and moving them. */
import * as z from "zod";
import type { Database } from "../db/client";
import { and, guard, inList, type Statement, sql } from "../db/sql";
import { jsonPages } from "./bulk";
import type { LifecycleStatus } from "./model";
import { type Move, type VersionKind, versionKinds } from "./version-model";

/** Which rules a change is about; null takes all. */
export interface VersionFilter {
  agentVersion: string | null;
  playbookName: string | null;
}

export interface VersionChange extends VersionFilter {
  orgId: string;
  changeId: string;
  kind: VersionKind;
  archiveCurrent: boolean;
  /** Rules made later are not of it. */
  lastId: number;
  isRunning: boolean;
  phase: number;
  afterId: number;
  /** Batches so far; each batch finds the number of the one before it. */
  batches: number;
  /** Rules moved, by phase. */
  counts: number[];
  principalId: string;
  requestId: string;
}

const changeRow = z
  .object({
    org_id: z.string(),
    change_id: z.string(),
    kind: z.enum(versionKinds),
    agent_version: z.string().nullable(),
    playbook_name: z.string().nullable(),
    archive_current: z.int(),
    last_id: z.int(),
    state: z.enum(["running", "done"]),
    phase: z.int(),
    after_id: z.int(),
    batches: z.int(),
    counts: z.string().transform((text) => z.array(z.int()).parse(JSON.parse(text))),
    principal_id: z.string(),
    request_id: z.string(),
  })
  .transform(
    (row): VersionChange => ({
      orgId: row.org_id,
      changeId: row.change_id,
      kind: row.kind,
      agentVersion: row.agent_version,
      playbookName: row.playbook_name,
      archiveCurrent: row.archive_current === 1,
      lastId: row.last_id,
      isRunning: row.state === "running",
      phase: row.phase,
      afterId: row.after_id,
      batches: row.batches,
      counts: row.counts,
      principalId: row.principal_id,
      requestId: row.request_id,
    }),
  );

/** The org's latest change, running or done. */
export const findVersionChange = (db: Database, orgId: string): Promise<VersionChange | null> =>
  db.first(
    changeRow,
    sql`SELECT org_id, change_id, kind, agent_version, playbook_name, archive_current, last_id, state, phase,
          after_id, batches, counts, principal_id, request_id
        FROM version_changes WHERE org_id = ${orgId}`,
  );

/** Rules that rest on something revoked wait for a reviewer: no version change takes them anywhere. */
const notTainted: Statement = {
  text: "NOT EXISTS (SELECT 1 FROM json_each(p.flags) WHERE value = 'tainted')",
  params: [],
};

const rulesOf = (
  orgId: string,
  { agentVersion, playbookName }: VersionFilter,
  from: LifecycleStatus | null,
): Statement => {
  const clauses = [
    ...(agentVersion === null ? [] : [sql`p.agent_version = ${agentVersion}`]),
    ...(playbookName === null ? [] : [sql`p.playbook_name = ${playbookName}`]),
  ];
  return sql`user_playbooks p WHERE p.org_id = ${orgId} AND p.status IS ${from} AND ${notTainted}${and(clauses)}`;
};

/** Scalar: there is such a rule. */
const hasRules = (orgId: string, filter: VersionFilter, from: LifecycleStatus | null): Statement =>
  sql`EXISTS (SELECT 1 FROM ${rulesOf(orgId, filter, from)})`;

/** A rerun that is still writing PENDING rules of these versions. */
const rerunWrites = (orgId: string, { agentVersion }: VersionFilter): Statement =>
  sql`EXISTS (SELECT 1 FROM generation_operations WHERE org_id = ${orgId} AND status = 'in_progress'
      AND mode = 'rerun'${and(agentVersion === null ? [] : [sql`agent_version = ${agentVersion}`])})`;

const isRunning = (orgId: string): Statement =>
  sql`EXISTS (SELECT 1 FROM version_changes WHERE org_id = ${orgId} AND state = 'running')`;

export interface Obstacles {
  isRunning: boolean;
  rerunWrites: boolean;
  hasRules: boolean;
}

/** Why a change cannot begin now. @param from the state whose rules it needs */
export async function readObstacles(
  db: Database,
  orgId: string,
  filter: VersionFilter,
  from: LifecycleStatus,
): Promise<Obstacles> {
  const flag = z.int().transform((value) => value === 1);
  const row = await db.first(
    z.object({ running: flag, rerun: flag, rules: flag }),
    sql`SELECT ${isRunning(orgId)} AS running, ${rerunWrites(orgId, filter)} AS rerun,
          ${hasRules(orgId, filter, from)} AS rules`,
  );
  return {
    isRunning: row?.running ?? false,
    rerunWrites: row?.rerun ?? false,
    hasRules: row?.rules ?? false,
  };
}

/** Begins a change. Guards `operation`: nothing else is under way; `members`: there is something to move. */
export const beginVersionChange = (
  change: Pick<
    VersionChange,
    | "orgId"
    | "changeId"
    | "kind"
    | "agentVersion"
    | "playbookName"
    | "archiveCurrent"
    | "principalId"
    | "requestId"
  >,
  from: LifecycleStatus,
  startedAt: number,
): Statement[] => [
  guard("operation", sql`NOT (${isRunning(change.orgId)} OR ${rerunWrites(change.orgId, change)})`),
  guard("members", hasRules(change.orgId, change, from)),
  sql`INSERT INTO version_changes (org_id, change_id, kind, agent_version, playbook_name, archive_current, last_id,
        state, phase, after_id, batches, counts, principal_id, request_id, started_at)
      SELECT ${change.orgId}, ${change.changeId}, ${change.kind}, ${change.agentVersion}, ${change.playbookName},
        ${Number(change.archiveCurrent)}, coalesce(max(user_playbook_id), 0), 'running', 0, 0, 0, '[]',
        ${change.principalId}, ${change.requestId}, ${startedAt}
      FROM user_playbooks WHERE org_id = ${change.orgId}
      ON CONFLICT (org_id) DO UPDATE SET change_id = excluded.change_id, kind = excluded.kind,
        agent_version = excluded.agent_version, playbook_name = excluded.playbook_name,
        archive_current = excluded.archive_current, last_id = excluded.last_id, state = 'running', phase = 0,
        after_id = 0, batches = 0, counts = '[]', principal_id = excluded.principal_id,
        request_id = excluded.request_id, started_at = excluded.started_at`,
];

/** A rule as a page found it. */
export interface MovingRule {
  userPlaybookId: number;
  userId: string | null;
  agentVersion: string;
  /** Another one means that somebody was faster. */
  updatedAtMs: number;
  isTagged: boolean;
}

const movingRow = z
  .object({
    user_playbook_id: z.int(),
    user_id: z.string().nullable(),
    agent_version: z.string(),
    updated_at_ms: z.int(),
    is_tagged: z.int(),
  })
  .transform(
    (row): MovingRule => ({
      userPlaybookId: row.user_playbook_id,
      userId: row.user_id,
      agentVersion: row.agent_version,
      updatedAtMs: row.updated_at_ms,
      isTagged: row.is_tagged === 1,
    }),
  );

/** The next rules of a state, in order of id. */
export const pageOfRules = (
  db: Database,
  orgId: string,
  filter: VersionFilter,
  page: { from: LifecycleStatus | null; afterId: number; lastId: number; limit: number },
): Promise<MovingRule[]> =>
  db.all(
    movingRow,
    sql`SELECT p.user_playbook_id, p.user_id, p.agent_version, p.updated_at_ms, p.tags IS NOT NULL AS is_tagged
        FROM ${rulesOf(orgId, filter, page.from)} AND p.user_playbook_id > ${page.afterId}
          AND p.user_playbook_id <= ${page.lastId}
        ORDER BY p.user_playbook_id LIMIT ${page.limit}`,
  );

/** Moves rules that still are as their page found them. Guard `version`. */
export function moveRules(
  orgId: string,
  rules: readonly MovingRule[],
  { from, to }: Move,
  nowMs: number,
): Statement[] {
  const seen = JSON.stringify(rules.map(({ userPlaybookId, updatedAtMs }) => [userPlaybookId, updatedAtMs]));
  const named = inList(
    "user_playbook_id",
    rules.map(({ userPlaybookId }) => userPlaybookId),
  );
  return [
    guard(
      "version",
      sql`SELECT count(*) = ${rules.length} FROM json_each(${seen}) s CROSS JOIN user_playbooks p
          ON p.org_id = ${orgId} AND p.user_playbook_id = s.value->>0
          WHERE p.updated_at_ms = s.value->>1 AND p.status IS ${from} AND ${notTainted}`,
    ),
    ...(to === "deleted"
      ? [
          sql`DELETE FROM user_playbooks WHERE org_id = ${orgId} AND ${named}`,
          sql`DELETE FROM vectors WHERE org_id = ${orgId} AND kind = 'user_playbook' AND entity_id IN (
                SELECT value->>0 FROM json_each(${seen}))`,
        ]
      : [
          sql`UPDATE user_playbooks SET status = ${to}, updated_at_ms = max(${nowMs}, updated_at_ms + 1)
              WHERE org_id = ${orgId} AND ${named}`,
        ]),
  ];
}

/** One line of lineage for each moved rule. */
export const moveLineage = (
  orgId: string,
  events: readonly { eventId: string; entityId: number }[],
  { from, to }: Move,
  by: { principalId: string; requestId: string; atSec: number },
): Statement[] =>
  jsonPages(events.map(({ eventId, entityId }) => [eventId, String(entityId)])).map((page) =>
    to === "deleted"
      ? sql`INSERT INTO lineage (org_id, event_id, entity_type, entity_id, op, source_ids, actor, request_id,
              created_at)
            SELECT ${orgId}, value->>0, 'user_playbook', value->>1, 'hard_delete', '[]', ${by.principalId},
              ${by.requestId}, ${by.atSec} FROM json_each(${page}) WHERE true
            ON CONFLICT (org_id, event_id) DO NOTHING`
      : sql`INSERT INTO lineage (org_id, event_id, entity_type, entity_id, op, source_ids, actor, request_id,
              created_at, from_status, to_status, status_namespace)
            SELECT ${orgId}, value->>0, 'user_playbook', value->>1, 'status_change', '[]', ${by.principalId},
              ${by.requestId}, ${by.atSec}, ${from}, ${to}, 'lifecycle' FROM json_each(${page}) WHERE true
            ON CONFLICT (org_id, event_id) DO NOTHING`,
  );

/** Moves a change on by one batch. Guard `operation`: nobody else did meanwhile. */
export const advanceVersionChange = (
  { orgId, changeId, batches }: VersionChange,
  next: Pick<VersionChange, "isRunning" | "phase" | "afterId" | "counts">,
): Statement[] => [
  sql`UPDATE version_changes SET state = ${next.isRunning ? "running" : "done"}, phase = ${next.phase},
        after_id = ${next.afterId}, batches = batches + 1, counts = ${JSON.stringify(next.counts)}
      WHERE org_id = ${orgId} AND change_id = ${changeId} AND state = 'running' AND batches = ${batches}`,
  guard("operation", sql`changes() = 1`),
];
