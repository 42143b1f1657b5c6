/**
 * The reasoner port: the judgements Playmaker asks of a model, typed both ways.
 * Adapters answer; the pipelines validate. Nothing an adapter returns is trusted.
 */
import * as z from "zod";

/** One turn as a reasoner sees it. `label` is call-local (`T1`…`Tn`) and never stored. */
export const chronologyTurnSchema = z.object({
  label: z.string(),
  /** Free text from the publisher: `User`, `Assistant`, … */
  role: z.string(),
  content: z.string(),
  /** False for turns of internal sources, which never count as the user's voice. */
  isUserVoice: z.boolean(),
  source: z.string(),
  sessionId: z.string(),
  createdAtSec: z.number().int(),
  toolsUsed: z.array(
    z.object({ tool_name: z.string(), tool_data: z.unknown(), status: z.string().optional() }),
  ),
  userAction: z.string(),
  userActionDescription: z.string(),
});
export type ChronologyTurn = z.infer<typeof chronologyTurnSchema>;

/** What an org's settings say about its agent and about extraction. */
export const guidanceSchema = z.object({
  agentContext: z.string(),
  extractionDefinition: z.string(),
  tools: z.array(z.object({ tool_name: z.string(), tool_description: z.string() })),
});
export type Guidance = z.infer<typeof guidanceSchema>;

/** A second attempt at the same task: what was answered and why it was refused. At most one. */
export const repairSchema = z.object({ previousAnswer: z.string(), problems: z.array(z.string()) });

export const evidenceKinds = [
  "correction",
  "preference",
  "observed-failure",
  "rejected-approach",
  "expert-gap",
  "verified-success",
] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

const ruleText = { trigger: z.string(), content: z.string(), rationale: z.string() };
const window = {
  turns: z.array(chronologyTurnSchema),
  guidance: guidanceSchema,
  repair: repairSchema.optional(),
};

/** What an expert answered in the agent's place, beside what the agent had answered. */
export const expertPairSchema = z.object({
  /** The user's turn before the agent's answer, where there is one. */
  question: chronologyTurnSchema.nullable(),
  /** Its content is empty where the agent said nothing. */
  answer: chronologyTurnSchema,
  expert: chronologyTurnSchema,
});
export type ExpertPair = z.infer<typeof expertPairSchema>;

/** A stored or new rule in a prompt, known by a call-local label, never by its database id. */
const labelledRule = z.object({ label: z.string(), ...ruleText });

/** A rule under review with the places that it cites. */
const reviewedRule = labelledRule.extend({
  evidenceKind: z.string(),
  evidence: z.array(z.object({ unit: z.string(), turn: z.string(), text: z.string() })),
});

/** Why a reviewer decides as it does. Where several apply, the first one wins; an acceptance has the last. */
export const reviewReasonCodes = [
  "not_agent_decision",
  "absence_inference",
  "unseen_artifact",
  "internal_status",
  "unsupported_causality",
  "speculative",
  "unsupported_evidence",
  "redundant",
  "generic",
  "late_trigger",
  "compound",
  "grounded_useful",
] as const;
export type ReviewReasonCode = (typeof reviewReasonCodes)[number];

const reviewVerdict = {
  decision: z.enum(["accept", "revise", "reject"]),
  /** One of `reviewReasonCodes`, several apart by commas, or "". */
  reason_code: z.string(),
  reason: z.string(),
  evidence_ids: z.array(z.string()),
  revision: z.object(ruleText).nullable(),
};

/** One source row of a cluster, as the synthesis task sees it. */
const synthesisSource = z.object({ label: z.string(), ...ruleText, userLabel: z.string() });

/** Input and output of every task. Outputs are what the task asks for, before the pipeline judges it. */
export const tasks = {
  /** The cheap gate (specification 6.1). `answer` is true iff the model's text contains "true". */
  shouldExtract: {
    input: z.object({ turns: window.turns, guidance: window.guidance }),
    output: z.object({ shouldExtract: z.boolean() }),
  },
  /** Rules from one window, each citing turn labels (specification 6.4). */
  extract: {
    input: z.object(window),
    output: z.object({
      playbooks: z.array(
        z.object({
          rationale: z.string(),
          evidence_kind: z.string(),
          trigger: z.string(),
          content: z.string(),
          evidence_refs: z.array(z.string()),
          /** Verbatim spans, one per entry of `evidence_refs`, where the adapter can give them. */
          evidence_spans: z.array(z.string()).optional(),
        }),
      ),
    }),
  },
  /** The gate of a window that holds experts' answers (specification 6.1). */
  shouldExtractExpert: {
    input: z.object({ pairs: z.array(expertPairSchema), guidance: window.guidance }),
    output: z.object({ shouldExtract: z.boolean() }),
  },
  /** Rules from what experts answered otherwise than the agent, each proved by verbatim spans (specification 6.4). */
  extractExpert: {
    input: z.object({
      pairs: z.array(expertPairSchema),
      guidance: window.guidance,
      repair: window.repair,
    }),
    output: z.object({
      playbooks: z.array(
        z.object({
          rationale: z.string(),
          evidence_kind: z.string(),
          trigger: z.string(),
          content: z.string(),
          evidence: z.array(z.object({ turn_ref: z.string(), source_span: z.string() })),
        }),
      ),
    }),
  },
  /** One decision per candidate (specification 6.7). */
  reviewCandidates: {
    input: z.object({
      ...window,
      candidates: z.array(reviewedRule),
      existing: z.array(labelledRule),
    }),
    output: z.object({
      decisions: z.array(z.object({ candidate_id: z.string(), ...reviewVerdict })),
    }),
  },
  /** One decision on a rule that is in use, judged again from the record it was learned from (specification 10). */
  reviewStored: {
    input: z.object({ ...window, rule: reviewedRule, existing: z.array(labelledRule) }),
    output: z.object(reviewVerdict),
  },
  /** Places every NEW row against the EXISTING ones (specification 7.1). */
  consolidate: {
    input: z.object({
      fresh: z.array(
        labelledRule.extend({
          span: z.string(),
          evidenceGroup: z.string(),
          source: z.string(),
          dateToMinute: z.string(),
        }),
      ),
      existing: z.array(
        labelledRule.extend({
          span: z.string(),
          evidenceGroup: z.string(),
          source: z.string(),
          dateToMinute: z.string(),
        }),
      ),
      repair: repairSchema.optional(),
    }),
    output: z.object({
      decisions: z.array(
        z.discriminatedUnion("kind", [
          z.object({
            kind: z.literal("unify"),
            new_ids: z.array(z.string()),
            archive_existing_ids: z.array(z.string()),
            ...ruleText,
          }),
          z.object({
            kind: z.literal("reject_new"),
            new_ids: z.array(z.string()),
            superseded_by_existing_ids: z.array(z.string()),
          }),
          z.object({
            kind: z.literal("differentiate"),
            new_id: z.string(),
            existing_id: z.string(),
            refined_new_trigger: z.string(),
            refined_existing_trigger: z.string(),
          }),
          z.object({ kind: z.literal("independent"), new_ids: z.array(z.string()) }),
        ]),
      ),
    }),
  },
  /** One rule for a cluster, or null when there is nothing to say (specification 8.8). */
  synthesise: {
    input: z.object({
      mode: z.enum(["new", "refresh", "rebuild"]),
      sources: z.array(synthesisSource),
      /** Greedy groups of source labels by overlapping content, in input order. */
      groups: z.array(z.array(z.string())),
      /** The cluster's present rule; only for `refresh`. */
      current: z.object(ruleText).nullable(),
      /** Contents of rules that exist already in this agent version, at most 20. */
      existingRules: z.array(z.string()),
      guidance: guidanceSchema,
      repair: repairSchema.optional(),
    }),
    output: z.object({ playbook: z.object(ruleText).nullable() }),
  },
  /** The tags of stored rules (specification 6.8): every rule once, with none where nothing fits. */
  tag: {
    input: z.object({
      /** The org's words on which tags there are and when each fits. */
      definition: z.string(),
      rules: z.array(labelledRule),
      repair: repairSchema.optional(),
    }),
    output: z.object({
      /** Null from an adapter that cannot tag: the rules stay untagged. */
      assignments: z.array(z.object({ label: z.string(), tags: z.array(z.string()) })).nullable(),
    }),
  },
  /** A search query in plain words (specification 9.4). */
  reformulate: {
    input: z.object({
      query: z.string(),
      history: z.array(z.object({ role: z.string(), content: z.string() })),
    }),
    output: z.object({ query: z.string() }),
  },
} as const;

export type TaskName = keyof typeof tasks;
export type TaskInput<T extends TaskName> = z.infer<(typeof tasks)[T]["input"]>;
export type TaskOutput<T extends TaskName> = z.infer<(typeof tasks)[T]["output"]>;

/** What a call cost and who answered. `offline` stands where a model name would. */
export interface TaskAnswer<T extends TaskName> {
  output: TaskOutput<T>;
  /** The adapter's raw text, kept for a repair attempt. */
  rawText: string;
  model: string;
  provider: string;
  inputTokens: number;
  outputTokens: number;
}

export interface Reasoner {
  /** @throws ReasonerError */
  run<T extends TaskName>(task: T, input: TaskInput<T>, signal?: AbortSignal): Promise<TaskAnswer<T>>;
}

/**
 * `transient`: try again later (429, time-out, 5xx). `unusable`: the answer stayed unusable after
 * its one repair. `refused`: authentication, billing or a bad request; retrying cannot help.
 */
export type ReasonerFault = "transient" | "unusable" | "refused";

export class ReasonerError extends Error {
  override readonly name = "ReasonerError";
  constructor(
    readonly fault: ReasonerFault,
    /** A closed, content-free code such as `rate_limited`, `timeout`, `truncated_json`. */
    readonly code: string,
    message: string,
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}
