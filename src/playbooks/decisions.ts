/** What a person's change of an agent playbook is, and what undoing it needs to know. Pure. */
import * as z from "zod";
import { type AgentPlaybook, approvalStatuses, flags, lifecycleStatuses } from "./model";

/** A change of the approval status, or of the texts alone. */
export const decisionKinds = ["approve", "reject", "reopen", "edit"] as const;
export type DecisionKind = (typeof decisionKinds)[number];

const kindOfStatus = { approved: "approve", rejected: "reject", pending: "reopen" } as const;

const textKeys = ["playbookName", "content", "trigger", "rationale"] as const;
/** A cluster stands for these; its name says nothing about a rule. */
const clusteredKeys = ["content", "trigger", "rationale"] as const;

/** What differs between a row and the row that a person wants. */
export const differs = (
  before: AgentPlaybook,
  after: AgentPlaybook,
): { text: boolean; decision: boolean } => ({
  text: textKeys.some((key) => before[key] !== after[key]),
  decision: before.playbookStatus !== after.playbookStatus,
});

export const decisionKindOf = (before: AgentPlaybook, after: AgentPlaybook): DecisionKind =>
  before.playbookStatus === after.playbookStatus ? "edit" : kindOfStatus[after.playbookStatus];

/** Whether the change ends the rule's cluster, as the trigger `agent_playbooks_retire_update` does it. */
export const retiresCluster = (before: AgentPlaybook, after: AgentPlaybook): boolean =>
  (after.playbookStatus === "rejected" && before.playbookStatus !== "rejected") ||
  clusteredKeys.some((key) => before[key] !== after[key]);

/** A row as the journal keeps it. */
export const agentPlaybookSnapshot: z.ZodType<AgentPlaybook> = z.object({
  orgId: z.string(),
  agentPlaybookId: z.int(),
  playbookName: z.string(),
  agentVersion: z.string(),
  createdAt: z.int(),
  updatedAtMs: z.int(),
  content: z.string(),
  trigger: z.string().nullable(),
  rationale: z.string().nullable(),
  playbookStatus: z.enum(approvalStatuses),
  playbookMetadata: z.string(),
  status: z.enum(lifecycleStatuses).nullable(),
  tags: z.array(z.string()).nullable(),
  expandedTerms: z.string().nullable(),
  mergedInto: z.int().nullable(),
  supersededBy: z.int().nullable(),
  retiredAt: z.int().nullable(),
  flags: z.array(z.enum(flags)),
  version: z.int(),
  decidedBy: z.string().nullable(),
  decidedAt: z.int().nullable(),
  replaces: z.int().nullable(),
});

/** The row after its last decision is taken back: as it was before, but newer. */
export const restored = (row: AgentPlaybook, before: AgentPlaybook, nowMs: number): AgentPlaybook => ({
  ...row,
  playbookName: before.playbookName,
  content: before.content,
  trigger: before.trigger,
  rationale: before.rationale,
  playbookStatus: before.playbookStatus,
  tags: before.tags,
  expandedTerms: before.expandedTerms,
  flags: before.flags,
  decidedBy: before.decidedBy,
  decidedAt: before.decidedAt,
  updatedAtMs: Math.max(nowMs, row.updatedAtMs + 1),
});
