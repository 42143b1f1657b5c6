/** The agent playbook that an outcome would make: its support, its flags, its row. */
import type { Database } from "../db/client";
import type { Lease } from "../db/leases";
import { containment, termsOf } from "../platform/rules/terms";
import type { Flag, NewAgentPlaybook } from "../playbooks/model";
import type { Services } from "../services";
import { contradict } from "./clustering/contradiction";
import { loadSupport } from "./commit-store";
import type { ClusterWork, ExistingRule, SynthesisOutcome } from "./model";

export interface CommitContext {
  services: Services;
  db: Database;
  lease: Lease;
  orgId: string;
  agentVersion: string;
  /** Correlates the events of this turn. */
  runId: string;
  existingRules: readonly ExistingRule[];
}

/** An outcome that can be applied. */
export type Applied = Exclude<SynthesisOutcome, { kind: "retryable" }>;
export type Generated = Extract<Applied, { kind: "generated" }>;

/** What a rule rests on. */
export interface Support {
  metadata: string;
  distinctUsers: number;
}

const SAME_SITUATION = 0.6;

/** What the rule rests on, members to be and members already there together. */
export async function supportOf(
  context: CommitContext,
  work: ClusterWork,
  outcome: Applied,
): Promise<Support> {
  const present =
    work.mode === "refresh"
      ? await loadSupport(context.db, context.orgId, work.clusterId)
      : { memberIds: [], userIds: [] };
  const members = new Set([...present.memberIds, ...work.members.map(({ row }) => row.userPlaybookId)]);
  const users = new Set([...present.userIds, ...work.members.flatMap(({ row }) => row.userId ?? [])]);
  return {
    distinctUsers: users.size,
    metadata: JSON.stringify({
      source_count: members.size,
      distinct_users: users.size,
      provider: outcome.provider,
      model: outcome.model,
    }),
  };
}

/** Flags that a rule's own text cannot show; the store adds those it can. */
function flagsOfSupport(
  context: CommitContext,
  work: ClusterWork,
  { rule }: Generated,
  support: Support,
): Flag[] {
  const triggerTerms = termsOf(rule.trigger);
  const opposesApproved = context.existingRules.some(
    (existing) =>
      existing.isApproved &&
      containment(termsOf(existing.trigger), triggerTerms) >= SAME_SITUATION &&
      contradict(existing.content, rule.content),
  );
  return [
    ...(support.distinctUsers < 2 ? (["few_distinct_users"] as const) : []),
    ...(opposesApproved ? (["contradicts_approved"] as const) : []),
    ...(work.members.some(({ row }) => row.flags.includes("instruction_like"))
      ? (["instruction_like"] as const)
      : []),
  ];
}

/** The pending row, under an id that was reserved for it. */
export function draftOf(
  context: CommitContext,
  work: ClusterWork,
  outcome: Generated,
  support: Support,
  agentPlaybookId: number,
): NewAgentPlaybook {
  const nowMs = context.services.clock.nowMs();
  const textOrNull = (text: string) => (text === "" ? null : text);
  return {
    orgId: context.orgId,
    agentPlaybookId,
    agentVersion: context.agentVersion,
    playbookName: work.members[0]?.row.playbookName ?? "",
    createdAt: Math.floor(nowMs / 1000),
    updatedAtMs: nowMs,
    trigger: textOrNull(outcome.rule.trigger),
    content: outcome.rule.content,
    rationale: textOrNull(outcome.rule.rationale),
    playbookStatus: "pending",
    playbookMetadata: support.metadata,
    status: null,
    tags: null,
    expandedTerms: null,
    flags: flagsOfSupport(context, work, outcome, support),
    decidedBy: null,
    decidedAt: null,
    replaces: null,
  };
}
