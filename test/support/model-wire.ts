/** A model provider inside workerd: two wire formats over a scripted fetch, answered by the task that is asked. */
import * as z from "zod";
import { createEgress } from "../../src/platform/egress";
import { createReasoner } from "../../src/platform/reasoner";
import type { Reasoner } from "../../src/platform/reasoner/port";

/** The tasks of the learn loop, told apart by the schema that the answer has to fit. */
export type AskedTask = "shouldExtract" | "extract" | "reviewCandidates" | "consolidate" | "synthesise";

export interface Asked {
  task: AskedTask;
  url: string;
  /** All that the model was shown, the repair included. */
  shown: string;
  /** Whether this is the second attempt at a question. */
  isRepair: boolean;
}

const messages = z.array(z.object({ role: z.string(), content: z.unknown() }));
const bodySchema = z.object({
  messages,
  system: z.unknown().optional(),
  response_format: z.object({ json_schema: z.object({ schema: z.unknown() }) }).optional(),
  output_config: z.object({ format: z.object({ schema: z.unknown() }) }).optional(),
});

function taskOf(schema: unknown): AskedTask {
  const text = JSON.stringify(schema ?? null);
  if (text.includes('"playbooks"')) return "extract";
  if (text.includes('"candidate_id"')) return "reviewCandidates";
  if (text.includes('"archive_existing_ids"')) return "consolidate";
  return text.includes('"playbook"') ? "synthesise" : "shouldExtract";
}

const wires = {
  "openai-compatible": (text: string) => ({
    id: "c",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "wire-model",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }],
    usage: { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 },
  }),
  anthropic: (text: string) => ({
    id: "m",
    type: "message",
    role: "assistant",
    model: "wire-model",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 5 },
  }),
} as const;

/** One that takes a schema natively. */
const models = { "openai-compatible": "wire-model", anthropic: "claude-sonnet-4-5" } as const;

export type Wire = keyof typeof wires;
export const wireNames: readonly Wire[] = ["openai-compatible", "anthropic"];

/** The `llm` adapter over a provider that answers with `answerTo`; a number is an HTTP status. */
export function modelOnWire(wire: Wire, answerTo: (asked: Asked) => string | number) {
  const asked: Asked[] = [];
  const egress = createEgress(
    { allowLoopback: false, timeoutMs: 20_000, maxResponseBytes: 100_000 },
    {
      fetcher: async (url, init) => {
        const body = bodySchema.parse(JSON.parse(String(init.body)));
        const question: Asked = {
          task: taskOf(body.response_format?.json_schema.schema ?? body.output_config?.format.schema),
          url,
          shown: JSON.stringify(body.messages),
          isRepair: body.messages.some(({ role }) => role === "assistant"),
        };
        asked.push(question);
        const answer = answerTo(question);
        return typeof answer === "number"
          ? Response.json({ error: { message: "scripted" } }, { status: answer })
          : Response.json(wires[wire](answer));
      },
    },
  );
  const reasoner: Reasoner = createReasoner(
    {
      adapter: "llm",
      llm: { provider: wire, model: models[wire], baseUrl: "https://models.example/v1", apiKey: "wire-key" },
    },
    { egress, nonce: () => "tagfortests0001" },
  );
  return { reasoner, asked, model: models[wire] };
}
