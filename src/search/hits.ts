/** The rows that searches find, parsed, and what callers see of them. */
import * as z from "zod";

export const textList = z.array(z.string());
const integerList = z.array(z.int());

/** A JSON column. */
export const json = <Schema extends z.ZodType>(schema: Schema) =>
  z.string().transform((text): z.output<Schema> => schema.parse(JSON.parse(text)));

const sharedView = {
  playbook_name: z.string(),
  agent_version: z.string(),
  created_at: z.int(),
  content: z.string(),
  trigger: z.string().nullable(),
  rationale: z.string().nullable(),
  status: z.string().nullable(),
};

export const userPlaybookHitSchema = z.object({
  user_playbook_id: z.int(),
  user_id: z.string().nullable(),
  request_id: z.string(),
  ...sharedView,
  source: z.string().nullable(),
  source_interaction_ids: integerList,
  source_span: z.string().nullable(),
  tags: textList.nullable(),
});
export type UserPlaybookView = z.infer<typeof userPlaybookHitSchema>;

export const agentPlaybookHitSchema = z.object({
  agent_playbook_id: z.int(),
  ...sharedView,
  playbook_status: z.string(),
  playbook_metadata: z.string(),
  tags: textList.nullable(),
});
export type AgentPlaybookView = z.infer<typeof agentPlaybookHitSchema>;

/** A found rule: what callers see, and what judging it needs. */
export interface Hit<View> {
  id: number;
  view: View;
  flags: string[];
  /** Unix seconds of the last change. */
  changedAtSec: number;
  /** User playbooks that an agent playbook was made from; empty for user playbooks. */
  sourceIds: number[];
  /** The decision that put an agent playbook into service, where it has not been served since; else null. */
  unservedDecision: number | null;
}

const judged = {
  flags: json(textList),
  updated_at_ms: z.int(),
};

export const userPlaybookHitRow = z
  .object({
    ...userPlaybookHitSchema.shape,
    ...judged,
    source_interaction_ids: json(integerList),
    tags: json(textList).nullable(),
  })
  .transform(
    ({ flags, updated_at_ms, ...view }): Hit<UserPlaybookView> => ({
      ...{ id: view.user_playbook_id, view, flags, sourceIds: [], unservedDecision: null },
      changedAtSec: Math.floor(updated_at_ms / 1000),
    }),
  );

export const agentPlaybookHitRow = z
  .object({
    ...agentPlaybookHitSchema.shape,
    ...judged,
    tags: json(textList).nullable(),
    source_ids: json(integerList),
    unserved_decision: z.int().nullable(),
  })
  .transform(
    ({ flags, updated_at_ms, source_ids, unserved_decision, ...view }): Hit<AgentPlaybookView> => ({
      ...{ id: view.agent_playbook_id, view, flags, sourceIds: source_ids },
      unservedDecision: unserved_decision,
      changedAtSec: Math.floor(updated_at_ms / 1000),
    }),
  );

export const interactionHitSchema = z.looseObject({
  interaction_id: z.int(),
  user_id: z.string(),
  request_id: z.string(),
  created_at: z.int(),
  role: z.string(),
  content: z.string(),
});
export type InteractionView = z.infer<typeof interactionHitSchema>;

export const interactionHitRow = z
  .object({ ...interactionHitSchema.shape, details: json(z.record(z.string(), z.unknown())) })
  .transform(({ details, ...columns }): InteractionView => ({ ...details, ...columns }));
