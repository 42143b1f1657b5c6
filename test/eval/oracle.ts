/** The shape of an evaluation set: an oracle file of labels, and conversation payloads beside it. */
import * as z from "zod";

const payloadTurn = z.object({
  role: z.string(),
  content: z.string().default(""),
  tools_used: z
    .array(z.object({ tool_name: z.string(), tool_data: z.unknown(), status: z.string().optional() }))
    .default([]),
});

/** A publish payload, as far as extraction reads it. */
export const payloadSchema = z.object({
  user_id: z.string(),
  source: z.string().default(""),
  session_id: z.string().default("session"),
  interaction_data_list: z.array(payloadTurn),
});
export type Payload = z.infer<typeof payloadSchema>;

const expectedRule = z.object({
  id: z.string(),
  trigger: z.string(),
  content: z.string(),
  kind: z.string(),
  /** 0-based indexes into `interaction_data_list`. */
  evidence_turns: z.array(z.number().int()),
  /** Lower-case stems; a correct extraction holds at least two. */
  must_have_any: z.array(z.string()),
  /** 3: any good extractor finds it; 2: should be found; 1: welcome, left out of recall. */
  importance: z.number().int(),
});
export type ExpectedRule = z.infer<typeof expectedRule>;

const microCase = z.object({
  turns: z.array(z.object({ role: z.string(), content: z.string() })),
  /** null: nothing may be extracted. */
  expect: z
    .object({ trigger_any: z.array(z.string()), content_any: z.array(z.string()), kind: z.string() })
    .nullable(),
  note: z.string().default(""),
});
export type MicroCase = z.infer<typeof microCase>;

export const oracleSchema = z.object({
  files: z
    .array(
      z.object({
        file: z.string(),
        expected: z.array(expectedRule),
        must_not: z.array(z.string()).default([]),
      }),
    )
    .default([]),
  micro: z.array(microCase).default([]),
});
export type Oracle = z.infer<typeof oracleSchema>;
