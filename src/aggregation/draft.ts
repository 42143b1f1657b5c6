/** The agent playbook that an outcome would make: its support, its flags, its row. */
import type { Database } from "../db/client";
import type { Lease } from "../db/leases";
import { type GateThresholds, gateFlags, inheritable, type Support } from "../playbooks/gate";
import { loadGateSupport } from "../playbooks/gate-store";
import type { Flag, NewAgentPlaybook } from "../playbooks/model";
import type { Services } from "../services";
import { loadSupport } from "./commit-store";
import type { ClusterWork, ExistingRule, SynthesisOutcome } from "./model";
import { opposedRule } from "./opposition";

export interface CommitContext {
  services: Services;
  db: Database;
  lease: Lease;
  orgId: string;
  agentVersion: string;
  /** Correlates the events of this turn. */
  runId: string;
  existingRules: readonly ExistingRule[];
  gate: GateThresholds;
}

/** An outcome that can be applied. */
export type Applied = Exclude<SynthesisOutcome, { kind: "retryable" }>;
export type Generated = Extract<Applied, { kind: "generated" }>;

/** What a rule rests on. */
export interface DraftSupport {
  metadata: string;
  /** As the review gate sees it. */
  gate: Support;
  /** User playbooks behind it. */
  sources: number;
}

/** What the rule rests on, members to be and members already there together. */
export async function supportOf(
  { db, orgId, gate: thresholds }: CommitContext,
  work: ClusterWork,
  outcome: Applied,
): Promise<DraftSupport> {
  const present =
    work.mode === "new" ? { memberIds: [], userIds: [] } : await loadSupport(db, orgId, work.clusterId);
  const members = new Set([...present.memberIds, ...work.members.map(({ row }) => row.userPlaybookId)]);
  const users = new Set([...present.userIds, ...work.members.flatMap(({ row }) => row.userId ?? [])]);
  return {
    sources: members.size,
    gate: await loadGateSupport(db, orgId, [...members], thresholds),
    metadata: JSON.stringify({
      source_count: members.size,
      distinct_users: users.size,
      provider: outcome.provider,
      model: outcome.model,
    }),
  };
}

/**
 * Flags that a rule's own text cannot show; the store adds those it can. A refresh was written with the present
 * rule in view, so it also inherits what that one had inherited, and that it rests on something revoked, unless a
 * person has approved it since. A rebuild never saw the present rule, and inherits nothing of it.
 */
function flagsOfDraft(
  { gate: thresholds }: CommitContext,
  work: ClusterWork,
  { rule }: Generated,
  { gate }: DraftSupport,
  isOpposed: boolean,
): Flag[] {
  const isRewritten = work.mode === "refresh" && work.agent.playbookStatus !== "approved";
  return [
    ...new Set([
      ...gateFlags(rule, gate, thresholds),
      ...(isRewritten ? inheritable(work.agent.flags) : []),
      ...(isRewritten && work.agent.flags.includes("tainted") ? (["tainted"] as const) : []),
      ...(isOpposed ? (["contradicts_approved"] as const) : []),
    ]),
  ];
}

/**
 * The approved rule that this one would take the place of: the cluster's own where it is approved, or the one
 * that the cluster's pending rule would have replaced; else the approved one that it contradicts.
 */
function replacedBy(
  { existingRules }: CommitContext,
  work: ClusterWork,
  opposed: ExistingRule | null,
): number | null {
  if (work.mode === "new") return opposed?.agentPlaybookId ?? null;
  const { agentPlaybookId, playbookStatus, replaces } = work.agent;
  if (playbookStatus === "approved") return agentPlaybookId;
  const isStillApproved = existingRules.some(
    (existing) => existing.isApproved && existing.agentPlaybookId === replaces,
  );
  return isStillApproved ? replaces : (opposed?.agentPlaybookId ?? replaces);
}

/** The pending row, under an id that was reserved for it. */
export function draftOf(
  context: CommitContext,
  work: ClusterWork,
  outcome: Generated,
  support: DraftSupport,
  agentPlaybookId: number,
): NewAgentPlaybook {
  const opposed = opposedRule(
    outcome.rule,
    context.existingRules.filter(({ isApproved }) => isApproved),
  );
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
    flags: flagsOfDraft(context, work, outcome, support, opposed !== null),
    decidedBy: null,
    decidedAt: null,
    replaces: replacedBy(context, work, opposed),
  };
}
