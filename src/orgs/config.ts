/**
 * An org's Config: which conversations are learned from, how, and how rules are synthesised. Pure.
 * What is stored is what was set; presets and defaults are resolved when it is read, so that a later
 * change of the preset is not hidden behind numbers nobody chose.
 */

import type * as z from "zod";
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

/** A stride above its window would leave turns that no window ever shows. */
function strideIssues(body: ConfigBody): Issue[] {
  return [
    ...strideIssue("/stride_size", orgPolicy(body)),
    ...(body.user_playbook_extractor_config === null
      ? []
      : strideIssue("/user_playbook_extractor_config/stride_size_override", windowPolicy(body, "playbook"))),
    ...(body.profile_extractor_config === null
      ? []
      : strideIssue("/profile_extractor_config/stride_size_override", windowPolicy(body, "profile"))),
  ];
}

const issueOf = (issue: z.core.$ZodIssue): Issue => ({
  pointer: issue.path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""),
  message: issue.message,
  expected: issue.code === "unrecognized_keys" ? `none of the keys ${issue.keys.join(", ")}` : issue.message,
  type: issue.code,
});

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
  const parsed = configBody.safeParse(renameLegacyKeys(raw));
  if (!parsed.success) return refuse(parsed.error.issues.map(issueOf));
  const body = parsed.data;
  const issues = strideIssues(body);
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
