import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseOrFail } from "../../../src/http/validation";
import { publishBodySchema } from "../../../src/interactions/model";
import { newTurn } from "../../../src/interactions/turns";
import { checkPublish } from "../../../src/interactions/validate";
import { Failure } from "../../../src/platform/failure";

const body = (turns: unknown[], more: object = {}) => ({
  user_id: "ines",
  session_id: "s-1",
  interaction_data_list: turns,
  ...more,
});
const check = (raw: unknown) => checkPublish(parseOrFail(publishBodySchema, raw));
const pointersOf = (run: () => unknown): string[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure && error.kind === "invalid")
      return error.issues.map(({ pointer }) => pointer);
    throw error;
  }
  return [];
};
const said = { role: "User", content: "Please answer in one sentence." };

describe("what is refused, by JSON pointer", () => {
  test.each([
    ["no session", { user_id: "ines", interaction_data_list: [said] }, "/session_id"],
    ["a blank session", body([said], { session_id: "  " }), "/session_id"],
    ["no user", { session_id: "s", interaction_data_list: [said] }, "/user_id"],
    ["a blank request id", body([said], { request_id: "" }), "/request_id"],
    ["no turns", body([]), "/interaction_data_list"],
    ["more than 1,000 turns", body(new Array(1_001).fill(said)), "/interaction_data_list"],
    ["turns that are no list", body([said], { interaction_data_list: "hello" }), "/interaction_data_list"],
    ["a turn that is no object", body(["hello"]), "/interaction_data_list/0"],
    ["content that is no text", body([said, { content: 7 }]), "/interaction_data_list/1/content"],
    [
      "content above a million characters",
      body([{ content: "x".repeat(1_000_001) }]),
      "/interaction_data_list/0/content",
    ],
    ["an unknown action", body([{ ...said, user_action: "hover" }]), "/interaction_data_list/0/user_action"],
    [
      "an action without a description",
      body([said, { user_action: "click", user_action_description: " " }]),
      "/interaction_data_list/1/user_action_description",
    ],
    [
      "an image twice",
      body([{ interacted_image_url: "https://a.example/i.png", image_encoding: "aGk=" }]),
      "/interaction_data_list/0/image_encoding",
    ],
    [
      "the credentials service of a cloud as an image",
      body([{ ...said, interacted_image_url: "http://169.254.169.254/latest" }]),
      "/interaction_data_list/0/interacted_image_url",
    ],
    [
      "trap 5: evaluation input that is to be learned from",
      body([said], { evaluation_only: true, force_extraction: true }),
      "/force_extraction",
    ],
    [
      "an experiment without an arm",
      body([said], { retrieval_experiment_id: "e" }),
      "/retrieval_experiment_arm",
    ],
    [
      "an arm without an experiment",
      body([said], { retrieval_experiment_arm: "holdout" }),
      "/retrieval_experiment_id",
    ],
    [
      "more than 1,000 retrieved learnings in all",
      body(
        [0, 1].map(() => ({ retrieved_learnings: new Array(501).fill({ kind: "profile", learning_id: 1 }) })),
      ),
      "/interaction_data_list",
    ],
  ])("%s", (_name, raw, pointer) => {
    expect(pointersOf(() => check(raw))).toContain(pointer);
  });

  test("tool data that nests too deep for any recursion", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    const tools = [{ tool_name: "a" }, { tool_name: "b", tool_data: { deep } }];
    expect(pointersOf(() => check(body([{ ...said, tools_used: tools }])))).toEqual([
      "/interaction_data_list/0/tools_used/1/tool_data",
    ]);
  });

  test("trap 6: a list of nothing but empty turns, with the keys that made them look empty", () => {
    expect(() => check(body([{ Content: "hello" }, { user_action: "none" }]))).toThrow(/Content/);
  });
});

describe("what is dropped and reported", () => {
  test("trap 6: one blank turn is dropped with its place; the action none does not fill it", () => {
    const checked = check(body([{ content: " \n" }, said, { role: "Assistant", user_action: "none" }]));
    expect(checked.turns.map(({ index }) => index)).toEqual([1]);
    expect(checked.warnings).toEqual([
      "empty turns dropped: interaction_data_list[0], interaction_data_list[2]",
    ]);
  });

  test.each([
    ["content", { content: "x" }],
    ["a shadow answer", { shadow_content: "x" }],
    ["an expert's answer", { expert_content: "x" }],
    ["an image address", { interacted_image_url: "https://a.example/i.png" }],
    ["an inline image", { image_encoding: "aGk=" }],
    ["a tool call", { tools_used: [{ tool_name: "t" }] }],
    ["a citation", { citations: [{ kind: "profile", real_id: "1" }] }],
    ["a retrieved learning", { retrieved_learnings: [{ kind: "profile", learning_id: "1" }] }],
    ["an action", { user_action: "click", user_action_description: "opened" }],
  ])("a turn with nothing but %s is kept", (_name, turn) => {
    expect(check(body([{}, turn])).turns.map(({ index }) => index)).toEqual([1]);
  });

  test("trap 7: unknown keys are named with path and original place", () => {
    const { warnings } = check(
      body([{ content: "" }, { ...said, mood: 1, tools_used: [{ tool_name: "t", x: 1 }] }], {
        colour: "red",
      }),
    );
    expect(warnings).toEqual([
      "unknown keys ignored: colour",
      "interaction_data_list[1]: unknown keys ignored: mood",
      "interaction_data_list[1].tools_used[0]: unknown keys ignored: x",
      "empty turns dropped: interaction_data_list[0]",
    ]);
  });

  test("keys that the server decides itself are ignored without a word", () => {
    const turn = { ...said, user_id: "x", session_id: "y", created_at: 1, interaction_id: 2, embedding: [] };
    expect(check(body([turn])).warnings).toEqual([]);
  });

  test("explicit nulls count as absent", () => {
    const turn = { ...said, tools_used: null, user_action: null, image_encoding: null, token_count: null };
    const checked = check(body([turn], { request_id: null, source: null, retrieval_experiment_id: null }));
    expect(checked.warnings).toEqual([]);
  });

  test("trap 7: no input makes the list of warnings long or their names dangerous", () => {
    const key = fc.string({ maxLength: 200 });
    const turn = fc.dictionary(key, fc.integer(), { maxKeys: 12 }).map((extra) => ({ ...extra, ...said }));
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 1, maxLength: 60 }),
        fc.dictionary(key, fc.boolean()),
        (turns, top) => {
          const { warnings } = check({ ...top, ...body(turns) });
          expect(warnings.length).toBeLessThanOrEqual(24);
          for (const warning of warnings) {
            expect(warning.length).toBeLessThan(600);
            // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not appear
            expect(warning).not.toMatch(/[\u0000-\u001f\u007f]/);
            expect(warning.isWellFormed()).toBe(true);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("dropped turns beyond ten are counted", () => {
    const { warnings } = check(body([...new Array(13).fill({}), said]));
    expect(warnings[0]).toMatch(/interaction_data_list\[9\] and 3 more$/);
  });
});

describe("what is stored of a turn", () => {
  const stored = async (turn: object) => {
    const [kept] = check(body([turn])).turns;
    if (kept === undefined) throw new Error("nothing kept");
    return newTurn(kept);
  };

  test("of an inline image only type, length and SHA-256, with a warning", async () => {
    const png = "iVBORw0KGgo=";
    const turn = { image_encoding: `data:image/jpeg;base64,${png}` };
    expect(check(body([turn])).warnings).toEqual([
      "image_encoding: only type, length and SHA-256 are kept of interaction_data_list[0]",
    ]);
    const { details } = await stored(turn);
    expect(JSON.parse(details)).toEqual({
      image: {
        type: "image/png",
        bytes: 8,
        sha256: "4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6",
      },
    });
  });

  test("an image that is no base64 is refused by name", async () => {
    await expect(stored({ image_encoding: "not base64!" })).rejects.toMatchObject({
      issues: [{ pointer: "/interaction_data_list/0/image_encoding" }],
    });
  });

  test("a turn above 1,500,000 bytes names its largest field", async () => {
    const wide = { content: "é".repeat(300_000), expert_content: "界".repeat(400_000) };
    await expect(stored(wide)).rejects.toMatchObject({
      issues: [{ pointer: "/interaction_data_list/0/expert_content" }],
    });
    const { content } = await stored({ content: "界".repeat(499_990) });
    expect(content).toHaveLength(499_990);
  });

  test("unknown keys and defaults are not", async () => {
    const { details } = await stored({
      ...said,
      mood: "sour",
      tools_used: [{ tool_name: "find", extra: 1 }],
    });
    expect(JSON.parse(details)).toEqual({ tools_used: [{ tool_name: "find", tool_data: {} }] });
  });
});
