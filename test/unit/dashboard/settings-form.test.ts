/** The form of the settings: what its fields show, and the Config that what was typed stands for. */
import { describe, expect, it } from "vitest";
import { FIELDS } from "../../../src/dashboard/settings/fields";
import {
  configOf,
  faultAt,
  faultsElsewhere,
  formOf,
  rebased,
  typedOf,
} from "../../../src/dashboard/settings/form";
import { at, differences, withAt } from "../../../src/dashboard/settings/json";
import { configText, defaultConfig, parseConfig } from "../../../src/orgs/config";
import { Failure } from "../../../src/platform/failure";

const documentOf = (raw: unknown): unknown => JSON.parse(configText(parseConfig(raw)));
const DEFAULTS = JSON.parse(configText(defaultConfig()));
const PLAYBOOK = "user_playbook_extractor_config";
const AGGREGATION = `${PLAYBOOK}/aggregation_config`;
const PROMPT = { extraction_definition_prompt: "What to learn." };

/** The Config after the form was sent with some fields typed anew. */
const sent = (raw: unknown, typed: Record<string, string>) => {
  const document = documentOf(raw);
  return parseConfig(configOf(document, { ...formOf(document, DEFAULTS), ...typed }, DEFAULTS));
};

describe("the form", () => {
  it.each([
    ["the defaults", {}],
    ["learning switched off", { [PLAYBOOK]: null }],
    ["merging switched off", { [PLAYBOOK]: { ...PROMPT, aggregation_config: null } }],
    ["stripping switched off", { user_detail_stripping_config: { enabled: false, forcelist: ["Ada"] } }],
    ["a gate", { review_gate: { min_distinct_users: 4 } }],
    ["what no field shows", { llm_config: { generation_model_name: "m" }, skip_should_run_check: true }],
    ["line ends of another system", { agent_context_prompt: "one\r\ntwo" }],
  ])("sent as it was shown changes nothing: %s", (_, raw) => {
    expect(configText(sent(raw, {}))).toBe(configText(parseConfig(raw)));
  });

  it("has a field only for what the Config knows", () => {
    for (const { name, kind } of FIELDS) {
      const value = kind === "section" || kind === "switch" ? "on" : "";
      expect(
        () => sent({}, { [name]: value, [`${PLAYBOOK}/extraction_definition_prompt`]: "x" }),
        name,
      ).not.toThrow();
    }
  });

  it("takes an empty number and an empty list as the default", () => {
    const config = sent(
      { window_size: 20, [PLAYBOOK]: { ...PROMPT, request_sources_enabled: ["web"] } },
      { window_size: "", [`${PLAYBOOK}/request_sources_enabled`]: " \n" },
    );
    expect([config.window_size, config.windowSize]).toEqual([null, 10]);
    expect(config.user_playbook_extractor_config?.request_sources_enabled).toBeNull();
  });

  it("reads a list as one entry a line", () => {
    const config = sent({}, { "user_detail_stripping_config/forcelist": "Ada \n\n Grace" });
    expect(config.user_detail_stripping_config).toEqual({ enabled: true, forcelist: ["Ada", "Grace"] });
  });

  it("switches sections off and on again, with their defaults", () => {
    expect(sent({}, { [PLAYBOOK]: "" }).user_playbook_extractor_config).toBeNull();
    const on = sent({ [PLAYBOOK]: null }, { [PLAYBOOK]: "on" });
    expect(on.user_playbook_extractor_config).toEqual(defaultConfig().user_playbook_extractor_config);
    expect(sent({}, { [AGGREGATION]: "" }).user_playbook_extractor_config?.aggregation_config).toBeNull();
  });

  it("leaves what no field shows as it is", () => {
    const raw = { [PLAYBOOK]: { ...PROMPT, aggregation_config: { direction_overlap_threshold: 0.9 } } };
    const config = sent(raw, { [`${AGGREGATION}/min_cluster_size`]: "3" });
    expect(config.user_playbook_extractor_config?.aggregation_config).toMatchObject({
      min_cluster_size: 3,
      direction_overlap_threshold: 0.9,
    });
  });

  it.each([
    ["window_size", "many"],
    ["window_size", "1001"],
    ["stride_size", "11"],
    [`${PLAYBOOK}/extraction_definition_prompt`, " "],
    [`${AGGREGATION}/clustering_similarity`, "1.5"],
    ["review_gate/min_distinct_users_sensitive", "1"],
    ["lineage_gc/retention_days", "2.5"],
  ])("shows a fault beside its field: %s as %j", (name, typed) => {
    let issues: Failure["issues"] = [];
    try {
      sent({}, { [name]: typed });
    } catch (error) {
      if (error instanceof Failure) issues = error.issues;
    }
    expect(faultAt(issues, name)?.pointer).toBe(`/${name}`);
    expect(faultsElsewhere(issues)).toEqual([]);
  });

  it("names a fault that no field shows by its place", () => {
    const raw = { [PLAYBOOK]: { ...PROMPT, stride_size_override: 8 } };
    let issues: Failure["issues"] = [];
    try {
      sent(raw, { window_size: "5", stride_size: "5" });
    } catch (error) {
      if (error instanceof Failure) issues = error.issues;
    }
    expect(faultsElsewhere(issues).map(({ pointer }) => pointer)).toEqual([
      `/${PLAYBOOK}/stride_size_override`,
    ]);
  });

  it("reads nothing of a request but its own fields", () => {
    expect(Object.keys(typedOf({ window_size: "3", evil: "x", csrf: "y" })).sort()).toEqual(
      FIELDS.map(({ name }) => name).sort(),
    );
  });
});

describe("two editors", () => {
  const shown = (raw: unknown) => formOf(documentOf(raw), DEFAULTS);

  it("keep both changes where they changed different fields", () => {
    const base = shown({});
    const { typed, meanwhile } = rebased(
      base,
      { ...base, window_size: "20" },
      shown({ agent_context_prompt: "A desk." }),
    );
    expect([typed.window_size, typed.agent_context_prompt]).toEqual(["20", "A desk."]);
    expect([...meanwhile]).toEqual([
      ["agent_context_prompt", { before: "", now: "A desk.", isMineToo: false }],
    ]);
  });

  it("see both values of a field that both changed, and the field keeps what was typed last", () => {
    const base = shown({});
    const { typed, meanwhile } = rebased(base, { ...base, window_size: "20" }, shown({ window_size: 30 }));
    expect(typed.window_size).toBe("20");
    expect(meanwhile.get("window_size")).toEqual({ before: "", now: "30", isMineToo: true });
  });
});

describe("documents", () => {
  it("are read and changed by place, never through a prototype", () => {
    expect(at({}, ["constructor"])).toBeUndefined();
    expect(at(null, ["a"])).toBeUndefined();
    expect(withAt({ a: null }, ["a", "b"], 1)).toEqual({ a: { b: 1 } });
  });

  it("differ key by key, with pointers that can be read back", () => {
    expect(differences({ a: { "x/y": 1, z: [1] } }, { a: { "x/y": 2, z: [1] }, b: null })).toEqual([
      { pointer: "/a/x~1y", before: 1, after: 2 },
      { pointer: "/b", before: undefined, after: null },
    ]);
  });
});
