/**
 * An org's Config: which conversations are learned from, how, and how rules are synthesised. Pure.
 * What is stored is what was set; presets and defaults are resolved when it is read, so that a later
 * change of the preset is not hidden behind numbers nobody chose.
 */

import { parseOrFail } from "../http/validation";
import { Failure, type Issue } from "../platform/failure";
import { renameLegacyKeys } from "./config-legacy";
import { type ConfigBody, configBody, presets } from "./config-schema";

/** The extractors of a user's stream; each has its own cursor. */
export type ExtractorKind = "playbook" | "profile";

/** How many turns a window holds and how many new ones make the next; 1 ≤ stride ≤ window. */
export interface WindowPolicy {
  windowSize: number;
  strideSize: number;
}

const DEFAULT_POLICY: WindowPolicy = { windowSize: 10, strideSize: 8 };

/** A whole Config with every default in place. */
export type Config = ConfigBody & { windowSize: number; strideSize: number };

/** The org-wide policy: explicit numbers win over the preset, the preset over the defaults. */
function orgPolicy(body: ConfigBody): WindowPolicy {
  const base = body.extraction_preset === null ? DEFAULT_POLICY : presets[body.extraction_preset];
  return {
    windowSize: body.window_size ?? base.windowSize,
    strideSize: body.stride_size ?? base.strideSize,
  };
}

const extractorOf = (body: ConfigBody, kind: ExtractorKind) =>
  kind === "playbook" ? body.user_playbook_extractor_config : body.profile_extractor_config;

/** The policy of one extractor: its own overrides, else the org's. */
export function windowPolicy(body: ConfigBody, kind: ExtractorKind): WindowPolicy {
  const org = orgPolicy(body);
  const extractor = extractorOf(body, kind);
  return {
    windowSize: extractor?.window_size_override ?? org.windowSize,
    strideSize: extractor?.stride_size_override ?? org.strideSize,
  };
}

const strideIssue = (pointer: string, { windowSize, strideSize }: WindowPolicy): Issue[] =>
  strideSize <= windowSize
    ? []
    : [
        {
          pointer,
          message: `the stride ${strideSize} is larger than the window ${windowSize}`,
          expected: "a stride of at most the window, after presets and overrides",
          type: "value_error",
        },
      ];

/** Told only of an extractor that has numbers of its own: the org's are judged once. */
const overrideIssues = (body: ConfigBody, kind: ExtractorKind, section: string): Issue[] => {
  const extractor = extractorOf(body, kind);
  const isOverridden = extractor?.window_size_override != null || extractor?.stride_size_override != null;
  return isOverridden ? strideIssue(`/${section}/stride_size_override`, windowPolicy(body, kind)) : [];
};

/** A stride above its window would leave turns that no window ever shows. */
const strideIssues = (body: ConfigBody): Issue[] => [
  ...strideIssue("/stride_size", orgPolicy(body)),
  ...overrideIssues(body, "playbook", "user_playbook_extractor_config"),
  ...overrideIssues(body, "profile", "profile_extractor_config"),
];

/** Distinct users that the review gate asks for: of any rule, and of one that touches money, access or data. */
export function gateThresholds({ review_gate }: Pick<ConfigBody, "review_gate">): {
  minDistinctUsers: number;
  minDistinctUsersSensitive: number;
} {
  const minDistinctUsers = review_gate?.min_distinct_users ?? 2;
  return {
    minDistinctUsers,
    minDistinctUsersSensitive: review_gate?.min_distinct_users_sensitive ?? Math.max(3, minDistinctUsers),
  };
}

/** What touches money, access or data never needs fewer users than the rest. */
function gateIssues(body: ConfigBody): Issue[] {
  const { minDistinctUsers, minDistinctUsersSensitive } = gateThresholds(body);
  if (minDistinctUsersSensitive >= minDistinctUsers) return [];
  return [
    {
      pointer: "/review_gate/min_distinct_users_sensitive",
      message: `${minDistinctUsersSensitive} users are fewer than the ${minDistinctUsers} that any rule needs`,
      expected: `at least ${minDistinctUsers}, which is min_distinct_users`,
      type: "value_error",
    },
  ];
}

const refuse = (issues: readonly Issue[]): never => {
  const first = issues[0];
  throw new Failure("invalid", `${first?.pointer || "/"}: ${first?.message ?? "not a Config"}`, issues);
};

/**
 * Reads what a caller sent or what is stored: renames legacy keys, lets explicit null stand for the
 * default where a section cannot be null, refuses unknown keys.
 * @throws Failure("invalid") naming each fault by JSON pointer
 */
export function parseConfig(raw: unknown): Config {
  const body = parseOrFail(configBody, renameLegacyKeys(raw));
  const issues = [...strideIssues(body), ...gateIssues(body)];
  if (issues.length > 0) return refuse(issues);
  return { ...body, ...orgPolicy(body) };
}

/** What is stored of a Config and what its hash is taken over: keys in the schema's order. */
export function configText(config: ConfigBody & Partial<WindowPolicy>): string {
  const { windowSize: _window, strideSize: _stride, ...body } = config;
  return JSON.stringify(configBody.parse(body));
}

/** The Config of an org that never set one. */
export const defaultConfig = (): Config => parseConfig({});
