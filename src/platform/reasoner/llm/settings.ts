/** Settings of the `llm` adapter, checked once when it is made. */
import * as z from "zod";

const text = z.string().trim().min(1);

export const llmSettingsSchema = z
  .strictObject({
    provider: z.enum(["openai", "anthropic", "openai-compatible", "workers-ai"]),
    /** Needed for `openai-compatible`; elsewhere it replaces the provider's own address. */
    baseUrl: z.url({ protocol: /^https?$/ }).optional(),
    /** Not needed for `workers-ai`, nor for an endpoint that takes none. */
    apiKey: text.optional(),
    /** Writes and judges rules. */
    model: text,
    /** Answers the gate and rewrites queries; without it, `model` does. */
    smallModel: text.optional(),
    /** For one call, its repair apart. */
    timeoutMs: z.number().int().min(1).max(600_000).default(120_000),
  })
  .superRefine((settings, context) => {
    const require = (name: "baseUrl" | "apiKey"): void => {
      if (settings[name] !== undefined) return;
      context.addIssue({ code: "custom", path: [name], message: `${settings.provider} needs ${name}` });
    };
    if (settings.provider === "openai-compatible") require("baseUrl");
    if (settings.provider === "openai" || settings.provider === "anthropic") require("apiKey");
  });

export type LlmSettings = z.input<typeof llmSettingsSchema>;
export type CheckedLlmSettings = z.output<typeof llmSettingsSchema>;
