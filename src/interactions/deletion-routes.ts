/** Deleting turns, requests and sessions. Counts are of what was really there. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import type { Route } from "../http/route";
import { derivedId } from "../platform/ids";
import { type Deleted, deleteInteraction, deleteRequests } from "./delete";
import { identifier } from "./model";

const done = z.object({ success: z.boolean(), message: z.string() });
const counted = done.extend({ deleted_count: z.int() });

/** Publishers choose these ids, and a trail that outlives the user may not hold one that names them. */
const auditedId = (prefix: string, orgId: string, id: string): Promise<string> =>
  derivedId(prefix, [orgId, id]);

const summary = ({ requests, turns }: Deleted): string => `Deleted ${requests} requests with ${turns} turns.`;

const common = { dialect: "reflexio", method: "delete", tag: "Interactions", scope: "write" } as const;

const deleteInteractionRoute = defineRoute({
  ...common,
  path: "/api/delete_interaction",
  summary: "Delete one turn",
  limit: "write",
  body: z.object({ user_id: identifier, interaction_id: z.int().min(1) }),
  example: { body: { user_id: "ada", interaction_id: "{{interaction_id}}" } },
  response: done,
  async handler(scope, { body }) {
    const success = await deleteInteraction(scope, body.user_id, body.interaction_id);
    return { success, message: success ? "Deleted 1 turn." : "The user has no such turn." };
  },
});

const deleteRequestRoute = defineRoute({
  ...common,
  path: "/api/delete_request",
  summary: "Delete a request with its turns",
  limit: "write",
  body: z.object({ request_id: identifier }),
  example: { body: { request_id: "ada-1-1" } },
  response: done,
  async handler(scope, { body }) {
    const target = { kind: "requests", requestIds: [body.request_id] } as const;
    const id = await auditedId("request", scope.orgId, body.request_id);
    const deleted = await deleteRequests(scope, target, { type: "request", id });
    const success = deleted.requests > 0;
    return { success, message: success ? summary(deleted) : "There is no such request." };
  },
});

const deleteSessionRoute = defineRoute({
  ...common,
  path: "/api/delete_session",
  summary: "Delete a session with its requests and turns",
  limit: "write",
  body: z.object({ session_id: identifier }),
  example: { body: { session_id: "ada-1" } },
  response: done.extend({ deleted_requests_count: z.int() }),
  async handler(scope, { body }) {
    const target = { kind: "session", sessionId: body.session_id } as const;
    const id = await auditedId("session", scope.orgId, body.session_id);
    const deleted = await deleteRequests(scope, target, { type: "session", id });
    const success = deleted.requests > 0;
    return {
      success,
      message: success ? summary(deleted) : "There is no such session.",
      deleted_requests_count: deleted.requests,
    };
  },
});

const deleteRequestsByIdsRoute = defineRoute({
  ...common,
  path: "/api/delete_requests_by_ids",
  summary: "Delete several requests with their turns",
  limit: "bulk",
  body: z.object({ request_ids: z.array(identifier).min(1).max(10_000) }),
  example: { body: { request_ids: ["ada-1-1", "ada-1-2"] } },
  response: counted,
  async handler(scope, { body }) {
    const target = { kind: "requests", requestIds: body.request_ids } as const;
    const deleted = await deleteRequests(scope, target, { type: "request", id: scope.requestId });
    return { success: true, message: summary(deleted), deleted_count: deleted.requests };
  },
});

const deleteAllInteractionsRoute = defineRoute({
  ...common,
  path: "/api/delete_all_interactions",
  summary: "Delete every request and turn of the org",
  limit: "bulk",
  example: {},
  response: counted,
  async handler(scope) {
    const deleted = await deleteRequests(scope, { kind: "all" }, { type: "org", id: scope.orgId });
    return { success: true, message: summary(deleted), deleted_count: deleted.turns };
  },
});

export const deletionRoutes: Route[] = [
  deleteInteractionRoute,
  deleteRequestRoute,
  deleteSessionRoute,
  deleteRequestsByIdsRoute,
  deleteAllInteractionsRoute,
];
