/** Bindings and settings, checked once; a bad setting names itself. */
import * as z from "zod";

const optionalText = z.string().trim().min(1).optional();
const optionalUrl = z.url({ protocol: /^https?$/ }).optional();

/** Text settings of the Worker. `ENVIRONMENT` absent means closed. */
export const settingsSchema = z
  .object({
    ENVIRONMENT: z.enum(["local", "staging", "production"]).optional(),
    /** Creates orgs; at least 32 characters. Required wherever the environment is not local. */
    ADMIN_SECRET: z.string().min(32).optional(),
    REASONER: z.enum(["offline", "llm"]).default("offline"),
    LLM_PROVIDER: z.enum(["openai", "anthropic", "openai-compatible", "workers-ai"]).optional(),
    LLM_BASE_URL: optionalUrl,
    LLM_API_KEY: optionalText,
    LLM_MODEL: optionalText,
    /** The cheap model for gates and queries; the main one where absent. */
    LLM_SMALL_MODEL: optionalText,
    EMBEDDER: z.enum(["static", "workers-ai", "openai-compatible"]).default("static"),
    EMBEDDING_MODEL: optionalText,
    EMBEDDING_BASE_URL: optionalUrl,
    EMBEDDING_API_KEY: optionalText,
    VECTORS: z.enum(["embedded", "vectorize"]).default("embedded"),
    /** Agent version of publishes that name none. */
    DEFAULT_AGENT_VERSION: z.string().trim().min(1).max(1000).default("agent-v0"),
    AGGREGATION_MIN_INTERVAL_SECONDS: z.coerce.number().int().min(1).default(3600),
    /**
     * Model tokens, in and out, that an org may spend a UTC day. It is looked at before each call, so calls
     * under way may pass it; then every call is refused and learning rests until the next day begins.
     */
    DAILY_TOKEN_CAP: z.coerce.number().int().min(1).default(20_000_000),
    /** Turns of an org from which on its oldest are deleted. */
    INTERACTION_CLEANUP_THRESHOLD: z.coerce.number().int().min(1).default(250_000),
    /** How many of its oldest turns go then. */
    INTERACTION_CLEANUP_COUNT: z.coerce.number().int().min(1).default(50_000),
  })
  .superRefine((settings, context) => {
    const need = (key: keyof typeof settings, because: string) => {
      if (settings[key] === undefined)
        context.addIssue({ code: "custom", path: [key], message: `is needed because ${because}` });
    };
    if (settings.REASONER === "llm") {
      need("LLM_PROVIDER", "REASONER is llm");
      need("LLM_MODEL", "REASONER is llm");
      if (settings.LLM_PROVIDER !== "workers-ai") need("LLM_API_KEY", "the provider is remote");
      if (settings.LLM_PROVIDER === "openai-compatible")
        need("LLM_BASE_URL", "the provider has no own address");
    }
    if (settings.INTERACTION_CLEANUP_COUNT > settings.INTERACTION_CLEANUP_THRESHOLD) {
      context.addIssue({
        code: "custom",
        path: ["INTERACTION_CLEANUP_COUNT"],
        message: "must not exceed INTERACTION_CLEANUP_THRESHOLD",
      });
    }
    if (settings.EMBEDDER === "openai-compatible") {
      need("EMBEDDING_MODEL", "EMBEDDER is openai-compatible");
      need("EMBEDDING_BASE_URL", "EMBEDDER is openai-compatible");
    }
  });

export type Settings = z.output<typeof settingsSchema>;

/** @throws Error naming each bad setting */
export function readSettings(env: object): Settings {
  const parsed = settingsSchema.safeParse(env);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
  throw new Error(`Settings: ${faults.join("; ")}`);
}
