/** Bindings and settings, checked once; a bad setting names itself. */
import * as z from "zod";

const optionalText = z.string().trim().min(1).optional();
const optionalUrl = z.url({ protocol: /^https?$/ }).optional();

const SECRETS_KEYS_FORM =
  'must be a JSON object of key ids and keys, such as {"k1": "<base64 of 32 random bytes>"}; the first one seals';
/** An id begins with a letter: a JavaScript object would move numbers to its front. */
const KEY_ID = /^[A-Za-z][\w-]{0,31}$/;
const KEY_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;

/** Reads `SECRETS_KEYS`; its faults quote nothing, because anything in it may be a key. */
const secretsKeys = z.string().transform((text, context) => {
  const refuse = (message: string) => {
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  };
  let parsed: z.ZodSafeParseResult<Record<string, string>>;
  try {
    parsed = z.record(z.string(), z.string()).safeParse(JSON.parse(text));
  } catch {
    return refuse(SECRETS_KEYS_FORM);
  }
  if (!parsed.success) return refuse(SECRETS_KEYS_FORM);
  const [first, ...others] = Object.entries(parsed.data).map(([kid, key]) => ({ kid, key }));
  if (first === undefined) return refuse(SECRETS_KEYS_FORM);
  const keys: [typeof first, ...typeof others] = [first, ...others];
  const badId = keys.findIndex(({ kid }) => !KEY_ID.test(kid));
  if (badId >= 0)
    return refuse(
      `needs key ids of 1 to 32 letters, digits, _ or -, beginning with a letter; number ${badId + 1} is none`,
    );
  const badKey = keys.findIndex(({ key }) => !KEY_OF_32_BYTES.test(key));
  if (badKey >= 0)
    return refuse(`needs keys of 32 bytes in base64 (44 characters); number ${badKey + 1} is none`);
  return keys;
});

/** USD per million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
}

const MODEL_PRICES_FORM =
  'must be a JSON object of model names and their USD per million tokens, such as {"a-model": {"input": 0.25, "output": 2}}';
const MAX_PRICE_USD = 1_000_000;
const pricePerMillion = z.number().min(0).max(MAX_PRICE_USD);
const modelPrice = z.strictObject({ input: pricePerMillion, output: pricePerMillion });

/** Reads `MODEL_PRICES`; what it refuses is named. */
const modelPrices = z.string().transform((text, context): ReadonlyMap<string, ModelPrice> => {
  const refuse = (message: string) => {
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  };
  if (text.trim() === "") return new Map();
  let parsed: z.ZodSafeParseResult<Record<string, unknown>>;
  try {
    parsed = z.record(z.string(), z.unknown()).safeParse(JSON.parse(text));
  } catch {
    return refuse(MODEL_PRICES_FORM);
  }
  if (!parsed.success) return refuse(MODEL_PRICES_FORM);
  const prices = new Map<string, ModelPrice>();
  for (const [model, price] of Object.entries(parsed.data)) {
    const checked = modelPrice.safeParse(price);
    if (!checked.success) {
      return refuse(
        `needs "input" and "output" of ${JSON.stringify(model.slice(0, 100))} and nothing else, each a number of USD from 0 to ${MAX_PRICE_USD}`,
      );
    }
    prices.set(model, checked.data);
  }
  return prices;
});

/** Text settings of the Worker. `ENVIRONMENT` absent means closed. */
export const settingsSchema = z
  .object({
    ENVIRONMENT: z.enum(["local", "staging", "production"]).optional(),
    /** Creates orgs; at least 32 characters. Required wherever the environment is not local. */
    ADMIN_SECRET: z.string().min(32).optional(),
    /** Keys that seal stored secrets: `{"id": "base64 of 32 bytes"}`. The first seals, all open. */
    SECRETS_KEYS: secretsKeys.optional(),
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
    /** What tokens cost, by the model's name; the page of usage reckons with it. */
    MODEL_PRICES: modelPrices.default(new Map()),
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
