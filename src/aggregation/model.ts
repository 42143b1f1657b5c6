/** What aggregation works with: rows, clusters, outcomes of synthesis, counts of a run. */
import * as z from "zod";
import type { AgentPlaybook, RuleText, UserPlaybook } from "../playbooks/model";

/** A CURRENT, non-blank user playbook with the vector of the bound model. */
export interface EmbeddedRule {
  row: UserPlaybook;
  /** Of the trigger, or of the content where there is none. */
  vector: Float32Array;
}

/** A rule that is to find its cluster. */
export interface Member extends EmbeddedRule {
  /** Of situation and instruction; what clustering compares. */
  joint: Float32Array;
}

/** An active cluster whose centroid lies in the bound model's space. */
export interface ClusterCentroid {
  clusterId: string;
  agentVersion: string;
  agentPlaybookId: number;
  model: string;
  dimension: number;
  vector: Float32Array;
}

/** A centroid that some new rule came near to, with its rule. */
export interface CandidateCluster extends ClusterCentroid {
  agent: AgentPlaybook;
  joint: Float32Array;
}

/** An approved or pending CURRENT rule of the version. */
export interface ExistingRule {
  agentPlaybookId: number;
  trigger: string;
  content: string;
  isApproved: boolean;
  /** Whether a source of it changed and its cluster waits to be rebuilt: no model may read it (trap 48). */
  isInvalidated?: boolean;
  /** Null where it has no vector of the bound model. */
  vector: Float32Array | null;
}

/**
 * One unit of model work. A refresh adds members to a cluster that has a rule; a rebuild replaces the rule of a
 * cluster that lost a source, and its members are a sample of those that are left.
 */
export type ClusterWork =
  | { mode: "new"; clusterId: string; members: readonly EmbeddedRule[] }
  | {
      mode: "refresh" | "rebuild";
      clusterId: string;
      members: readonly EmbeddedRule[];
      agent: AgentPlaybook;
    };

const ruleSchema = z.object({ trigger: z.string(), content: z.string(), rationale: z.string() });
export type SynthesisedRule = z.infer<typeof ruleSchema>;

/** A paid answer as it is stored before it is applied. Retryable failures are never stored. */
export const storedOutcomeSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("generated"),
    rule: ruleSchema,
    model: z.string(),
    provider: z.string(),
    /** Placeholders that had leaked into the answer and were made plain words. */
    leaked: z.int(),
  }),
  z.object({ kind: z.literal("semantic_null"), model: z.string(), provider: z.string() }),
]);
export type StoredOutcome = z.infer<typeof storedOutcomeSchema>;

export type SynthesisOutcome =
  | (StoredOutcome & { outcomeId: string })
  | {
      kind: "retryable";
      /** A closed code such as `rate_limited` or `blank_content`. */
      code: string;
      /** True where no further call of this turn can do better. */
      endsTurn: boolean;
      retryAfterMs: number;
    };

/** Counts of one run, as operations report them. */
export const countsSchema = z.object({
  user_playbooks_processed: z.int(),
  clusters_found: z.int(),
  playbooks_generated: z.int(),
  staged: z.int(),
  attachments: z.int(),
  supersessions: z.int(),
  semantic_nulls: z.int(),
  retryable_failures: z.int(),
  cluster_fence_losses: z.int(),
  rebuilt_members: z.int().default(0),
  selected_rebuild_members: z.int().default(0),
});
export type Counts = z.infer<typeof countsSchema>;

export const noCounts = (): Counts => ({
  user_playbooks_processed: 0,
  clusters_found: 0,
  playbooks_generated: 0,
  staged: 0,
  attachments: 0,
  supersessions: 0,
  semantic_nulls: 0,
  retryable_failures: 0,
  cluster_fence_losses: 0,
  rebuilt_members: 0,
  selected_rebuild_members: 0,
});

/** Sums of two runs' counts. */
export function addCounts(left: Counts, right: Counts): Counts {
  const sum = noCounts();
  for (const key of countsSchema.keyof().options) sum[key] = left[key] + right[key];
  return sum;
}

/** The three texts with empty strings for what is missing, as reasoners read them. */
export const textsOf = (rule: RuleText): SynthesisedRule => ({
  trigger: rule.trigger ?? "",
  content: rule.content,
  rationale: rule.rationale ?? "",
});

/** Whoever works on a version holds the lease of this key. */
export const LEASE_PREFIX = "aggregation:";

/** How long one claim of a version lasts; renewed while the turn runs, so that a crash is noticed soon. */
export const LEASE_MS = 60_000;

/** Why the rules of a version are what they are, in `aggregation_items.reason`. */
export const itemReasons = [
  "new",
  "waiting_for_company",
  "outside_recent_clustering_window",
  "embedding_pending",
  "cluster_fence_lost",
  "cluster_retired",
  "cluster_invalidated",
  "revision_rebuild",
  "invalidation_rebuild",
  "deferred",
  "llm_retryable_failure",
  "incremental",
  "incremental_refresh",
  "semantic_null",
  "rejected_before",
] as const;
export type ItemReason = (typeof itemReasons)[number];

/** Reasons of rules that a new rule can help; the others wait for a service or a race to pass. */
export const companyReasons = ["waiting_for_company", "rejected_before"] as const satisfies ItemReason[];
