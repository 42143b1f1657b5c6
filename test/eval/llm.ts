/** The `llm` reasoner for an evaluation, configured by LLM_PROVIDER, LLM_BASE_URL, LLM_API_KEY and LLM_MODEL. */
import { randomUUID } from "node:crypto";
import { createEgress } from "../../src/platform/egress";
import type { Reasoner } from "../../src/platform/reasoner/port";

/** One call may think for long; an answer is small. */
const egressSettings = { allowLoopback: true, timeoutMs: 120_000, maxResponseBytes: 4_000_000 };

/** Loads the adapter only when it is asked for. @throws ZodError when a setting is missing */
export async function createLlmFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Reasoner> {
  const { createLlmReasoner, llmSettingsSchema } = await import("../../src/platform/reasoner/llm");
  const settings = llmSettingsSchema.parse({
    provider: environment.LLM_PROVIDER,
    model: environment.LLM_MODEL,
    timeoutMs: egressSettings.timeoutMs,
    ...(environment.LLM_BASE_URL ? { baseUrl: environment.LLM_BASE_URL } : {}),
    ...(environment.LLM_API_KEY ? { apiKey: environment.LLM_API_KEY } : {}),
  });
  return createLlmReasoner(settings, { egress: createEgress(egressSettings), nonce: () => randomUUID() });
}
