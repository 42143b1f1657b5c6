/** Request bodies of the search routes. `null` means absent, as Reflexio's client sends it. */
import * as z from "zod";
import { instantMs, ordered, secondOf } from "../http/schemas";
import { contextFormats } from "./context-text";
import { searchModes } from "./hybrid";
import type { PlaybookFilter } from "./store";

const MAX_QUERY_CHARS = 20_000;
const MAX_NAME_CHARS = 1_000;
const MAX_TOP_K = 100;
const MAX_EXPLAINED_TOP_K = 50;
const MAX_TURNS = 200;
const MAX_TURN_CHARS = 200_000;

const name = z.string().max(MAX_NAME_CHARS);
const nonBlank = (schema: z.ZodString) => schema.regex(/\S/u, { error: "must not be blank" });
const identifier = nonBlank(z.string().max(MAX_NAME_CHARS));
const topK = z.int().min(1).max(MAX_TOP_K).nullish();
const turns = z
  .array(z.object({ role: z.string().max(MAX_NAME_CHARS), content: z.string().max(MAX_TURN_CHARS) }))
  .max(MAX_TURNS);
const maxTokens = z.int().min(1).max(100_000).nullish();
const approval = z.enum(["pending", "approved", "rejected"]);
const approvals = z.union([approval, z.array(approval).max(20)]).nullish();

const shared = {
  agent_version: name.nullish(),
  playbook_name: name.nullish(),
  tags: z.array(z.string().max(200)).max(100).nullish(),
  top_k: topK,
  /** Least cosine similarity of hits by meaning; hits by words are never cut. */
  threshold: z.number().min(0).max(1).nullish(),
  search_mode: z.enum(searchModes).nullish(),
  enable_reformulation: z.boolean().nullish(),
  request_id: name.nullish(),
  session_id: name.nullish(),
};

const perKind = {
  ...shared,
  query: z.string().max(MAX_QUERY_CHARS).nullish(),
  start_time: instantMs.nullish(),
  end_time: instantMs.nullish(),
  status_filter: z
    .array(z.enum(["pending", "archived", "archive_in_progress", "merged", "superseded"]).nullable())
    .max(20)
    .nullish(),
};

export const unifiedSearchBody = z.object({
  ...shared,
  query: nonBlank(z.string().max(MAX_QUERY_CHARS)),
  user_id: name.nullish(),
  entity_types: z
    .array(z.enum(["profiles", "user_playbooks", "agent_playbooks"]))
    .max(20)
    .nullish(),
  agent_playbook_status_filter: approvals,
  conversation_history: turns.nullish(),
  enable_agent_answer: z.boolean().nullish(),
  interaction_id: z.union([z.int(), name]).nullish(),
});

export const searchUserPlaybooksBody = ordered(z.object({ ...perKind, user_id: name.nullish() }));

export const searchAgentPlaybooksBody = ordered(
  z.object({
    ...perKind,
    /** One value or a list; an empty list matches nothing. */
    playbook_status_filter: approvals,
  }),
);

export const searchInteractionsBody = ordered(
  z.object({
    user_id: identifier,
    request_id: name.nullish(),
    query: z.string().max(MAX_QUERY_CHARS).nullish(),
    start_time: instantMs.nullish(),
    end_time: instantMs.nullish(),
    top_k: topK,
    most_recent_k: z.int().min(1).max(10_000).nullish(),
    search_mode: z.enum(searchModes).nullish(),
  }),
);

export const contextBody = z
  .object({
    query: nonBlank(z.string().max(MAX_QUERY_CHARS)).nullish(),
    /** The conversation so far, oldest first. */
    messages: turns.min(1).nullish(),
    agent_version: identifier,
    user_id: identifier.nullish(),
    max_tokens: maxTokens,
    format: z.enum(contextFormats).nullish(),
  })
  .refine(({ query, messages }) => (query == null) !== (messages == null), {
    path: ["query"],
    error: "exactly one of query and messages is needed",
    params: { expected: "either query or messages" },
  });

export const explainBody = z.object({
  query: nonBlank(z.string().max(MAX_QUERY_CHARS)),
  /** With one the block is made as well. */
  agent_version: identifier.nullish(),
  user_id: identifier.nullish(),
  /** Rules that it was served in the last day count as left out. Nothing is noted as served. */
  session_id: identifier.nullish(),
  top_k: z.int().min(1).max(MAX_EXPLAINED_TOP_K).nullish(),
  threshold: shared.threshold,
  search_mode: shared.search_mode,
  /** Approval states of agent playbooks that the search returns; an empty list matches nothing. */
  approvals,
  enable_reformulation: shared.enable_reformulation,
  conversation_history: turns.nullish(),
  max_tokens: maxTokens,
  format: z.enum(contextFormats).nullish(),
});

/** What the routes of both kinds narrow by, as the store takes it. */
export function filterOf(body: z.output<z.ZodObject<typeof perKind>>): PlaybookFilter {
  return {
    ...(body.agent_version != null && { agentVersion: body.agent_version }),
    ...(body.playbook_name != null && { playbookName: body.playbook_name }),
    ...(body.tags != null && { tags: body.tags }),
    ...(body.status_filter != null && { statuses: body.status_filter }),
    ...boundsOf(body),
  };
}

/** The bounds that a body sets, at the resolution of stored times. */
export function boundsOf(body: {
  start_time?: number | null | undefined;
  end_time?: number | null | undefined;
}) {
  const [fromSec, toSec] = [secondOf(body.start_time), secondOf(body.end_time)];
  return { ...(fromSec !== undefined && { fromSec }), ...(toSec !== undefined && { toSec }) };
}

/** One approval state or a list of them as a list; absent stays absent. */
export function approvalsOf(filter: z.output<typeof approvals>): string[] | undefined {
  if (filter == null) return undefined;
  return typeof filter === "string" ? [filter] : filter;
}
