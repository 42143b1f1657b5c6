/** What a publish call carries, what is stored of a turn, and what callers see of it. */
import * as z from "zod";

/** An absent field and an explicit null are the same. */
const or = <Schema extends z.ZodType>(schema: Schema, fallback: z.output<Schema>) =>
  schema.nullish().transform((value): z.output<Schema> => value ?? fallback);

const MAX_NAME_CHARS = 1_000;
const MAX_TEXT_CHARS = 1_000_000;
const MAX_LIST = 1_000;

const name = z.string().max(MAX_NAME_CHARS);
const text = or(z.string().max(MAX_TEXT_CHARS), "");

/** A name that is there to be found again. */
export const identifier = name.refine((value) => value.trim() !== "", {
  message: "must not be blank",
  params: { expected: "a non-empty name" },
});

export const userActions = ["click", "scroll", "type", "none"] as const;

export const toolUsedSchema = z.looseObject({
  tool_name: or(name, ""),
  tool_data: or(z.record(z.string(), z.unknown()), {}),
  status: name.nullish(),
});
export const citationSchema = z.looseObject({
  kind: z.enum(["playbook", "profile", "user_playbook", "agent_playbook"]),
  real_id: or(z.union([z.string().max(MAX_NAME_CHARS), z.int()]).transform(String), ""),
  tag: or(name, ""),
  title: or(name, ""),
});
export const retrievedLearningSchema = z.looseObject({
  kind: z.enum(["playbook", "profile", "user_playbook", "agent_playbook"]),
  learning_id: z.union([z.string().max(MAX_NAME_CHARS), z.int()]).transform(String),
});

/** One turn as published. Unknown keys pass, so that they can be named in a warning. */
export const turnSchema = z.looseObject({
  role: or(name, "User"),
  content: text,
  shadow_content: text,
  expert_content: text,
  user_action: or(z.enum(userActions), "none"),
  user_action_description: or(z.string().max(10_000), ""),
  interacted_image_url: or(z.string().max(2_048), ""),
  /** Base64; only its type, length and SHA-256 are kept. */
  image_encoding: or(z.string().max(15_000_000), ""),
  tools_used: or(z.array(toolUsedSchema).max(MAX_LIST), []),
  citations: or(z.array(citationSchema).max(MAX_LIST), []),
  retrieved_learnings: or(z.array(retrievedLearningSchema).max(MAX_LIST), []),
  token_count: z.int().min(0).nullish(),
});
export type PublishedTurn = z.output<typeof turnSchema>;

const flag = or(z.boolean(), false);

/** The body of `POST /api/publish_interaction`. */
export const publishBodySchema = z.looseObject({
  /** Reused on every retry; made by the server where absent. */
  request_id: identifier.nullish(),
  user_id: identifier,
  session_id: identifier,
  interaction_data_list: z.array(turnSchema).min(1).max(MAX_LIST),
  source: or(name, ""),
  agent_version: or(name, ""),
  skip_aggregation: flag,
  force_extraction: flag,
  evaluation_only: flag,
  override_learning_stall: flag,
  retrieval_experiment_id: identifier.nullish(),
  retrieval_experiment_arm: z.enum(["treatment", "holdout"]).nullish(),
});
export type PublishBody = z.output<typeof publishBodySchema>;

/** What is known of an image that was sent inline. */
export const imageSchema = z.object({ type: z.string(), bytes: z.int(), sha256: z.string() });

const listed = <Schema extends z.ZodType>(schema: Schema) =>
  z.array(schema).default((): z.output<Schema>[] => []);

/** A turn's fields beside role and content, as the column `details` holds them; defaults are left out. */
export const detailsSchema = z.object({
  user_action: z.enum(userActions).default("none"),
  user_action_description: z.string().default(""),
  interacted_image_url: z.string().default(""),
  image: imageSchema.optional(),
  shadow_content: z.string().default(""),
  expert_content: z.string().default(""),
  tools_used: listed(
    z.object({
      tool_name: z.string(),
      tool_data: z.record(z.string(), z.unknown()),
      status: z.string().optional(),
    }),
  ),
  citations: listed(z.object({ kind: z.string(), real_id: z.string(), tag: z.string(), title: z.string() })),
  retrieved_learnings: listed(z.object({ kind: z.string(), learning_id: z.string() })),
  token_count: z.int().optional(),
});
export type TurnDetails = z.output<typeof detailsSchema>;

/** A turn ready to be stored. `details` is JSON text of {@link detailsSchema}'s input. */
export interface NewTurn {
  role: string;
  content: string;
  details: string;
  /** What the word index reads. */
  words: string;
}

/** A publish call ready to be stored. */
export interface NewRequest {
  orgId: string;
  requestId: string;
  userId: string;
  sessionId: string;
  source: string;
  agentVersion: string;
  createdAt: number;
  evaluationOnly: boolean;
  forceExtraction: boolean;
  skipAggregation: boolean;
  experimentId: string | null;
  experimentArm: string | null;
  configHash: string;
  eligible: { playbook: boolean; profile: boolean };
  bodyHash: string;
  warnings: readonly string[];
}

/** A stored turn with what its request says about it, as learning reads it. */
export interface StreamTurn {
  interactionId: number;
  requestId: string;
  sessionId: string;
  source: string;
  agentVersion: string;
  requestCreatedAt: number;
  createdAt: number;
  role: string;
  content: string;
  details: TurnDetails;
}
