/** What the OpenAPI document says of faults, per dialect. */
import * as z from "zod";
import type { Dialect } from "./dialects";

const problem = z.object({
  type: z.string(),
  title: z.string().meta({ description: "The kind of fault, of a closed set." }),
  status: z.int(),
  detail: z.string(),
  error: z.string().meta({ description: "As `detail`, for clients that read one line." }),
  errors: z
    .array(
      z.object({
        pointer: z.string().meta({ description: "JSON pointer to the fault." }),
        message: z.string(),
        expected: z.string().meta({ description: "What would be right." }),
      }),
    )
    .optional(),
});

const detail = z.object({
  detail: z.union([
    z.string(),
    z.array(
      z.object({
        type: z.string(),
        loc: z.array(z.union([z.string(), z.int()])),
        msg: z.string(),
        pointer: z.string().meta({ description: "JSON pointer to the fault." }),
        expected: z.string().meta({ description: "What would be right." }),
      }),
    ),
  ]),
});

interface Answer {
  description: string;
  content: Record<string, { schema: z.ZodType }>;
}

/** A fault that speaks `own` on every route. */
export const problemAnswer = (description: string): Answer => ({
  description,
  content: { "application/problem+json": { schema: problem } },
});

/** A fault in the route's dialect. */
export const faultAnswer = (dialect: Dialect, description: string): Answer =>
  dialect === "reflexio"
    ? { description, content: { "application/json": { schema: detail } } }
    : problemAnswer(description);
