import { describe, expect, test } from "vitest";
import {
  configText,
  defaultConfig,
  gateThresholds,
  parseConfig,
  windowPolicy,
} from "../../../src/orgs/config";
import { Failure } from "../../../src/platform/failure";

const pointersOf = (raw: unknown): string[] => {
  try {
    parseConfig(raw);
  } catch (error) {
    if (error instanceof Failure) return error.issues.map(({ pointer }) => pointer);
    throw error;
  }
  return [];
};
const prompt = { extraction_definition_prompt: "What to learn." };

describe("defaults", () => {
  test("an org that set nothing learns in windows of 10 with a stride of 8, and aggregates", () => {
    const config = defaultConfig();
    expect([config.windowSize, config.strideSize]).toEqual([10, 8]);
    expect(config.user_playbook_extractor_config?.aggregation_config).toEqual({
      min_cluster_size: 2,
      reaggregation_trigger_count: 2,
      clustering_similarity: null,
      direction_overlap_threshold: 0.6,
    });
  });
  test("trap 12: an explicit null resets what cannot be null and switches off what can", () => {
    const config = parseConfig({ window_size: null, lineage_gc: null, user_playbook_extractor_config: null });
    expect(config.windowSize).toBe(10);
    expect(config.lineage_gc.retention_days).toBe(90);
    expect(config.user_playbook_extractor_config).toBeNull();
  });
  test("trap 12: an extractor given without its prompt is refused, not filled in", () => {
    expect(pointersOf({ user_playbook_extractor_config: { stride_size_override: 3 } })).toEqual([
      "/user_playbook_extractor_config/extraction_definition_prompt",
    ]);
  });
  test("an extractor given without aggregation does not aggregate", () => {
    const config = parseConfig({ user_playbook_extractor_config: prompt });
    expect(config.user_playbook_extractor_config?.aggregation_config).toBeNull();
  });
  test("a trigger count of zero or less counts as two", () => {
    const config = parseConfig({
      user_playbook_extractor_config: { ...prompt, aggregation_config: { reaggregation_trigger_count: -4 } },
    });
    expect(config.user_playbook_extractor_config?.aggregation_config?.reaggregation_trigger_count).toBe(2);
  });
});

describe("windows and strides", () => {
  test("a preset sets both; an explicit number wins over it", () => {
    expect(windowPolicy(parseConfig({ extraction_preset: "long_form" }), "playbook")).toEqual({
      windowSize: 25,
      strideSize: 10,
    });
    expect(
      windowPolicy(parseConfig({ extraction_preset: "quick_chat", stride_size: 5 }), "playbook"),
    ).toEqual({ windowSize: 5, strideSize: 5 });
  });
  test("a preset chosen later is not hidden behind the numbers of an earlier one", () => {
    const stored: unknown = JSON.parse(configText(parseConfig({ extraction_preset: "quick_chat" })));
    const merged = parseConfig({ ...Object(stored), extraction_preset: "high_volume" });
    expect([merged.windowSize, merged.strideSize]).toEqual([15, 8]);
  });
  test("trap 11: the stride must fit after preset, override and legacy names, per extractor", () => {
    expect(pointersOf({ window_size: 5 })).toContain("/stride_size");
    expect(pointersOf({ batch_size: 4, batch_interval: 5 })).toContain("/stride_size");
    expect(pointersOf({ extraction_preset: "quick_chat", stride_size: 6 })).toContain("/stride_size");
    const overridden = { user_playbook_extractor_config: { ...prompt, window_size_override: 3 } };
    expect(pointersOf(overridden)).toEqual(["/user_playbook_extractor_config/stride_size_override"]);
    expect(pointersOf({ window_size: 0 })).toEqual(["/window_size"]);
  });
});

describe("names", () => {
  test("unknown keys are refused at every level", () => {
    expect(pointersOf({ windowsize: 3 })).toEqual(["/windowsize"]);
    expect(pointersOf({ lineage_gc: { days: 3 } })).toEqual(["/lineage_gc/days"]);
    expect(pointersOf([])).toEqual([""]);
  });
  test("legacy names and lists are understood; a new name beside them wins", () => {
    const config = parseConfig({
      batch_size: 6,
      batch_interval: 2,
      stride_size: 3,
      playbook_configs: [
        {
          feedback_definition_prompt: "Old words.",
          feedback_aggregator_config: { min_feedback_threshold: 4 },
        },
        { extraction_definition_prompt: "Second extractor." },
      ],
      profile_extractor_configs: [],
    });
    expect(windowPolicy(config, "playbook")).toEqual({ windowSize: 6, strideSize: 3 });
    expect(config.user_playbook_extractor_config?.extraction_definition_prompt).toBe("Old words.");
    expect(config.user_playbook_extractor_config?.aggregation_config?.min_cluster_size).toBe(4);
    expect(config.profile_extractor_config).not.toBeNull();
  });
  test("control characters leave prompts; a prompt of nothing else is blank", () => {
    const config = parseConfig({ agent_context_prompt: "A\u0007 desk\n\tagent" });
    expect(config.agent_context_prompt).toBe("A desk\n\tagent");
    expect(
      pointersOf({ user_playbook_extractor_config: { extraction_definition_prompt: "\u0001 " } }),
    ).toHaveLength(1);
  });
});

describe("the review gate", () => {
  test("asks for two users, and for three where a rule touches money, access or data", () => {
    expect(gateThresholds(defaultConfig())).toEqual({ minDistinctUsers: 2, minDistinctUsersSensitive: 3 });
    expect(gateThresholds(parseConfig({ review_gate: null }))).toEqual(gateThresholds(defaultConfig()));
  });
  test("takes what the org set; a higher floor lifts the other with it", () => {
    const of = (review_gate: object) => gateThresholds(parseConfig({ review_gate }));
    expect(of({ min_distinct_users: 5 })).toEqual({ minDistinctUsers: 5, minDistinctUsersSensitive: 5 });
    expect(of({ min_distinct_users: 1, min_distinct_users_sensitive: 1 })).toEqual({
      minDistinctUsers: 1,
      minDistinctUsersSensitive: 1,
    });
    expect(of({ min_distinct_users_sensitive: 9 }).minDistinctUsers).toBe(2);
  });
  test("refuses fewer users for what is sensitive, counts out of bounds and unknown keys, by pointer", () => {
    const low = { review_gate: { min_distinct_users: 4, min_distinct_users_sensitive: 3 } };
    expect(pointersOf(low)).toEqual(["/review_gate/min_distinct_users_sensitive"]);
    expect(pointersOf({ review_gate: { min_distinct_users_sensitive: 1 } })).toEqual([
      "/review_gate/min_distinct_users_sensitive",
    ]);
    for (const min_distinct_users of [0, 1_001, 1.5, "2"]) {
      expect(pointersOf({ review_gate: { min_distinct_users } })).toEqual([
        "/review_gate/min_distinct_users",
      ]);
    }
    expect(pointersOf({ review_gate: { users: 2 } })).toEqual(["/review_gate/users"]);
  });
});

test("what is stored reads back as the same Config, with the same text", () => {
  const config = parseConfig({
    extraction_preset: "standard",
    tool_can_use: [{ tool_name: "a", tool_description: "b" }],
  });
  const again = parseConfig(JSON.parse(configText(config)));
  expect(again).toEqual(config);
  expect(configText(again)).toBe(configText(config));
});
