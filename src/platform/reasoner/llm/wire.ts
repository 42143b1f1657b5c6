/**
 * What is asked of the provider: strict JSON schemas, narrower than what is accepted back.
 * Strict mode wants every property required, no additional ones, and `anyOf` for alternatives.
 * The order of fields is the order of writing: reasons come before what they support.
 */
import * as z from "zod";
import type { FrontMatter } from "../../prompts";
import { evidenceKinds, reviewReasonCodes } from "../port";

const labels = z.array(z.string());
const ruleText = { trigger: z.string(), content: z.string(), rationale: z.string() };

const verdict = {
  reason: z.string(),
  decision: z.enum(["accept", "revise", "reject"]),
  reason_code: z.enum(reviewReasonCodes),
  evidence_ids: labels,
  revision: z.union([z.strictObject(ruleText), z.null()]),
};

const wireSchemas = {
  extract: z.strictObject({
    playbooks: z.array(
      z.strictObject({
        rationale: z.string(),
        evidence_kind: z.enum(evidenceKinds),
        trigger: z.string(),
        content: z.string(),
        evidence_refs: labels,
      }),
    ),
  }),
  "extract-expert": z.strictObject({
    playbooks: z.array(
      z.strictObject({
        rationale: z.string(),
        evidence_kind: z.enum(["expert-gap"]),
        trigger: z.string(),
        content: z.string(),
        evidence: z.array(z.strictObject({ turn_ref: z.string(), source_span: z.string() })),
      }),
    ),
  }),
  "review-candidates": z.strictObject({
    decisions: z.array(
      z.strictObject({
        candidate_id: z.string(),
        ...verdict,
      }),
    ),
  }),
  "review-stored": z.strictObject(verdict),
  consolidate: z.strictObject({
    decisions: z.array(
      z.union([
        z.strictObject({
          kind: z.enum(["unify"]),
          new_ids: labels,
          archive_existing_ids: labels,
          rationale: z.string(),
          trigger: z.string(),
          content: z.string(),
        }),
        z.strictObject({ kind: z.enum(["reject_new"]), new_ids: labels, superseded_by_existing_ids: labels }),
        z.strictObject({
          kind: z.enum(["differentiate"]),
          new_id: z.string(),
          existing_id: z.string(),
          refined_new_trigger: z.string(),
          refined_existing_trigger: z.string(),
        }),
        z.strictObject({ kind: z.enum(["independent"]), new_ids: labels }),
      ]),
    ),
  }),
  synthesise: z.strictObject({
    playbook: z.union([
      z.strictObject({ rationale: z.string(), trigger: z.string(), content: z.string() }),
      z.null(),
    ]),
  }),
  tag: z.strictObject({
    assignments: z.array(z.strictObject({ label: z.string(), tags: labels })),
  }),
};

export interface WireSchema {
  name: string;
  schema: Record<string, unknown>;
}

/** The schema that a prompt's `output` names; null for a free answer. */
export function wireSchemaOf(output: FrontMatter["output"]): WireSchema | null {
  if (output === "text") return null;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(wireSchemas[output]);
  return { name: output.replaceAll("-", "_"), schema };
}
