import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createEgress } from "../../../src/platform/egress";
import { createReasoner } from "../../../src/platform/reasoner";
import type { AiBinding } from "../../../src/platform/reasoner/llm";
import { guidance, turn } from "../../unit/reasoner/fixtures";

const input = { turns: [turn("T1", "User", "Never ship ferns on a Friday.")], guidance };
const playbooks = [
  {
    rationale: "The customer said so.",
    evidence_kind: "preference",
    trigger: "t",
    content: "c",
    evidence_refs: ["T1"],
  },
];
const completion = {
  id: "c",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "some-model",
  choices: [
    {
      index: 0,
      finish_reason: "stop",
      message: { role: "assistant", content: JSON.stringify({ playbooks }) },
    },
  ],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
};
/** The adapter uses `run` alone of what the binding has. */
const aiBinding = z.custom<AiBinding>(
  (value) => typeof value === "object" && value !== null && "run" in value,
);
const settings = {
  provider: "openai-compatible",
  model: "some-model",
  baseUrl: "https://models.example/v1",
} as const;

describe("the llm adapter inside workerd", () => {
  it("loads the SDK and answers through the guarded fetch", async () => {
    const sent: { url: string; body: string }[] = [];
    const egress = createEgress(
      { allowLoopback: false, timeoutMs: 20_000, maxResponseBytes: 100_000 },
      {
        fetcher: async (url, init) => {
          sent.push({ url, body: String(init.body) });
          return Response.json(completion);
        },
      },
    );
    const reasoner = createReasoner(
      { adapter: "llm", llm: settings },
      { egress, nonce: () => "tagfortests0001" },
    );
    const answer = await reasoner.run("extract", input);
    expect(answer).toMatchObject({
      output: { playbooks },
      provider: "openai-compatible",
      inputTokens: 7,
      outputTokens: 3,
    });
    expect(sent.map(({ url }) => url)).toEqual(["https://models.example/v1/chat/completions"]);
    expect(JSON.parse(sent[0]?.body ?? "")).toMatchObject({ response_format: { type: "json_schema" } });
  });

  it("calls the Workers AI binding with a bare schema and ends when it hangs", async () => {
    const deadline = new AbortController();
    const runs: unknown[] = [];
    const ai = {
      run: (_model: string, inputs: unknown) => {
        runs.push(inputs);
        if (runs.length === 1)
          return Promise.resolve({
            response: { playbooks },
            usage: { prompt_tokens: 7, completion_tokens: 3 },
          });
        deadline.abort(new DOMException("late", "TimeoutError"));
        return new Promise(() => undefined);
      },
    };
    const reasoner = createReasoner(
      { adapter: "llm", llm: { provider: "workers-ai", model: "@cf/some/model" } },
      {
        egress: () => Promise.reject(new Error("the binding needs no network")),
        nonce: () => "tagfortests0001",
        timeoutSignal: () => deadline.signal,
        ai: aiBinding.parse(ai),
      },
    );
    expect(await reasoner.run("extract", input)).toMatchObject({
      output: { playbooks },
      provider: "workers-ai",
    });
    expect(runs[0]).toMatchObject({
      response_format: { type: "json_schema", json_schema: { type: "object" } },
      temperature: 0,
    });
    await expect(reasoner.run("extract", input)).rejects.toMatchObject({
      fault: "transient",
      code: "timeout",
    });
  });
});
