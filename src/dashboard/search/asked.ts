/** What the page of search can be asked, and the search that it stands for. Pure. */
import * as z from "zod";
import type { ExplainQuery } from "../../search/explain";
import { searchModes } from "../../search/hybrid";
import { DEFAULT_MAX_TOKENS } from "../../search/prompt-context";
import { DEFAULT_APPROVALS, DEFAULT_UNIFIED_TOP_K } from "../../search/unified";
import { orBlank } from "../blanks";

export const PATH = "/desk/search";

/** What models of meaning read of a query at most. */
export const MAX_QUERY_CHARS = 4_000;
const MAX_NAME_CHARS = 1_000;

/** A browser sends empty fields, and people leave blanks in them. */
const given = (schema: z.ZodString) =>
  z.preprocess(
    (value) => (typeof value === "string" && value.trim() === "" ? undefined : value),
    schema.optional(),
  );

export const askedShape = {
  /** Its length is told beside its field, with what was typed. */
  q: given(z.string()),
  agent_version: given(z.string().max(MAX_NAME_CHARS)),
  user_id: given(z.string().max(MAX_NAME_CHARS)),
  session_id: given(z.string().max(MAX_NAME_CHARS)),
  mode: orBlank(z.enum(searchModes)),
};

export type Asked = z.output<z.ZodObject<typeof askedShape>>;

/** The search with what `/api/search` and `/api/context` do unless told otherwise. */
export const explainQueryOf = (query: string, asked: Asked, mayNameUsers: boolean): ExplainQuery => ({
  query,
  mode: asked.mode ?? "hybrid",
  ...(asked.agent_version !== undefined && { agentVersion: asked.agent_version }),
  ...(asked.user_id !== undefined && { userId: asked.user_id }),
  ...(asked.session_id !== undefined && { sessionId: asked.session_id }),
  ...{ topK: DEFAULT_UNIFIED_TOP_K, threshold: null, approvals: DEFAULT_APPROVALS },
  ...{ history: [], enableReformulation: false },
  ...{ maxTokens: DEFAULT_MAX_TOKENS, format: "markdown" },
  mayNameUsers,
});

/** The same as the body of `POST /api/search/explain`. */
export const bodyOf = (query: string, asked: Asked) => ({
  query,
  ...(asked.mode !== undefined && { search_mode: asked.mode }),
  ...(asked.agent_version !== undefined && { agent_version: asked.agent_version }),
  ...(asked.user_id !== undefined && { user_id: asked.user_id }),
  ...(asked.session_id !== undefined && { session_id: asked.session_id }),
});
