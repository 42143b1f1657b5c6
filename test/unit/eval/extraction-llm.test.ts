/** The evaluation with a real model's adapter, run as its command against a scripted model on loopback. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type LlmStub, type StubReply, startLlmStub } from "../../support/llm-stub";

const project = resolve(import.meta.dirname, "../../..");
const oracle = {
  files: [
    {
      file: "tiles.json",
      expected: [
        {
          id: "E1",
          trigger: "quoting a price for tiles",
          content: "add ten per cent for breakage",
          kind: "correction",
          evidence_turns: [2],
          must_have_any: ["breakage", "tile"],
          importance: 3,
        },
      ],
      must_not: [],
    },
  ],
  micro: [
    {
      turns: [{ role: "User", content: "Always round tile counts up." }],
      expect: { trigger_any: ["tile"], content_any: ["round"], kind: "preference" },
    },
    { turns: [{ role: "User", content: "Thanks, lovely tiles!" }], expect: null },
  ],
};
const conversation = {
  user_id: "u",
  interaction_data_list: [
    { role: "User", content: "How many tiles for nine square metres?" },
    { role: "Assistant", content: "Exactly 100 tiles." },
    { role: "User", content: "You forgot breakage. Add ten per cent to every tile order." },
  ],
};
const answer = (...rules: { trigger: string; content: string; ref: string }[]): StubReply => ({
  kind: "text",
  text: JSON.stringify({
    playbooks: rules.map(({ trigger, content, ref }) => ({
      rationale: "The user said so.",
      evidence_kind: "correction",
      trigger,
      content,
      evidence_refs: [ref],
    })),
  }),
});
const breakage = answer({
  trigger: "Asked for a number of tiles.",
  content: "Add ten per cent for breakage.",
  ref: "T3",
});
const rounding = answer({ trigger: "Counting tiles.", content: "Round the count up.", ref: "T1" });

let stub: LlmStub;
let folder: string;
beforeAll(async () => {
  stub = await startLlmStub();
  folder = await mkdtemp(join(tmpdir(), "evaluation-"));
  await writeFile(join(folder, "oracle.json"), JSON.stringify(oracle));
  await writeFile(join(folder, "tiles.json"), JSON.stringify(conversation));
});
beforeEach(() => stub.reset());
afterAll(async () => {
  await stub.close();
  await rm(folder, { recursive: true });
});

/** Runs the command to its end. */
function evaluate(environment: Record<string, string>): Promise<{ code: number | null; text: string }> {
  const args = ["--import", "tsx", "scripts/eval-extraction.ts", "--reasoner", "llm"];
  const files = ["--oracle", join(folder, "oracle.json"), "--inputs", folder];
  const child = spawn(process.execPath, [...args, ...files], {
    cwd: project,
    env: { PATH: process.env.PATH ?? "", ...environment },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  return new Promise((settle, fail) => {
    child.on("error", fail).on("close", (code) => settle({ code, text }));
  });
}

const model = () => ({
  LLM_PROVIDER: "openai-compatible",
  LLM_BASE_URL: stub.baseUrl,
  LLM_MODEL: "some-model",
});

it("scores what a model answers, one call a window and one repair included", {
  timeout: 60_000,
}, async () => {
  const truncated: StubReply = { kind: "text", text: '{"playbooks": [{"rati' };
  // The whole conversation, its one window (mended once), and the two micro cases.
  stub.script(breakage, truncated, breakage, rounding, answer());
  const { code, text } = await evaluate(model());
  expect(text).toContain("Extraction by llm: 1 conversations, 2 micro cases");
  expect(text).toContain("whole: importance-3 recall 100.0 % (1/1), wrong 0.0 %");
  expect(text).toContain("micro: precision 100.0 % (1/1), recall 100.0 % (1/1), false positives 0");
  expect({ code, last: text.trim().split("\n").at(-1) }).toEqual({ code: 0, last: "Targets reached." });
  expect(stub.requests).toHaveLength(5);
  expect(stub.requests[0]?.model).toBe("some-model");
  expect(stub.requests[0]?.messages[0]?.content).toContain("How many tiles");
});

it("ends with 1 below the targets", { timeout: 60_000 }, async () => {
  stub.script(answer(), answer(), answer(), rounding);
  const { code, text } = await evaluate(model());
  expect({ code, last: text.trim().split("\n").at(-1) }).toEqual({ code: 1, last: "Below the targets." });
});

it.each([
  ["a setting is missing", () => ({}), /^LLM_PROVIDER, LLM_MODEL.+missing or wrong/],
  ["the model refuses", model, /401|key|refused/i],
])("ends with 2 and says why when %s", { timeout: 60_000 }, async (_what, environment, reason) => {
  stub.script({ kind: "status", status: 401 });
  const { code, text } = await evaluate(environment());
  expect(code).toBe(2);
  expect(text).toMatch(reason);
});
