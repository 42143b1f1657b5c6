/** Why an agent playbook exists: its sources, the very turns that prove each, and what happened to it. */
import * as z from "zod";
import type { Database } from "../db/client";
import { loadAgentPlaybooks, loadSources } from "./agent-store";
import { markFinder } from "./evidence-marks";
import { type CitedTurn, loadCitedTurns, loadHistory } from "./evidence-store";
import {
  type AgentPlaybook,
  agentPlaybookViewSchema,
  approvalStatuses,
  flags,
  lifecycleStatuses,
  type PlaybookSource,
  type UserPlaybook,
  viewOfAgentPlaybook,
} from "./model";
import { loadUserPlaybooks } from "./user-store";

/** Sources shown, and turns and characters of each. */
const MAX_SOURCES = 100;
const MAX_TURNS_PER_SOURCE = 20;
const MAX_TURN_CHARS = 4_000;
const MAX_EVENTS = 100;

const turnSchema = z.object({
  interaction_id: z.int(),
  request_id: z.string(),
  created_at: z.int(),
  role: z.string(),
  /** At most 4,000 characters. */
  content: z.string(),
  /** Where the source's verbatim evidence stands in `content`: ranges [start, end) in UTF-16 units, in order. */
  marks: z.array(z.tuple([z.int(), z.int()])),
});

const sourceSchema = z.object({
  user_playbook_id: z.int(),
  /** `deleted` where the row is gone; its turns are then not shown. */
  state: z.enum(["current", "pending", "archived", "archive_in_progress", "merged", "superseded", "deleted"]),
  /** `user 1`, `user 2`, … in order of appearance: counted, not named. */
  user: z.string().nullable(),
  /** Only for reviewers. */
  user_id: z.string().nullable(),
  trigger: z.string().nullable(),
  content: z.string().nullable(),
  source_span: z.string().nullable(),
  flags: z.array(z.enum(flags)),
  turns: z.array(turnSchema),
  /** Cited turns that are not shown: deleted, or beyond the first 20. */
  turns_left_out: z.int(),
});

/** The approved rule that approving this one supersedes, as it is now. */
const replacedSchema = z.object({
  agent_playbook_id: z.int(),
  trigger: z.string().nullable(),
  content: z.string(),
  rationale: z.string().nullable(),
  version: z.int(),
  playbook_status: z.enum(approvalStatuses),
  status: z.enum(lifecycleStatuses).nullable(),
});

export const evidenceSchema = z.object({
  agent_playbook: agentPlaybookViewSchema.extend({
    version: z.int(),
    flags: z.array(z.enum(flags)),
    decided_by: z.string().nullable(),
    decided_at: z.int().nullable(),
    superseded_by: z.int().nullable(),
  }),
  /** Null where it was made to stand beside the others, or what it replaces is deleted. */
  replaces: replacedSchema.nullable(),
  /** Distinct users behind the sources that are still there. */
  user_count: z.int(),
  source_count: z.int(),
  sources: z.array(sourceSchema),
  sources_left_out: z.int(),
  /** Newest first. */
  history: z.array(
    z.object({
      op: z.string(),
      actor: z.string(),
      reason: z.string().nullable(),
      created_at: z.int(),
      from_status: z.string().nullable(),
      to_status: z.string().nullable(),
    }),
  ),
});
export type Evidence = z.output<typeof evidenceSchema>;

/**
 * The evidence of one agent playbook, or null where there is none of that id.
 * @param mayNameUsers whether the reader holds the scope `review`; others see users counted
 */
export async function evidenceOf(
  db: Database,
  orgId: string,
  agentPlaybookId: number,
  mayNameUsers: boolean,
): Promise<Evidence | null> {
  const [row] = await loadAgentPlaybooks(db, orgId, [agentPlaybookId]);
  if (row === undefined) return null;
  const [allSources, history, [replaced]] = await Promise.all([
    loadSources(db, orgId, [agentPlaybookId]),
    loadHistory(db, orgId, agentPlaybookId, MAX_EVENTS),
    loadAgentPlaybooks(db, orgId, row.replaces === null ? [] : [row.replaces]),
  ]);
  const allRules = await loadUserPlaybooks(
    db,
    orgId,
    allSources.map((source) => source.userPlaybookId),
  );
  const rules = new Map(allRules.map((rule) => [rule.userPlaybookId, rule]));
  const sources = allSources.slice(0, MAX_SOURCES);
  const turns = await turnsOf(db, orgId, sources, rules);
  const marksIn = markFinder();
  const users = [...new Set(allRules.flatMap((rule) => rule.userId ?? []))];
  return {
    agent_playbook: {
      ...viewOfAgentPlaybook(row),
      version: row.version,
      flags: row.flags,
      decided_by: row.decidedBy,
      decided_at: row.decidedAt,
      superseded_by: row.supersededBy ?? row.mergedInto,
    },
    replaces: replaced === undefined ? null : replacedView(replaced),
    user_count: users.length,
    source_count: allSources.length,
    sources: sources.map((source) => sourceView(source, rules, turns, users, mayNameUsers, marksIn)),
    sources_left_out: allSources.length - sources.length,
    history: history.map(({ request_id: _, ...event }) => event),
  };
}

const replacedView = (row: AgentPlaybook): z.output<typeof replacedSchema> => ({
  agent_playbook_id: row.agentPlaybookId,
  trigger: row.trigger,
  content: row.content,
  rationale: row.rationale,
  version: row.version,
  playbook_status: row.playbookStatus,
  status: row.status,
});

const keyOf = (userId: string, interactionId: number): string => JSON.stringify([userId, interactionId]);

const citedOf = (source: PlaybookSource): number[] =>
  source.sourceInteractionIds.slice(0, MAX_TURNS_PER_SOURCE);

async function turnsOf(
  db: Database,
  orgId: string,
  sources: readonly PlaybookSource[],
  rules: ReadonlyMap<number, UserPlaybook>,
): Promise<Map<string, CitedTurn>> {
  // The owner of the rule bounds what it can show: a citation of another user's turn finds nothing.
  const wanted = sources.flatMap((source) => {
    const userId = rules.get(source.userPlaybookId)?.userId;
    return typeof userId === "string" ? citedOf(source).map((id) => [userId, id] as const) : [];
  });
  const turns = await loadCitedTurns(db, orgId, wanted, MAX_TURN_CHARS);
  return new Map(turns.map((turn) => [keyOf(turn.userId, turn.interactionId), turn]));
}

function sourceView(
  source: PlaybookSource,
  rules: ReadonlyMap<number, UserPlaybook>,
  turns: ReadonlyMap<string, CitedTurn>,
  users: readonly string[],
  mayNameUsers: boolean,
  marksIn: ReturnType<typeof markFinder>,
): Evidence["sources"][number] {
  const rule = rules.get(source.userPlaybookId);
  const userId = rule?.userId ?? null;
  const shown = citedOf(source).flatMap((id) =>
    userId === null ? [] : (turns.get(keyOf(userId, id)) ?? []),
  );
  return {
    user_playbook_id: source.userPlaybookId,
    state: rule === undefined ? "deleted" : (rule.status ?? "current"),
    user: userId === null ? null : `user ${users.indexOf(userId) + 1}`,
    user_id: mayNameUsers ? userId : null,
    trigger: rule?.trigger ?? null,
    content: rule?.content ?? null,
    source_span: rule?.sourceSpan ?? null,
    flags: rule?.flags ?? [],
    turns: shown.map((turn) => ({
      interaction_id: turn.interactionId,
      request_id: turn.requestId,
      created_at: turn.createdAt,
      role: turn.role,
      content: turn.content,
      marks: marksIn(turn.content, rule?.sourceSpan ?? null),
    })),
    turns_left_out: source.sourceInteractionIds.length - shown.length,
  };
}
