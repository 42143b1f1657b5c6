/** Reading turns, requests and sessions. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import type { Route } from "../http/route";
import { instantMs, ordered, secondOf } from "../http/schemas";
import { identifier } from "./model";
import {
  listAllInteractions,
  listInteractions,
  listSessions,
  loadSessions,
  MAX_ANSWER_BYTES,
  type SessionHead,
  type SessionQuery,
} from "./read-store";
import { groupSessions, interactionView, sessionView } from "./views";

const MAX_TURNS = 10_000;
const MAX_SESSIONS = 1_000;
const MAX_OFFSET = 100_000;

const range = { start_time: instantMs.nullish(), end_time: instantMs.nullish() };

const rangeOf = (body: { start_time?: number | null | undefined; end_time?: number | null | undefined }) => ({
  startSec: secondOf(body.start_time) ?? null,
  endSec: secondOf(body.end_time) ?? null,
});

const turnsResponse = z.object({
  success: z.boolean(),
  interactions: z.array(interactionView),
  msg: z.string().optional(),
});

/** Fewer turns than asked for may mean that the answer was full; only then is it said. */
const answerOf = (interactions: z.output<typeof interactionView>[], limit: number) => {
  const bytes = interactions.reduce((sum, turn) => sum + turn.content.length, 0);
  const isCut = interactions.length < limit && bytes > MAX_ANSWER_BYTES / 8;
  return {
    success: true,
    interactions,
    ...(isCut && {
      msg: `One answer holds at most ${MAX_ANSWER_BYTES} bytes; ask for a time range to see more.`,
    }),
  };
};

const getInteractions = defineRoute({
  dialect: "reflexio",
  method: "post",
  path: "/api/get_interactions",
  tag: "Interactions",
  summary: "A user's turns, newest first",
  scope: "read",
  limit: "read",
  body: ordered(z.object({ user_id: identifier, ...range, top_k: z.int().min(1).max(MAX_TURNS).nullish() })),
  example: {
    body: { user_id: "ada", top_k: 10 },
    after: "post /api/publish_interaction",
    yields: {
      interaction_id: { pointer: "/interactions/0/interaction_id", sample: 2 },
      turn_created_at: { pointer: "/interactions/0/created_at", sample: 1_790_000_000 },
    },
  },
  response: turnsResponse,
  async handler({ orgId, db }, { body }) {
    const limit = body.top_k ?? 30;
    return answerOf(
      await listInteractions(db, orgId, { userId: body.user_id, limit, ...rangeOf(body) }),
      limit,
    );
  },
});

const getAllInteractions = defineRoute({
  dialect: "reflexio",
  method: "get",
  path: "/api/get_all_interactions",
  tag: "Interactions",
  summary: "Turns of every user, newest first",
  scope: "read",
  limit: "read",
  query: z.object({
    limit: z
      .string()
      .regex(/^\d{1,6}$/)
      .default("100")
      .transform(Number)
      .pipe(z.int().min(1).max(MAX_TURNS)),
  }),
  example: { query: { limit: "20" } },
  response: turnsResponse,
  handler: async ({ orgId, db }, { query }) =>
    answerOf(await listAllInteractions(db, orgId, query.limit), query.limit),
});

/** The leading sessions that fit into one answer together. */
function fitting(heads: readonly SessionHead[]): string[] {
  let bytes = 0;
  const end = heads.findIndex((head) => {
    bytes += head.bytes;
    return bytes > MAX_ANSWER_BYTES;
  });
  return heads.slice(0, end === -1 ? heads.length : end).map(({ sessionId }) => sessionId);
}

const optionalName = z.string().max(1_000).nullish();

const getRequests = defineRoute({
  dialect: "reflexio",
  method: "post",
  path: "/api/get_requests",
  tag: "Interactions",
  summary: "Requests with their turns, by session",
  description:
    "Pages count sessions, newest first. A session is complete: all of its requests that meet the filters, " +
    "with all their turns. `offset` grows by the number of sessions received.",
  scope: "read",
  limit: "read",
  body: ordered(
    z.object({
      user_id: optionalName,
      request_id: optionalName,
      session_id: optionalName,
      source: optionalName,
      ...range,
      top_k: z.int().min(1).max(MAX_SESSIONS).nullish(),
      offset: z.int().min(0).max(MAX_OFFSET).nullish(),
    }),
  ),
  example: { body: { session_id: "ada-1" } },
  response: z.object({
    success: z.boolean(),
    sessions: z.array(sessionView),
    has_more: z.boolean(),
    msg: z.string().optional(),
  }),
  async handler({ orgId, db }, { body }) {
    const size = body.top_k ?? 30;
    const query: SessionQuery = {
      userId: body.user_id ?? null,
      requestId: body.request_id ?? null,
      sessionId: body.session_id ?? null,
      source: body.source ?? null,
      ...rangeOf(body),
      limit: size + 1,
      offset: body.offset ?? 0,
    };
    const heads = await listSessions(db, orgId, query);
    const sessionIds = fitting(heads.slice(0, size));
    if (sessionIds.length === 0 && heads.length > 0) {
      return {
        success: false,
        sessions: [],
        has_more: true,
        msg: `The session ${heads[0]?.sessionId} is larger than ${MAX_ANSWER_BYTES} bytes; ask for its requests by request_id or time.`,
      };
    }
    const { requests, interactions } = await loadSessions(db, orgId, sessionIds, query);
    return {
      success: true,
      sessions: groupSessions(sessionIds, requests, interactions),
      has_more: sessionIds.length < heads.length,
    };
  },
});

export const readRoutes: Route[] = [getInteractions, getAllInteractions, getRequests];
