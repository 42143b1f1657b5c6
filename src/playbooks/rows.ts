/** Database rows of both kinds of playbook, parsed into the model, and their column lists. */
import * as z from "zod";
import type { Statement } from "../db/sql";
import { type AgentPlaybook, approvalStatuses, flags, lifecycleStatuses, type UserPlaybook } from "./model";

const json = <Schema extends z.ZodType>(schema: Schema) =>
  z.string().transform((text): z.output<Schema> => schema.parse(JSON.parse(text)));

const text = z.string();
const textOrNull = z.string().nullable();
const integer = z.int();
const integerOrNull = z.int().nullable();
const tags = json(z.array(z.string())).nullable();

const shared = {
  org_id: text,
  playbook_name: text,
  agent_version: text,
  created_at: integer,
  updated_at_ms: integer,
  content: text,
  trigger: textOrNull,
  rationale: textOrNull,
  status: z.enum(lifecycleStatuses).nullable(),
  tags,
  expanded_terms: textOrNull,
  merged_into: integerOrNull,
  superseded_by: integerOrNull,
  retired_at: integerOrNull,
  flags: json(z.array(z.enum(flags))),
};

const userColumns = z.object({
  ...shared,
  user_playbook_id: integer,
  user_id: textOrNull,
  request_id: text,
  source: textOrNull,
  source_interaction_ids: json(z.array(z.int())),
  source_span: textOrNull,
  notes: textOrNull,
  reader_angle: textOrNull,
  window_id: textOrNull,
});

const agentColumns = z.object({
  ...shared,
  agent_playbook_id: integer,
  playbook_status: z.enum(approvalStatuses),
  playbook_metadata: text,
  version: integer,
  decided_by: textOrNull,
  decided_at: integerOrNull,
  replaces: integerOrNull,
});

const columnsOf = (schema: z.ZodObject): Statement => ({
  text: Object.keys(schema.shape).join(", "),
  params: [],
});

/** The columns that `userPlaybookRow` reads: `SELECT ${userPlaybookColumns} FROM user_playbooks`. */
export const userPlaybookColumns = columnsOf(userColumns);
/** The columns that `agentPlaybookRow` reads. */
export const agentPlaybookColumns = columnsOf(agentColumns);

const sharedFields = (row: z.output<z.ZodObject<typeof shared>>) => ({
  orgId: row.org_id,
  playbookName: row.playbook_name,
  agentVersion: row.agent_version,
  createdAt: row.created_at,
  updatedAtMs: row.updated_at_ms,
  content: row.content,
  trigger: row.trigger,
  rationale: row.rationale,
  status: row.status,
  tags: row.tags,
  expandedTerms: row.expanded_terms,
  mergedInto: row.merged_into,
  supersededBy: row.superseded_by,
  retiredAt: row.retired_at,
  flags: row.flags,
});

/** Parses a row of `user_playbooks` selected by `userPlaybookColumns`. */
export const userPlaybookRow = userColumns.transform(
  (row): UserPlaybook => ({
    ...sharedFields(row),
    userPlaybookId: row.user_playbook_id,
    userId: row.user_id,
    requestId: row.request_id,
    source: row.source,
    sourceInteractionIds: row.source_interaction_ids,
    sourceSpan: row.source_span,
    notes: row.notes,
    readerAngle: row.reader_angle,
    windowId: row.window_id,
  }),
);

/** Parses a row of `agent_playbooks` selected by `agentPlaybookColumns`. */
export const agentPlaybookRow = agentColumns.transform(
  (row): AgentPlaybook => ({
    ...sharedFields(row),
    agentPlaybookId: row.agent_playbook_id,
    playbookStatus: row.playbook_status,
    playbookMetadata: row.playbook_metadata,
    version: row.version,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
    replaces: row.replaces,
  }),
);
