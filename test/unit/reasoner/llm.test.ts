import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createEgress } from "../../../src/platform/egress";
import { spentBy } from "../../../src/platform/reasoner";
import { createLlmReasoner, type LlmSettings } from "../../../src/platform/reasoner/llm";
import { ReasonerError, type TaskName } from "../../../src/platform/reasoner/port";
import { type LlmStub, type StubReply, startLlmStub } from "../../support/llm-stub";
import { goodAnswers, inputs } from "./fixtures";

const tag = "tagfortests0001";
const allTasks: TaskName[] = [
  "shouldExtract",
  "extract",
  "shouldExtractExpert",
  "extractExpert",
  "reviewCandidates",
  "reviewStored",
  "consolidate",
  "synthesise",
  "tag",
  "reformulate",
];

const wires = [
  { name: "chat completions (openai)", provider: "openai", model: "gpt-4.1", wire: "chat" },
  {
    name: "chat completions (openai-compatible)",
    provider: "openai-compatible",
    model: "some-model",
    wire: "chat",
  },
  {
    name: "messages (anthropic, native schema)",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    wire: "messages",
  },
  {
    name: "messages (anthropic, json tool)",
    provider: "anthropic",
    model: "claude-3-haiku-20240307",
    wire: "messages",
  },
] as const;

let stub: LlmStub;
beforeAll(async () => {
  stub = await startLlmStub();
});
afterAll(() => stub.close());

function reasonerOf(settings: Pick<LlmSettings, "provider" | "model">, timeoutSignal?: () => AbortSignal) {
  const egress = createEgress({ allowLoopback: true, timeoutMs: 20_000, maxResponseBytes: 1_000_000 });
  return createLlmReasoner(
    { ...settings, baseUrl: stub.baseUrl, apiKey: "key-of-a-test", smallModel: "small-model" },
    { egress, nonce: () => tag, ...(timeoutSignal === undefined ? {} : { timeoutSignal }) },
  );
}

const text = (answer: string): StubReply => ({ kind: "text", text: answer });

async function failureOf(work: Promise<unknown>): Promise<ReasonerError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ReasonerError)) throw new Error(`expected a ReasonerError, got ${String(error)}`);
  return error;
}

describe.each(wires)("$name", ({ provider, model, wire }) => {
  beforeEach(() => stub.reset());

  it.each(allTasks)("answers %s and says who answered at what cost", async (task) => {
    stub.script(text(goodAnswers[task]));
    const answer = await reasonerOf({ provider, model }).run(task, inputs[task]);
    const isFree = task === "shouldExtract" || task === "shouldExtractExpert" || task === "reformulate";
    expect(answer).toMatchObject({
      rawText: goodAnswers[task],
      provider,
      model: isFree || task === "tag" ? "small-model" : model,
      inputTokens: 120,
      outputTokens: 30,
    });
    expect(stub.requests).toHaveLength(1);
    expect(stub.requests[0]?.wire).toBe(wire);
    expect(stub.requests[0]?.schema === null).toBe(isFree);
    expect(stub.requests[0]?.messages.map((message) => message.role)).toEqual(["user"]);
  });

  it("keeps the tag out of the system message, so that its prefix can be cached", async () => {
    stub.script(text(goodAnswers.extract));
    await reasonerOf({ provider, model }).run("extract", inputs.extract);
    expect(stub.requests[0]?.system).not.toContain(tag);
    expect(stub.requests[0]?.messages[0]?.content).toContain(`<<data ${tag}>>`);
  });

  const mendable: { fault: string; reply: StubReply; code: string }[] = [
    {
      fault: "truncated JSON",
      reply: { kind: "text", text: '{"playbooks":[{"rationale":"Plants', finish: "length" },
      code: "truncated_json",
    },
    {
      fault: "JSON without an end",
      reply: text('{"playbooks":[{"rationale":"a","trigger":"b","content":"c"},{"ra'),
      code: "truncated_json",
    },
    {
      fault: "prose without JSON",
      reply: text("I found nothing that {seems} worth [much]."),
      code: "no_json",
    },
    { fault: "a trailing comma", reply: text('{"playbooks": [],}'), code: "no_json" },
    {
      fault: "wrong types throughout",
      reply: text('{"playbooks": "none", "count": 0}'),
      code: "invalid_json_shape",
    },
    { fault: "an echo of the prompt", reply: { kind: "echo" }, code: "prompt_echo" },
    { fault: "an empty answer", reply: text("  "), code: "empty_answer" },
  ];

  it.each(mendable)("mends $fault by one repair", async ({ reply }) => {
    stub.script(reply, text(goodAnswers.extract));
    const answer = await reasonerOf({ provider, model }).run("extract", inputs.extract);
    expect(answer.output.playbooks).toHaveLength(1);
    expect(answer).toMatchObject({ inputTokens: 240, outputTokens: 60 });
    expect(stub.requests).toHaveLength(2);
    expect(stub.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
    expect(stub.requests[1]?.messages[0]).toEqual(stub.requests[0]?.messages[0]);
    expect(stub.requests[1]?.system).toBe(stub.requests[0]?.system);
  });

  it.each(mendable)("gives $fault up as $code when the repair fails too", async ({ reply, code }) => {
    stub.script(reply, reply);
    const error = await failureOf(reasonerOf({ provider, model }).run("extract", inputs.extract));
    expect(error).toMatchObject({ fault: "unusable", code });
    expect(stub.requests).toHaveLength(2);
  });

  it("tells what a failure cost, also when the repair itself fails otherwise", async () => {
    stub.script(text("nothing"), { kind: "status", status: 429, headers: { "retry-after": "3" } });
    const error = await failureOf(reasonerOf({ provider, model }).run("extract", inputs.extract));
    expect(error).toMatchObject({ fault: "transient", code: "rate_limited", retryAfterMs: 3_000 });
    expect(spentBy(error)).toEqual({ provider, model, inputTokens: 120, outputTokens: 30 });
  });

  it("does not repair what is the pipeline's second attempt already", async () => {
    stub.script(text("nothing"));
    const repair = { previousAnswer: goodAnswers.extract, problems: ["Every rule leaked a turn label."] };
    const error = await failureOf(
      reasonerOf({ provider, model }).run("extract", { ...inputs.extract, repair }),
    );
    expect(error).toMatchObject({ fault: "unusable", code: "no_json" });
    expect(stub.requests).toHaveLength(1);
    expect(stub.requests[0]?.messages[2]?.content).toContain("Every rule leaked a turn label.");
  });

  const tolerated: { form: string; answer: string }[] = [
    { form: "prose around JSON", answer: `Here are the rules.\n${goodAnswers.extract}\nI hope this helps.` },
    { form: "a code fence", answer: `\`\`\`json\n${goodAnswers.extract}\n\`\`\`` },
    {
      form: "braces in prose",
      answer: `The set {fern, ivy} and {"like": so} matter [not]. ${goodAnswers.extract} {end}`,
    },
  ];

  it.each(tolerated)("reads $form without a repair", async ({ answer: rawAnswer }) => {
    stub.script(text(rawAnswer));
    const answer = await reasonerOf({ provider, model }).run("extract", inputs.extract);
    expect(answer.output.playbooks[0]).toMatchObject({ evidence_kind: "correction", evidence_refs: ["T3"] });
    expect(stub.requests).toHaveLength(1);
  });

  it("makes lone surrogates well-formed and drops NUL", async () => {
    stub.script(
      text(
        '{"playbooks":[{"rationale":"r","evidence_kind":"correction","trigger":"a\\ud800b","content":"c\\u0000d","evidence_refs":["T3"]}]}',
      ),
    );
    const answer = await reasonerOf({ provider, model }).run("extract", inputs.extract);
    expect(answer.output.playbooks[0]).toMatchObject({ trigger: "a\ufffdb", content: "cd" });
  });

  it("does not ask again when the provider's filter withheld the answer", async () => {
    stub.script({ kind: "text", text: "", finish: "content_filter" });
    const error = await failureOf(reasonerOf({ provider, model }).run("extract", inputs.extract));
    expect(error).toMatchObject({ fault: "unusable", code: "content_filter" });
    expect(stub.requests).toHaveLength(1);
  });

  const statuses = [
    {
      status: 429,
      headers: { "retry-after": "7" },
      fault: "transient",
      code: "rate_limited",
      retryAfterMs: 7_000,
    },
    {
      status: 429,
      headers: { "retry-after-ms": "350" },
      fault: "transient",
      code: "rate_limited",
      retryAfterMs: 350,
    },
    { status: 429, headers: {}, fault: "transient", code: "rate_limited", retryAfterMs: undefined },
    { status: 500, headers: {}, fault: "transient", code: "provider_error", retryAfterMs: undefined },
    {
      status: 503,
      headers: { "retry-after": "2" },
      fault: "transient",
      code: "overloaded",
      retryAfterMs: 2_000,
    },
    { status: 529, headers: {}, fault: "transient", code: "overloaded", retryAfterMs: undefined },
    { status: 504, headers: {}, fault: "transient", code: "timeout", retryAfterMs: undefined },
    { status: 400, headers: {}, fault: "refused", code: "bad_request", retryAfterMs: undefined },
    { status: 401, headers: {}, fault: "refused", code: "unauthorized", retryAfterMs: undefined },
    { status: 402, headers: {}, fault: "refused", code: "billing", retryAfterMs: undefined },
    { status: 403, headers: {}, fault: "refused", code: "forbidden", retryAfterMs: undefined },
  ] as const;

  it.each(statuses)(
    "takes $status $headers as $fault $code",
    async ({ status, headers, fault, code, retryAfterMs }) => {
      stub.script({ kind: "status", status, headers });
      const error = await failureOf(reasonerOf({ provider, model }).run("extract", inputs.extract));
      expect({ fault: error.fault, code: error.code, retryAfterMs: error.retryAfterMs }).toEqual({
        fault,
        code,
        retryAfterMs,
      });
      expect(stub.requests).toHaveLength(1);
    },
  );

  it("takes 429 for an empty account as billing, which waiting does not mend", async () => {
    stub.script({
      kind: "status",
      status: 429,
      body: '{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}',
    });
    const error = await failureOf(reasonerOf({ provider, model }).run("extract", inputs.extract));
    expect(error).toMatchObject({ fault: "refused", code: "billing" });
  });

  it.each([
    { kind: "empty", code: "invalid_response" },
    { kind: "html", code: "invalid_response" },
    { kind: "reset", code: "network" },
  ] as const)("takes a body or connection that is $kind as transient", async ({ kind, code }) => {
    stub.script({ kind });
    const error = await failureOf(reasonerOf({ provider, model }).run("extract", inputs.extract));
    expect(error).toMatchObject({ fault: "transient", code });
  });

  it("takes an endpoint that hangs past the deadline as a time-out", async () => {
    const deadline = new AbortController();
    stub.onHang(() => deadline.abort(new DOMException("too late", "TimeoutError")));
    stub.script({ kind: "hang" });
    const reasoner = reasonerOf({ provider, model }, () => deadline.signal);
    expect(await failureOf(reasoner.run("extract", inputs.extract))).toMatchObject({
      fault: "transient",
      code: "timeout",
    });
  });

  it("ends when the caller gives up", async () => {
    const caller = new AbortController();
    stub.onHang(() => caller.abort());
    stub.script({ kind: "hang" });
    const work = reasonerOf({ provider, model }).run("extract", inputs.extract, caller.signal);
    expect(await failureOf(work)).toMatchObject({ fault: "transient", code: "aborted" });
  });

  it("never puts the key or the conversation into an error", async () => {
    stub.script({
      kind: "status",
      status: 500,
      body: `{"error":{"message":"key-of-a-test ferns","type":"x"}}`,
    });
    const error = await failureOf(reasonerOf({ provider, model }).run("extract", inputs.extract));
    expect(error.message).not.toMatch(/key-of-a-test|ferns/);
  });
});
