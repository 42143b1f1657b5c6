/** SQL of the change log: the events of aggregation about one version's rules, with the rules as they are stored. */
import * as z from "zod";
import type { Database } from "../db/client";
import { sql } from "../db/sql";

/** Newest events that are read. */
const MAX_EVENTS = 1_000;
/** Characters of rules that one answer holds, as lists of rules do. */
const MAX_CHARACTERS = 8_000_000;

const eventRow = z
  .object({
    run_id: z.string(),
    op: z.enum(["aggregate", "status_change"]),
    reason: z.string().nullable(),
    created_at: z.int(),
    agent_playbook_id: z.int(),
    playbook_name: z.string(),
    agent_version: z.string(),
    content: z.string(),
    trigger: z.string().nullable(),
    rationale: z.string().nullable(),
    playbook_status: z.string(),
    playbook_metadata: z.string(),
    running: z.int(),
  })
  .transform(({ run_id, op, reason, created_at, running, ...rule }) => ({
    runId: run_id,
    change: op === "aggregate" ? ("added" as const) : ("removed" as const),
    reason,
    createdAt: created_at,
    rule,
    fits: running <= MAX_CHARACTERS,
  }));
export type ChangeEvent = z.output<typeof eventRow>;

/**
 * Newest first. A rule that was deleted for good since has left no text, and so no event here.
 * @returns what fits into one answer, and whether older events were left out
 */
export async function loadChangeEvents(
  db: Database,
  orgId: string,
  { agentVersion, playbookName }: { agentVersion: string; playbookName: string },
): Promise<{ events: ChangeEvent[]; isCut: boolean }> {
  const events = await db.all(
    eventRow,
    sql`SELECT *, sum(length(content) + length(coalesce(trigger, '')) + length(coalesce(rationale, ''))
          + length(playbook_metadata)) OVER (ORDER BY event DESC) AS running
        FROM (SELECT l.row AS event, l.request_id AS run_id, l.op, l.reason, l.created_at, a.agent_playbook_id,
            a.playbook_name, a.agent_version, a.content, a.trigger, a.rationale, a.playbook_status,
            a.playbook_metadata
          FROM agent_playbooks a
          JOIN lineage l INDEXED BY lineage_by_entity ON l.org_id = a.org_id AND l.entity_type = 'agent_playbook'
            AND l.entity_id = CAST(a.agent_playbook_id AS TEXT) AND l.actor = 'aggregation'
            AND (l.op = 'aggregate' OR (l.op = 'status_change' AND l.to_status = 'superseded'))
          WHERE a.org_id = ${orgId} AND a.agent_version = ${agentVersion} AND a.playbook_name = ${playbookName}
          ORDER BY l.row DESC LIMIT ${MAX_EVENTS + 1})
        ORDER BY event DESC`,
  );
  const fitting = events.filter(({ fits }) => fits).slice(0, MAX_EVENTS);
  return { events: fitting, isCut: fitting.length < events.length };
}
