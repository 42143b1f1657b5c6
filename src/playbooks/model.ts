/** Rules as the rest of the code knows them: the user's own and those of an agent version. */
import * as z from "zod";

/** Lifecycle of a row; null, which is not in this list, is CURRENT. */
export const lifecycleStatuses = [
  "pending",
  "archived",
  "archive_in_progress",
  "merged",
  "superseded",
] as const;
export type LifecycleStatus = (typeof lifecycleStatuses)[number];

/** Rows that another row replaced; reads without a filter leave them out. */
export const tombstoneStatuses = ["merged", "superseded"] as const;
export type TombstoneStatus = (typeof tombstoneStatuses)[number];

/** Where an agent playbook stands in review. */
export const approvalStatuses = ["pending", "approved", "rejected"] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** What `flagsOf` finds in a text. */
export const textFlags = [
  "instruction_like",
  "secret",
  "personal_detail",
  "link",
  "redirects",
  "delayed_trigger",
  "invisible_characters",
  "look_alike",
] as const;
export type TextFlag = (typeof textFlags)[number];

/** What a pipeline knows of a rule beyond its text. */
export const supportFlags = [
  "few_distinct_users",
  "thin_support",
  "contradicts_approved",
  "tainted",
  "harmful",
] as const;
export const flags = [...textFlags, ...supportFlags] as const;
export type Flag = (typeof flags)[number];

/** The three texts of a rule. */
export interface RuleText {
  trigger: string | null;
  content: string;
  rationale: string | null;
}

export interface UserPlaybook extends RuleText {
  orgId: string;
  userPlaybookId: number;
  /** Null only in rows that were added without an owner. */
  userId: string | null;
  agentVersion: string;
  /** The publish, run or call that made it. */
  requestId: string;
  playbookName: string;
  /** Seconds. */
  createdAt: number;
  /** Milliseconds; grows with every change of the row. */
  updatedAtMs: number;
  /** Null is CURRENT. */
  status: LifecycleStatus | null;
  source: string | null;
  sourceInteractionIds: number[];
  /** Verbatim evidence. */
  sourceSpan: string | null;
  /** Null: never tagged. Empty: tagged, nothing fitted. */
  tags: string[] | null;
  notes: string | null;
  /** The kind of evidence it rests on. */
  readerAngle: string | null;
  /** Synonyms for the word index. */
  expandedTerms: string | null;
  mergedInto: number | null;
  supersededBy: number | null;
  /** Seconds. */
  retiredAt: number | null;
  flags: Flag[];
  /** The window it was learned from. */
  windowId: string | null;
}

/** A row to insert. Flags found in its text are added by the store; `flags` names those that text cannot show. */
export type NewUserPlaybook = Omit<UserPlaybook, "mergedInto" | "supersededBy" | "retiredAt">;

export interface AgentPlaybook extends RuleText {
  orgId: string;
  agentPlaybookId: number;
  playbookName: string;
  agentVersion: string;
  /** Seconds. */
  createdAt: number;
  /** Milliseconds; grows with every change of the row. */
  updatedAtMs: number;
  playbookStatus: ApprovalStatus;
  playbookMetadata: string;
  /** Null is CURRENT. */
  status: LifecycleStatus | null;
  tags: string[] | null;
  expandedTerms: string | null;
  mergedInto: number | null;
  supersededBy: number | null;
  /** Seconds. */
  retiredAt: number | null;
  flags: Flag[];
  /** Grows by one with every change; the ETag. */
  version: number;
  /** Principal of the last decision, and when (seconds). */
  decidedBy: string | null;
  decidedAt: number | null;
  /** The approved rule that approving this one supersedes; null where it stands beside the others. */
  replaces: number | null;
}

/** A row to insert, at version 1. As with user playbooks, flags of its text are added by the store. */
export type NewAgentPlaybook = Omit<AgentPlaybook, "mergedInto" | "supersededBy" | "retiredAt" | "version">;

/** What an agent playbook was made from: a user playbook, and which of its turns. */
export interface PlaybookSource {
  userPlaybookId: number;
  sourceInteractionIds: number[];
}

/** The wire form of a user playbook; the dialect leaves out what is null. */
export const userPlaybookViewSchema = z.object({
  user_playbook_id: z.int(),
  user_id: z.string().nullable(),
  agent_version: z.string(),
  request_id: z.string(),
  playbook_name: z.string(),
  created_at: z.int(),
  content: z.string(),
  trigger: z.string().nullable(),
  rationale: z.string().nullable(),
  source: z.string().nullable(),
  status: z.enum(lifecycleStatuses).nullable(),
  source_interaction_ids: z.array(z.int()),
  source_span: z.string().nullable(),
  tags: z.array(z.string()).nullable(),
});
export type UserPlaybookView = z.infer<typeof userPlaybookViewSchema>;

/** The wire form of an agent playbook. */
export const agentPlaybookViewSchema = z.object({
  agent_playbook_id: z.int(),
  playbook_name: z.string(),
  agent_version: z.string(),
  created_at: z.int(),
  content: z.string(),
  trigger: z.string().nullable(),
  rationale: z.string().nullable(),
  playbook_status: z.enum(approvalStatuses),
  playbook_metadata: z.string(),
  status: z.enum(lifecycleStatuses).nullable(),
  tags: z.array(z.string()).nullable(),
});
export type AgentPlaybookView = z.infer<typeof agentPlaybookViewSchema>;

export const viewOfUserPlaybook = (row: UserPlaybook): UserPlaybookView => ({
  user_playbook_id: row.userPlaybookId,
  user_id: row.userId,
  agent_version: row.agentVersion,
  request_id: row.requestId,
  playbook_name: row.playbookName,
  created_at: row.createdAt,
  content: row.content,
  trigger: row.trigger,
  rationale: row.rationale,
  source: row.source,
  status: row.status,
  source_interaction_ids: row.sourceInteractionIds,
  source_span: row.sourceSpan,
  tags: row.tags,
});

export const viewOfAgentPlaybook = (row: AgentPlaybook): AgentPlaybookView => ({
  agent_playbook_id: row.agentPlaybookId,
  playbook_name: row.playbookName,
  agent_version: row.agentVersion,
  created_at: row.createdAt,
  content: row.content,
  trigger: row.trigger,
  rationale: row.rationale,
  playbook_status: row.playbookStatus,
  playbook_metadata: row.playbookMetadata,
  status: row.status,
  tags: row.tags,
});

/** What a rule is found by: its trigger, or its content where it has none (specification, trap 24). */
export const retrievalText = (rule: Pick<RuleText, "trigger" | "content">): string =>
  rule.trigger !== null && rule.trigger.trim() !== "" ? rule.trigger : rule.content;
