/**
 * Everything about OpenPlaybook that the user's document does not state: names, enum values, limits, aliases, codes.
 * The day the real specification turns up, corrections touch this file. Stated values are marked [S] (format reference
 * 1.11); the others are deduced [D], taken from a peer [P] or ours [X], as sections a and b of the specification say.
 */

/** Minors that this reader accepts: 1.0 to 1.11 [S]. */
export const VERSION = { major: 1, minor: 11 } as const;
export const VERSION_TEXT = `${VERSION.major}.${VERSION.minor}`;

/** [S] */
export const STEP_KINDS = ["agent", "tool", "decision", "wait", "map", "approval", "terminator"] as const;
/** Kinds that a map may run for each element. */
export const ITEM_STEP_KINDS = ["agent", "tool", "wait", "approval"] as const;
/** [S] */
export const TRIGGER_KINDS = ["schedule", "webhook", "manual", "dependency", "agent_finding"] as const;

/** First value of each list as in the user's example [S]; the others [P]. */
export const FAILURE_MODES = ["halt_run", "continue", "escalate"] as const;
export const APPROVAL_MODES = ["auto", "required"] as const;
export const ON_TIMEOUT = ["cancel", "fail"] as const;
/** A wait may also go on when its condition never came true; a gate never may. */
export const WAIT_ON_TIMEOUT = ["cancel", "fail", "continue"] as const;
export const STATUSES = ["published", "draft", "deprecated", "archived"] as const;
export const VISIBILITIES = ["private", "unlisted", "public", "organization"] as const;
export const PRICING_TIERS = ["free", "premium"] as const;
export const AUTHOR_TYPES = ["porchops", "user", "organization", "community"] as const;
export const OUTCOMES = ["completed", "failed", "cancelled"] as const;
export const SEVERITIES = ["info", "low", "medium", "high", "critical"] as const;
export const SIDE_EFFECTS = ["none", "read", "write", "irreversible"] as const;
export const BACKOFFS = ["constant", "linear", "exponential"] as const;
export const OVERLAPS = ["skip", "buffer_one", "allow"] as const;
export const CATCH_UPS = ["none", "one"] as const;
export const MCP_TRANSPORTS = ["streamable-http", "sse"] as const;
export const FILTER_TYPES = ["string", "number", "boolean", "timestamp", "null"] as const;
export const FILTER_OPS = [
  "eq",
  "neq",
  "in",
  "nin",
  "gt",
  "gte",
  "lt",
  "lte",
  "exists",
  "absent",
  "prefix",
  "contains",
] as const;
/** Statuses in which a trigger starts a run. */
export const RUNNABLE_STATUSES = ["published", "deprecated"] as const;

export const DEFAULTS = {
  timezone: "UTC",
  overlap: "skip",
  catchUp: "none",
  dependencyOn: ["completed"],
  toolFailureMode: "halt_run",
  mapFailureMode: "halt_run",
  mapAs: "item",
  mapConcurrency: 1,
  mapMaxItems: 100,
  mapMaxFailures: 0,
  retryBackoff: "constant",
  /** Of a wait for a condition that says nothing: the run does not go on. */
  waitOnTimeout: "fail",
  /** Of a gate that the runtime puts in (c.5). */
  gateTimeout: "7d",
  gateOnTimeout: "cancel",
  gateApprover: "operator",
  /** Who may decide when `approver` is a word: a principal with this role, or with the role of that name. */
  approverRole: "approver",
} as const;

/** Platform floors, reported at `/.well-known/openplaybook`. Bytes of UTF-8, counts, seconds where named. */
export const LIMITS = {
  documentBytes: 256 * 1024,
  depth: 32,
  steps: 200,
  branches: 50,
  stringBytes: 64 * 1024,
  triggers: 50,
  tools: 100,
  filters: 20,
  slugLength: 80,
  mapConcurrency: 32,
  mapItems: 1000,
  retryAttempts: 10,
  /** Model calls in one attempt of an agent step. */
  agentTurns: 50,
  subPlaybookDepth: 3,
  chainDepth: 10,
  /** Findings of one agent that are not repeats. */
  findingsPerMinute: 60,
  /** How long a delivery id or a finding's dedupe key is remembered. */
  dedupeSeconds: 7 * 86_400,
  durationSeconds: 366 * 86_400,
  gateTimeoutMinSeconds: 60,
  gateTimeoutMaxSeconds: 90 * 86_400,
  cronMinGapSeconds: 60,
  expressionNodes: 2000,
  expressionDepth: 64,
  comprehensionNesting: 2,
  regexSubjectLength: 256,
  /** Characters of one expression. */
  expressionLength: 8192,
  /** Characters of one pattern, and the characters, classes and counted repeats that it stands for. */
  regexPatternLength: 512,
  regexPatternSize: 1000,
  /** Elements of a list that a comprehension goes through, or that `+` and `split` make. */
  expressionListItems: 1000,
  /** Work of one evaluation (of a whole template): elements compared, copied or visited, body nodes of comprehensions. */
  expressionSteps: 1_000_000,
  /** Characters of one text that an expression makes, and of all JSON that it (or a whole template) yields. */
  expressionTextLength: 1_048_576,
  /** Nesting of values that expressions read or yield. */
  expressionValueDepth: 128,
  /** Of a JSON Schema written by a user: subschemas, nesting, and `regexPatternSize` of all its patterns together. */
  userSchemaNodes: 500,
  userSchemaDepth: 32,
  userSchemaPatternSize: 4000,
  /** Work of one validation: subschemas applied to values, and elements compared. */
  userSchemaSteps: 500_000,
  /** Findings of one validation; more are not looked for. */
  userSchemaFaults: 50,
} as const;

/**
 * Marks of templates [X]. A literal `${{` is written as an expression that yields it: `${{ "${{" }}`. There is no other
 * escape, so that `$${{ trigger.price }}` is a dollar sign and a price.
 */
export const TEMPLATE = { open: "${{", close: "}}", secretKey: "$secret" } as const;

/** How names and ids are written. `pvr_` and `plb_` ids are opaque; 26 digits of Crockford's base 32 [D]. */
export const PATTERNS = {
  version: /^1\.(?:0|[1-9]\d*)$/,
  playbookVersionId: /^pvr_[0-9A-HJKMNP-TV-Z]{26}$/,
  playbookId: /^plb_[0-9A-HJKMNP-TV-Z]{26}$/,
  semver:
    /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/,
  slug: /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
  permission: /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/,
  stepId: /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
  secretName: /^[A-Z][A-Z0-9_]{0,63}$/,
  mapAs: /^[a-z][A-Za-z0-9_]{0,63}$/,
  /** A source is a name that an operator registers with its secret and scheme (a.3.13). */
  webhookSource: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  /** What a person reads: something other than blanks. */
  prose: /\S/,
} as const;
/** Members with this prefix are anybody's, are allowed everywhere and kept. */
export const EXTENSION_PREFIX = "x-";
/** Names that a document's provenance is known to hold; others are kept with a warning. */
export const PROVENANCE_FIELDS = [
  "source",
  "exportedAt",
  "exportedBy",
  "tool",
  "toolVersion",
  "derivedFrom",
  "digest",
] as const;

/** Roots of expressions (ruling 5); a map's `as` name takes the place of `item` inside it (ruling 24). */
export const EXPRESSION_ROOTS = ["trigger", "steps", "config", "run", "signals", "item", "index"] as const;

/** Fields that arrived after 1.0, by JSON Pointer pattern: the minor that brought them. Empty until known. */
export const SINCE: Readonly<Record<string, number>> = {};

/** Guessed other spellings: read with E112, written back under the canonical name. */
export const ALIASES = {
  agent: { schema: "outputSchema", responseSchema: "outputSchema", tools: "allowedTools" },
  tool: { toolName: "tool", arguments: "input", args: "input" },
  wait: { for: "duration", waitFor: "duration", at: "until" },
  map: {
    over: "items",
    step: "itemStep",
    playbook: "itemPlaybook",
    subPlaybook: "itemPlaybook",
    maxConcurrency: "concurrency",
  },
  schedule: { tz: "timezone", timeZone: "timezone", expression: "cron" },
  dependency: { playbook: "playbookId" },
} as const;

/** Code, name and severity of each finding (b.3). Append only: no code is used again or renumbered. */
export const FINDINGS = {
  E100: { slug: "not_json", severity: "error" },
  E101: { slug: "version_malformed", severity: "error" },
  E102: { slug: "version_major_unsupported", severity: "error" },
  E103: { slug: "version_minor_newer", severity: "error" },
  E104: { slug: "version_mismatch", severity: "error" },
  E105: { slug: "unknown_field", severity: "error" },
  E106: { slug: "duplicate_key", severity: "error" },
  E107: { slug: "feature_newer_than_version", severity: "warning" },
  E108: { slug: "prototype_key", severity: "error" },
  E109: { slug: "required_missing", severity: "error" },
  E110: { slug: "wrong_type", severity: "error" },
  E111: { slug: "bad_enum", severity: "error" },
  E112: { slug: "alias_used", severity: "warning" },
  D201: { slug: "id_malformed", severity: "error" },
  D202: { slug: "semver_malformed", severity: "error" },
  D203: { slug: "manifest_id_mismatch", severity: "error" },
  D204: { slug: "slug_malformed", severity: "error" },
  D205: { slug: "price_tier_conflict", severity: "error" },
  D206: { slug: "permission_malformed", severity: "error" },
  D207: { slug: "status_not_runnable", severity: "error" },
  D208: { slug: "connector_undeclared", severity: "warning" },
  D209: { slug: "config_schema_invalid", severity: "error" },
  D210: { slug: "config_invalid", severity: "error" },
  D211: { slug: "version_immutable", severity: "error" },
  T301: { slug: "trigger_kind_unknown", severity: "error" },
  T302: { slug: "trigger_duplicate", severity: "error" },
  T303: { slug: "no_triggers", severity: "warning" },
  T311: { slug: "cron_malformed", severity: "error" },
  T312: { slug: "cron_never_fires", severity: "error" },
  T313: { slug: "timezone_unknown", severity: "error" },
  T314: { slug: "cron_too_frequent", severity: "error" },
  T315: { slug: "cron_in_dst_gap", severity: "warning" },
  T321: { slug: "webhook_source_invalid", severity: "error" },
  T322: { slug: "filter_path_invalid", severity: "error" },
  T323: { slug: "filter_type_op_conflict", severity: "error" },
  T324: { slug: "filter_too_many", severity: "error" },
  T331: { slug: "dependency_self", severity: "error" },
  T332: { slug: "dependency_cycle", severity: "error" },
  T333: { slug: "dependency_unknown", severity: "warning" },
  T341: { slug: "finding_selector_empty", severity: "warning" },
  T351: { slug: "manual_input_schema_invalid", severity: "error" },
  S401: { slug: "step_kind_unknown", severity: "error" },
  S402: { slug: "step_id_malformed", severity: "error" },
  S403: { slug: "edge_missing", severity: "error" },
  S404: { slug: "edge_forbidden", severity: "error" },
  S411: { slug: "agent_identity_missing", severity: "error" },
  S412: { slug: "tool_not_allowed_known", severity: "error" },
  S413: { slug: "purpose_missing", severity: "error" },
  S414: { slug: "output_schema_invalid", severity: "error" },
  S415: { slug: "approval_mode_unknown", severity: "error" },
  S416: { slug: "failure_mode_unknown", severity: "error" },
  S421: { slug: "tool_unknown", severity: "error" },
  S422: { slug: "tool_input_schema_mismatch", severity: "error" },
  S423: { slug: "retry_on_non_idempotent", severity: "warning" },
  /** [X] */
  S424: { slug: "tool_duplicate", severity: "error" },
  S431: { slug: "decision_default_missing", severity: "error" },
  S432: { slug: "decision_no_branches", severity: "error" },
  S433: { slug: "decision_branch_constant", severity: "warning" },
  S434: { slug: "decision_duplicate_when", severity: "warning" },
  S441: { slug: "approval_timeout_missing", severity: "error" },
  S442: { slug: "approver_missing", severity: "error" },
  S443: { slug: "on_timeout_not_terminal", severity: "error" },
  S444: { slug: "approval_timeout_range", severity: "error" },
  S451: { slug: "duration_malformed", severity: "error" },
  S452: { slug: "duration_range", severity: "error" },
  S453: { slug: "wait_shape", severity: "error" },
  S454: { slug: "condition_without_timeout", severity: "error" },
  S461: { slug: "map_items_missing", severity: "error" },
  S462: { slug: "map_concurrency_range", severity: "error" },
  S463: { slug: "map_item_target", severity: "error" },
  S464: { slug: "map_item_kind", severity: "error" },
  S465: { slug: "map_item_shared", severity: "error" },
  S466: { slug: "map_max_items_range", severity: "error" },
  S467: { slug: "sub_playbook_cycle", severity: "error" },
  S468: { slug: "sub_playbook_depth", severity: "error" },
  S471: { slug: "terminator_reason_missing", severity: "error" },
  S472: { slug: "terminator_outcome_unknown", severity: "error" },
  G500: { slug: "steps_empty", severity: "error" },
  G501: { slug: "step_id_duplicate", severity: "error" },
  G502: { slug: "edge_unresolved", severity: "error" },
  G503: { slug: "graph_cycle", severity: "error" },
  G504: { slug: "step_unreachable", severity: "error" },
  G505: { slug: "no_terminator", severity: "error" },
  G506: { slug: "path_without_terminator", severity: "error" },
  G507: { slug: "entry_is_gate", severity: "warning" },
  X601: { slug: "expr_syntax", severity: "error" },
  X602: { slug: "expr_unknown_root", severity: "error" },
  X603: { slug: "expr_not_boolean", severity: "error" },
  X604: { slug: "expr_unknown_step", severity: "error" },
  X605: { slug: "expr_not_dominated", severity: "warning" },
  X606: { slug: "expr_forward_reference", severity: "error" },
  X607: { slug: "expr_limit", severity: "error" },
  X608: { slug: "expr_regex", severity: "error" },
  X609: { slug: "items_not_list", severity: "error" },
  X610: { slug: "template_unclosed", severity: "error" },
  X611: { slug: "item_outside_map", severity: "error" },
  X612: { slug: "secret_in_expr", severity: "error" },
  R701: { slug: "guardrail_invalid", severity: "error" },
  R702: { slug: "guardrail_unknown", severity: "error" },
  R703: { slug: "duration_zero", severity: "error" },
  R704: { slug: "approval_selector_unknown", severity: "warning" },
  R711: { slug: "permission_undeclared", severity: "error" },
  R712: { slug: "gate_not_dominating", severity: "warning" },
  R741: { slug: "secret_literal", severity: "error" },
  R742: { slug: "secret_undeclared", severity: "error" },
  R743: { slug: "secret_unused", severity: "warning" },
  L801: { slug: "doc_too_large", severity: "error" },
  L802: { slug: "too_deep", severity: "error" },
  L803: { slug: "too_many_steps", severity: "error" },
  L804: { slug: "too_many_branches", severity: "error" },
  L805: { slug: "string_too_long", severity: "error" },
  L806: { slug: "too_many_triggers", severity: "error" },
  L807: { slug: "too_many_tools", severity: "error" },
} as const satisfies Record<string, { slug: string; severity: "error" | "warning" }>;
export type FindingCode = keyof typeof FINDINGS;

/** Why a run ended (c.2 and ruling 19). */
export const REASON_CODES = [
  "terminator",
  "approval_expired",
  "approval_rejected",
  "step_failed",
  "guardrail_llm_cost",
  "guardrail_run_duration",
  "guardrail_tool_calls",
  "guardrail_steps",
  "expression_error",
  "map_items_exceeded",
  "map_items_not_list",
  "wait_timeout",
  "output_schema_violation",
  "tool_not_allowed",
  "permission_denied",
  "operator_cancelled",
  "parent_cancelled",
  "version_unsupported",
  "internal_error",
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

/** Error codes that a retry may help against unless the error says otherwise (ruling 36); `http_5xx` or any of them. */
export const RETRYABLE_ERROR = /^(?:timeout|http_429|http_5(?:\d\d|xx))$/;

/** 1 cent = 1,000,000 micro-cents. */
export const MICRO_CENTS_PER_CENT = 1_000_000;
