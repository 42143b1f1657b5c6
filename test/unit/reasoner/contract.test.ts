import { describe, expect, it } from "vitest";
import { createEgress } from "../../../src/platform/egress";
import { createReasoner } from "../../../src/platform/reasoner";
import { parseOutput } from "../../../src/platform/reasoner/llm/outputs";
import {
  type Reasoner,
  reviewReasonCodes,
  type TaskInput,
  type TaskName,
  type TaskOutput,
} from "../../../src/platform/reasoner/port";
import { createReplayReasoner, type Recordings, recording } from "../../../src/platform/reasoner/replay";
import { goodAnswers, inputs } from "./fixtures";

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

/** Answers every call with the good answer of `task`, through the real SDK. */
function llmReasoner(task: TaskName): Reasoner {
  const fetcher = async () =>
    Response.json({
      id: "c",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "some-model",
      choices: [
        { index: 0, finish_reason: "stop", message: { role: "assistant", content: goodAnswers[task] } },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    });
  const egress = createEgress(
    { allowLoopback: false, timeoutMs: 20_000, maxResponseBytes: 100_000 },
    { fetcher },
  );
  const llm = {
    provider: "openai-compatible",
    model: "some-model",
    baseUrl: "https://models.example/v1",
  } as const;
  return createReasoner({ adapter: "llm", llm }, { egress, nonce: () => "tagfortests0001" });
}

function offlineReasoner(): Reasoner {
  const egress = () => Promise.reject(new Error("offline needs no network"));
  return createReasoner({ adapter: "offline" }, { egress, nonce: () => "unusedunused" });
}

/** Plays back what the `llm` adapter said. */
async function replayReasoner(task: TaskName): Promise<Reasoner> {
  const recordings: Recordings = {};
  await recording(llmReasoner(task), (key, answer) => {
    recordings[key] = answer;
  }).run(task, inputs[task]);
  return createReplayReasoner(recordings);
}

const isPartition = (given: readonly string[], all: readonly string[]): boolean =>
  given.length === all.length && all.every((label) => given.includes(label));

/** What every adapter's answer has to be, whoever gave it: labels of this call, each row decided once. */
const contracts: { [T in TaskName]: (output: TaskOutput<T>, input: TaskInput<T>) => void } = {
  shouldExtract: (output) => expect(output.shouldExtract).toBe(true),
  extract: (output, input) => {
    const labels = input.turns.map((turn) => turn.label);
    expect(output.playbooks.length).toBeGreaterThan(0);
    for (const playbook of output.playbooks) {
      expect(playbook.evidence_refs.length).toBeGreaterThan(0);
      expect(labels).toEqual(expect.arrayContaining(playbook.evidence_refs));
      const { evidence_spans: spans } = playbook;
      if (spans === undefined) continue;
      expect(spans).toHaveLength(playbook.evidence_refs.length);
      spans.forEach((span, index) => {
        expect(input.turns.find((turn) => turn.label === playbook.evidence_refs[index])?.content).toContain(
          span,
        );
      });
    }
  },
  shouldExtractExpert: (output) => expect(output.shouldExtract).toBe(true),
  extractExpert: (output, input) => {
    const texts = new Map(
      input.pairs
        .flatMap(({ answer, expert }) => [answer, expert])
        .map(({ label, content }) => [label, content]),
    );
    expect(output.playbooks.length).toBeGreaterThan(0);
    for (const { evidence, evidence_kind: kind } of output.playbooks) {
      expect(kind).toBe("expert-gap");
      expect(evidence.length).toBeGreaterThan(0);
      for (const unit of evidence) expect(texts.get(unit.turn_ref)).toContain(unit.source_span);
    }
  },
  tag: (output, input) => {
    if (output.assignments === null) return;
    const tagged = output.assignments.map(({ label }) => label);
    expect(
      isPartition(
        tagged,
        input.rules.map(({ label }) => label),
      ),
    ).toBe(true);
  },
  reviewCandidates: (output, input) => {
    const decided = output.decisions.map((decision) => decision.candidate_id);
    expect(
      isPartition(
        decided,
        input.candidates.map((candidate) => candidate.label),
      ),
    ).toBe(true);
    for (const decision of output.decisions)
      expect(decision.revision === null).toBe(decision.decision !== "revise");
  },
  reviewStored: (output, input) => {
    const units = input.rule.evidence.map(({ unit }) => unit);
    expect(units).toEqual(expect.arrayContaining(output.evidence_ids));
    expect(output.evidence_ids.length === 0).toBe(output.decision === "reject");
    expect(output.revision === null).toBe(output.decision !== "revise");
    for (const code of output.reason_code.split(",")) expect(reviewReasonCodes).toContain(code);
  },
  consolidate: (output, input) => {
    const decided = output.decisions.flatMap((decision) =>
      decision.kind === "differentiate" ? [decision.new_id] : decision.new_ids,
    );
    expect(
      isPartition(
        decided,
        input.fresh.map((row) => row.label),
      ),
    ).toBe(true);
  },
  synthesise: (output) => expect(output.playbook?.content.length).toBeGreaterThan(0),
  reformulate: (output) => expect(output.query.trim().length).toBeGreaterThan(0),
};

async function check<T extends TaskName>(reasoner: Reasoner, task: T): Promise<void> {
  const input: TaskInput<T> = inputs[task];
  const answer = await reasoner.run(task, input);
  expect(parseOutput(task, answer.output)).toEqual(answer.output);
  expect(JSON.stringify(answer)).not.toMatch(/\\ud[89a-f]|\\u0000/i);
  expect(answer.rawText.length).toBeGreaterThan(0);
  expect(answer.model.length * answer.provider.length).toBeGreaterThan(0);
  contracts[task](answer.output, input);
}

describe.each(allTasks)("every adapter's answer to %s", (task) => {
  it("keeps the contract offline", () => check(offlineReasoner(), task));
  it("keeps the contract from a model", () => check(llmReasoner(task), task));
  it("keeps the contract when replayed", async () => check(await replayReasoner(task), task));
});

describe("the offline adapter", () => {
  it("leaves tags to a model: it says that it gives none, and not that none fits", async () => {
    expect((await offlineReasoner().run("tag", inputs.tag)).output).toEqual({ assignments: null });
  });

  it("says offline where a model would stand, costs nothing, and answers the same twice", async () => {
    const [first, second] = [
      await offlineReasoner().run("extract", inputs.extract),
      await offlineReasoner().run("extract", inputs.extract),
    ];
    expect(first).toMatchObject({ model: "offline", provider: "offline", inputTokens: 0, outputTokens: 0 });
    expect(second).toEqual(first);
  });
});
