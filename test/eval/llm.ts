/** The `llm` reasoner for an evaluation, configured by LLM_PROVIDER, LLM_BASE_URL, LLM_API_KEY and LLM_MODEL. */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import { createEgress } from "../../src/platform/egress";
import type { Reasoner } from "../../src/platform/reasoner/port";

/** One call may think for long; an answer is small. */
const egressSettings = { allowLoopback: true, timeoutMs: 120_000, maxResponseBytes: 4_000_000 };

/** Loads the adapter only when it is asked for. @throws Error naming the settings that are missing or wrong */
export async function createLlmFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Reasoner> {
  const { createLlmReasoner, llmSettingsSchema } = await import("../../src/platform/reasoner/llm");
  const settings = llmSettingsSchema.safeParse({
    provider: environment.LLM_PROVIDER,
    model: environment.LLM_MODEL,
    timeoutMs: egressSettings.timeoutMs,
    ...(environment.LLM_BASE_URL ? { baseUrl: environment.LLM_BASE_URL } : {}),
    ...(environment.LLM_API_KEY ? { apiKey: environment.LLM_API_KEY } : {}),
  });
  if (!settings.success) {
    throw new Error(
      `LLM_PROVIDER, LLM_MODEL, LLM_BASE_URL or LLM_API_KEY is missing or wrong:\n${z.prettifyError(settings.error)}`,
    );
  }
  return createLlmReasoner(settings.data, {
    egress: createEgress(egressSettings),
    nonce: () => randomUUID(),
  });
}
