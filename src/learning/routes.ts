/** Dead letters over HTTP: work that was given up, why, and a way to take it up again. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import type { Route } from "../http/route";
import { type DeadLetter, listDeadLetters } from "./dead-letter-store";
import { replayDeadLetter } from "./dead-letters";
import { modeRoutes } from "./mode-routes";
import { storedReviewRoutes } from "./stored-review/routes";

const deadLetterView = z.object({
  dead_letter_id: z.string(),
  topic: z.string(),
  /** What the work was about, such as user, extractor and window. */
  key: z.array(z.union([z.string(), z.number()])),
  reason: z.string(),
  message: z.string(),
  attempts: z.int(),
  created_at: z.int(),
  replayed_at: z.int().nullable(),
});

const viewOf = (letter: DeadLetter): z.input<typeof deadLetterView> => ({
  dead_letter_id: letter.deadLetterId,
  topic: letter.topic,
  key: letter.key,
  reason: letter.reason,
  message: letter.message,
  attempts: letter.attempts,
  created_at: letter.createdAt,
  replayed_at: letter.replayedAt,
});

const listRoute = defineRoute({
  dialect: "own",
  method: "get",
  path: "/api/dead_letters",
  tag: "Operations",
  summary: "Work that was given up, newest first",
  scope: "admin",
  limit: "read",
  query: z.object({
    state: z.enum(["open", "replayed", "all"]).default("open"),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  }),
  example: {
    query: { state: "open" },
    yields: {
      dead_letter_id: {
        pointer: "/dead_letters/0/dead_letter_id",
        sample: "dead_n2k5qx7c3w4ha6tzr2yvm5j3pe",
      },
    },
  },
  response: z.object({ dead_letters: z.array(deadLetterView) }),
  async handler({ db, orgId }, { query }) {
    return { dead_letters: (await listDeadLetters(db, orgId, query)).map(viewOf) };
  },
});

const replayRoute = defineRoute({
  dialect: "own",
  method: "post",
  path: "/api/dead_letters/{id}/replay",
  tag: "Operations",
  summary: "Take given-up work up again; repeating the call starts nothing twice",
  scope: "admin",
  limit: "write",
  params: z.object({ id: z.string().min(1).max(200) }),
  example: { params: { id: "{{dead_letter_id}}" } },
  response: deadLetterView,
  otherAnswers: { 404: "There is no such dead letter", 409: "Its work can no longer be done" },
  async handler({ services, orgId, principal, requestId }, { params }) {
    return viewOf(await replayDeadLetter(services, orgId, params.id, { principal, requestId }));
  },
});

export const learningRoutes: Route[] = [listRoute, replayRoute, ...modeRoutes, ...storedReviewRoutes];
