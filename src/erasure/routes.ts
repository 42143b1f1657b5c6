/** HTTP of erasures: forgetting a user, the log of who was forgotten, and replaying it after a restore. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import type { Route } from "../http/route";
import { identifier } from "../interactions/model";
import { Failure } from "../platform/failure";
import { clearUser } from "./clear";
import { findLogEntry, listLog } from "./mark-store";
import { countsSchema, entrySchema, viewOf } from "./model";
import { replayLog } from "./replay";

const MAX_LISTED = 1_000;
const MAX_IMPORTED = 1_000;

const clearRoute = defineRoute({
  dialect: "reflexio",
  method: "post",
  path: "/api/clear_user_data",
  tag: "Erasure",
  summary: "Forget a user",
  description:
    "Deletes the user's turns, requests, rules and every trace of them. Nothing of them is shown or learned from once " +
    "this begins; publishing for them is refused until it ends. Rules of agents whose wording came of theirs leave " +
    "service and are aggregated anew from what others taught; an approved rule stays where it owes the user no word. " +
    "After a minute the answer comes with the counts so far, and `operation_id` says what to ask for.",
  scope: "review",
  limit: "bulk",
  body: z.object({ user_id: identifier }),
  example: {
    body: { user_id: "grace" },
    yields: { erasure_id: { pointer: "/operation_id", sample: "era_d5k3qx7c2n4ha6tzr2yvm5j3pe" } },
  },
  response: z.object({
    success: z.boolean(),
    deleted_counts: countsSchema,
    message: z.string(),
    operation_id: z.string(),
  }),
  async handler(scope, { body }) {
    const entry = await clearUser(scope, body.user_id);
    const isDone = entry.state === "done";
    return {
      success: true,
      deleted_counts: entry.counts,
      message: isDone
        ? "The user is forgotten."
        : "The user is hidden and the rest is being deleted; ask for the operation.",
      operation_id: entry.erasureId,
    };
  },
});

const common = { dialect: "own", tag: "Erasure", scope: "admin" } as const;

const getRoute = defineRoute({
  ...common,
  method: "get",
  path: "/api/erasures/{erasure_id}",
  summary: "How far an erasure has come",
  limit: "read",
  params: z.object({
    erasure_id: z.string().min(1).max(100).describe("The `operation_id` of the call that began it."),
  }),
  example: { params: { erasure_id: "{{erasure_id}}" } },
  response: entrySchema,
  async handler({ db, orgId }, { params }) {
    const entry = await findLogEntry(db, orgId, params.erasure_id);
    if (entry === null) throw new Failure("not_found", "There is no such erasure.");
    return viewOf(entry);
  },
});

const listRoute = defineRoute({
  ...common,
  method: "get",
  path: "/api/erasure_log",
  summary: "Who was forgotten, newest first, as salted hashes",
  description:
    "Keep a copy outside: a database that is restored from a backup has lost the lines written after it.",
  limit: "read",
  query: z.object({
    limit: z.coerce.number().int().min(1).max(MAX_LISTED).default(100),
    before: z.string().min(1).max(100).optional(),
  }),
  example: { query: { limit: "20" } },
  response: z.object({ entries: z.array(entrySchema) }),
  async handler({ db, orgId }, { query }) {
    const entries = await listLog(db, orgId, { beforeId: query.before, limit: query.limit });
    return { entries: entries.map(viewOf) };
  },
});

const AS_LOGGED = "As the log gave it.";

const imported = z
  .object({
    erasure_id: z
      .string()
      .regex(/^era_[a-z2-7]{1,60}$/)
      .describe(AS_LOGGED),
    salt: z.string().min(1).max(100).describe(AS_LOGGED),
    user_hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe(AS_LOGGED),
    begun_at: z.int().min(0).describe(AS_LOGGED),
  })
  .transform((entry) => ({
    erasureId: entry.erasure_id,
    salt: entry.salt,
    userHash: entry.user_hash,
    begunAt: entry.begun_at,
  }));

const replayRoute = defineRoute({
  ...common,
  method: "post",
  path: "/api/erasure_log/replay",
  summary: "Forget again whom a restored backup brought back",
  description:
    "Erases every user whom the log, or one of the lines sent along, knows by its hash, and who has something from " +
    "before that erasure.",
  limit: "bulk",
  body: z.object({
    entries: z
      .array(imported)
      .max(MAX_IMPORTED)
      .default([])
      .describe("Lines of the log that were kept outside; those that are known already change nothing."),
  }),
  example: { body: { entries: [] } },
  response: z.object({
    success: z.boolean(),
    users_checked: z.int(),
    users_erased: z.int(),
    is_complete: z.boolean(),
  }),
  async handler(scope, { body }) {
    const replayed = await replayLog(scope, body.entries);
    return {
      success: true,
      users_checked: replayed.usersChecked,
      users_erased: replayed.usersErased,
      is_complete: replayed.isComplete,
    };
  },
});

export const erasureRoutes: Route[] = [clearRoute, getRoute, listRoute, replayRoute];
