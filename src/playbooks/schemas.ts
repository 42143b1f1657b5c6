/** Request bodies of the playbook routes. `null` means absent, as Reflexio's client sends it. */
import * as z from "zod";
import { instantMs, ordered } from "../http/schemas";
import { approvalStatuses, lifecycleStatuses } from "./model";

/** Characters (UTF-16 units). A row with its lexemes stays below what one database row may hold. */
export const MAX_CONTENT_CHARS = 20_000;
export const MAX_TRIGGER_CHARS = 4_000;
export const MAX_RATIONALE_CHARS = 10_000;
const MAX_SPAN_CHARS = 20_000;
const MAX_METADATA_CHARS = 20_000;
const MAX_NAME_CHARS = 1_000;
/** Rows of one add, and rows of one list. */
const MAX_ROWS = 1_000;
const MAX_EVIDENCE_IDS = 1_000;
const MAX_TAGS = 100;

const name = z.string().max(MAX_NAME_CHARS);
const nonBlank = (schema: z.ZodString) => schema.regex(/\S/u, { error: "must not be blank" });
const identifier = nonBlank(z.string().max(MAX_NAME_CHARS));
const content = z.string().max(MAX_CONTENT_CHARS);
const trigger = z.string().max(MAX_TRIGGER_CHARS);
const rationale = z.string().max(MAX_RATIONALE_CHARS);
const tags = z.array(z.string().max(200)).max(MAX_TAGS);
const rowId = z.int().positive();
/** An approval leaves the rule that this one replaces in service. */
export const keepReplaced = z.boolean().nullish();

const isBlank = (text: string | null | undefined): boolean => (text ?? "").trim() === "";

const listShape = {
  limit: z.int().min(1).max(MAX_ROWS).nullish(),
  query: z.string().max(MAX_CONTENT_CHARS).nullish(),
  playbook_name: name.nullish(),
  agent_version: name.nullish(),
  start_time: instantMs.nullish(),
  end_time: instantMs.nullish(),
  status_filter: z.array(z.enum(lifecycleStatuses).nullable()).max(20).nullish(),
  tags: tags.nullish(),
};

export const getUserPlaybooksBody = ordered(
  z.object({
    ...listShape,
    user_playbook_id: rowId.nullish(),
    user_id: name.nullish(),
    request_id: name.nullish(),
  }),
);

export const getAgentPlaybooksBody = ordered(
  z.object({
    ...listShape,
    agent_playbook_id: rowId.nullish(),
    /** One value; a list is taken too, and an empty one matches nothing. */
    playbook_status_filter: z
      .union([z.enum(approvalStatuses), z.array(z.enum(approvalStatuses)).max(20)])
      .nullish(),
  }),
);

/** What `get` routes of both kinds narrow by, as the stores take it. */
export const listFilterOf = (body: z.output<z.ZodObject<typeof listShape>>) => ({
  limit: body.limit ?? 100,
  // An empty query is none, as in Reflexio's client.
  query: isBlank(body.query) ? undefined : (body.query ?? undefined),
  playbookName: body.playbook_name ?? undefined,
  agentVersion: body.agent_version ?? undefined,
  startMs: body.start_time ?? undefined,
  endMs: body.end_time ?? undefined,
  statuses: body.status_filter ?? undefined,
  tags: body.tags ?? undefined,
});

/** A user playbook to add. Ids, creation time and lineage are the server's; keys it does not know are ignored. */
export const addedUserPlaybook = z
  .object({
    user_id: identifier.nullish(),
    agent_version: identifier,
    request_id: identifier,
    playbook_name: name.nullish(),
    content: content.nullish(),
    trigger: trigger.nullish(),
    rationale: rationale.nullish(),
    source: name.nullish(),
    status: z.enum(["pending", "archived"]).nullish(),
    source_interaction_ids: z.array(z.int().nonnegative()).max(MAX_EVIDENCE_IDS).nullish(),
    source_span: z.string().max(MAX_SPAN_CHARS).nullish(),
    tags: tags.nullish(),
  })
  .refine((row) => !isBlank(row.content) || !isBlank(row.trigger), {
    path: ["content"],
    error: "content or trigger is needed",
    params: { expected: "content or trigger with at least one visible character" },
  });
export type AddedUserPlaybook = z.output<typeof addedUserPlaybook>;

export const addUserPlaybookBody = z.object({
  user_playbooks: z.array(addedUserPlaybook).min(1).max(MAX_ROWS),
});

/** An agent playbook to add: name, version, texts, approval and metadata; everything else is reset. */
export const addedAgentPlaybook = z.object({
  playbook_name: name.nullish(),
  agent_version: identifier,
  content: nonBlank(content),
  trigger: trigger.nullish(),
  rationale: rationale.nullish(),
  playbook_status: z.enum(approvalStatuses).nullish(),
  playbook_metadata: z.string().max(MAX_METADATA_CHARS).nullish(),
});
export type AddedAgentPlaybook = z.output<typeof addedAgentPlaybook>;

export const addAgentPlaybookBody = z.object({
  agent_playbooks: z.array(addedAgentPlaybook).min(1).max(MAX_ROWS),
});

export const updateUserPlaybookBody = z.object({
  user_playbook_id: rowId,
  playbook_name: name.nullish(),
  content: content.nullish(),
  trigger: trigger.nullish(),
  rationale: rationale.nullish(),
});

export const updateAgentPlaybookBody = z.object({
  agent_playbook_id: rowId,
  playbook_name: name.nullish(),
  content: nonBlank(content).nullish(),
  trigger: trigger.nullish(),
  rationale: rationale.nullish(),
  playbook_status: z.enum(approvalStatuses).nullish(),
  keep_replaced: keepReplaced,
});

export const updateAgentPlaybookStatusBody = z.object({
  agent_playbook_id: rowId,
  playbook_status: z.enum(approvalStatuses),
  keep_replaced: keepReplaced,
});

export const deleteUserPlaybookBody = z.object({ user_playbook_id: rowId });
export const deleteAgentPlaybookBody = z.object({ agent_playbook_id: rowId });

/** A text that is stored only where it says something. */
export const textOrNull = (text: string | null | undefined): string | null =>
  isBlank(text) ? null : (text ?? null);
