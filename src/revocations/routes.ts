/** HTTP of revocations: look first, then revoke; and the word of a person on what was sent back. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { problem } from "../http/dialects";
import { Reply, type RequestScope, type Route } from "../http/route";
import { entityTag } from "../playbooks/approval";
import { lifecycleStatuses } from "../playbooks/model";
import { getRevocation, liftRevocation, listRevocations, MAX_LISTED } from "./lift";
import { previewSchema, revocationView, revokeBody, targetBody, targetOf, viewOf } from "./model";
import { previewRevocation } from "./preview";
import { revoke, StalePreview } from "./revoke";
import { reviewUserPlaybook, userDecisions } from "./user-review";

const common = { dialect: "own", tag: "Revocations", scope: "review" } as const;

const preview = defineRoute({
  ...common,
  method: "post",
  path: "/api/revocations/preview",
  summary: "What revoking turns of a user, or the user, would touch",
  description:
    "Lists every rule derived from them, through merges, refreshes and shared clusters. Lists end after 500 rows of " +
    "a kind; the totals and the token cover all. Changes nothing.",
  limit: "search",
  body: targetBody,
  example: {
    body: { kind: "interaction", user_id: "ada", interaction_ids: ["{{interaction_id}}"] },
    after: "post /api/add_user_playbook",
    yields: { preview_token: { pointer: "/token", sample: "preview_q7k5cx3w2n4ha6tzr2yvm5j3pe" } },
  },
  response: previewSchema,
  handler: (scope, { body }) => previewRevocation(scope, targetOf(body)),
});

/** A stale preview says in numbers what there is now. */
const staleAnswer = (failure: StalePreview): Reply => {
  const { body, contentType } = problem(failure);
  return new Reply(failure.status, JSON.stringify({ ...Object(body), totals: failure.totals }), {
    "content-type": contentType,
  });
};

async function revokeOrSayStale(scope: RequestScope, body: z.output<typeof revokeBody>) {
  try {
    return viewOf(await revoke(scope, targetOf(body), body.reason, body.token));
  } catch (error) {
    if (error instanceof StalePreview) return staleAnswer(error);
    throw error;
  }
}

const revokeRoute = defineRoute({
  ...common,
  method: "post",
  path: "/api/revocations",
  summary: "Revoke turns of a user, or the user",
  description:
    "Nothing is learned from them any more, and every rule derived from them goes back to review with the reason. " +
    "Approved and current rules leave service first. A large set is still `running` in the answer and goes on by " +
    "itself. The same call again answers the same revocation.",
  limit: "write",
  body: revokeBody,
  example: {
    body: {
      kind: "interaction",
      user_id: "ada",
      interaction_ids: ["{{interaction_id}}"],
      reason: "Somebody else typed this turn.",
      token: "{{preview_token}}",
    },
    yields: { revocation_id: { pointer: "/revocation_id", sample: "rev_d5k3qx7c2n4ha6tzr2yvm5j3pe" } },
  },
  response: revocationView,
  otherAnswers: {
    404: "The user has none of these turns, and no rule cites them.",
    409: "What it would touch has changed since the preview; `totals` says what it is now.",
  },
  handler: (scope, { body }) => revokeOrSayStale(scope, body),
});

const list = defineRoute({
  ...common,
  method: "get",
  path: "/api/revocations",
  summary: "Revocations, newest first",
  limit: "read",
  query: z.object({
    limit: z.coerce.number().int().min(1).max(MAX_LISTED).default(50),
    /** Id of the last one of the page before. */
    before: z.string().min(1).max(100).optional(),
  }),
  example: { query: { limit: "20" } },
  response: z.object({ revocations: z.array(revocationView) }),
  async handler(scope, { query }) {
    const rows = await listRevocations(scope, { beforeId: query.before, limit: query.limit });
    return { revocations: rows.map(viewOf) };
  },
});

const params = z.object({ id: z.string().min(1).max(100) });

const get = defineRoute({
  ...common,
  method: "get",
  path: "/api/revocations/{id}",
  summary: "How a revocation stands",
  limit: "read",
  params,
  example: { params: { id: "{{revocation_id}}" } },
  response: revocationView,
  otherAnswers: { 404: "There is no such revocation." },
  handler: async (scope, input) => viewOf(await getRevocation(scope, input.params.id)),
});

const lift = defineRoute({
  ...common,
  method: "post",
  path: "/api/revocations/{id}/lift",
  summary: "Lift a revocation that was a mistake",
  description:
    "Turns from before it and from now on are learned from again; what a revoked user published meanwhile stays " +
    "out. Rules stay in review until a person decides about each of them.",
  limit: "write",
  params,
  example: { params: { id: "{{revocation_id}}" } },
  response: revocationView.extend({ message: z.string() }),
  otherAnswers: { 404: "There is no such revocation.", 409: "It is still running." },
  async handler(scope, input) {
    const lifted = await liftRevocation(scope, input.params.id);
    return {
      ...viewOf(lifted),
      message:
        "Lifted: learning may use the turns again. Rules that were sent back stay in review until a person approves them.",
    };
  },
});

const reviewUser = defineRoute({
  dialect: "own",
  tag: "User playbooks",
  scope: "review",
  method: "post",
  path: "/api/user_playbooks/{id}/review",
  summary: "Decide about a user playbook that is in review",
  description:
    "`keep` puts it back into use without the flag `tainted`; `archive` leaves it out of use. The version is its " +
    "entity tag: in the body, or in If-Match.",
  limit: "write",
  params: z.object({
    id: z.string().regex(/^[1-9]\d{0,14}$/, { error: "must be the id of a user playbook" }),
  }),
  body: z.strictObject({ decision: z.enum(userDecisions), version: z.int().min(1).nullish() }),
  example: {
    params: { id: "{{user_playbook_id}}" },
    body: { decision: "keep" },
    after: "post /api/revocations",
  },
  response: z.object({
    user_playbook_id: z.int(),
    status: z.enum(lifecycleStatuses).nullable(),
    version: z.int(),
  }),
  otherAnswers: {
    404: "There is no such user playbook.",
    409: "It is not in review, or another decision was faster.",
    412: "If-Match or `version` names another version.",
  },
  async handler(scope, input) {
    const { decision, version } = input.body;
    const row = await reviewUserPlaybook(scope, Number(input.params.id), decision, version ?? undefined);
    return new Reply(
      200,
      { user_playbook_id: row.userPlaybookId, status: row.status, version: row.updatedAtMs },
      { etag: entityTag(row.updatedAtMs) },
    );
  },
});

export const revocationRoutes: Route[] = [preview, revokeRoute, list, get, lift, reviewUser];
