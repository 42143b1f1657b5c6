/** Revoking on the desk: name it, see what it would touch, give a reason; and lifting what was a mistake. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import type { RefusedForm, RequestScope, Route } from "../../http/route";
import { Failure, invalid } from "../../platform/failure";
import { getRevocation, liftRevocation, listRevocations } from "../../revocations/lift";
import { type RevocationTarget, reasonSchema } from "../../revocations/model";
import { previewRevocation } from "../../revocations/preview";
import { revoke } from "../../revocations/revoke";
import { seeOther } from "../frame";
import { html } from "../html";
import { type TypedTarget, targetFields, targetOfForm } from "./form";
import { revocationPage, revocationsPage } from "./page";
import { previewPage } from "./preview-page";

const common = { dialect: "page", tag: "Review desk", scope: "review", response: html } as const;

const PAGE_ROWS = 30;

async function list(
  scope: RequestScope,
  typed: TypedTarget,
  refused: Parameters<typeof revocationsPage>[1]["refused"] = null,
  beforeId?: string,
) {
  const rows = await listRevocations(scope, { beforeId, limit: PAGE_ROWS + 1 });
  const revocations = rows.slice(0, PAGE_ROWS);
  const olderThan = rows.length > PAGE_ROWS ? (revocations.at(-1)?.revocationId ?? null) : null;
  return revocationsPage(scope, { revocations, olderThan, typed, refused });
}

const show = defineRoute({
  ...common,
  method: "get",
  path: "/desk/revocations",
  summary: "Revocations, and the form to revoke more",
  limit: "read",
  query: z.object({
    kind: z.string().max(20).optional(),
    user_id: z.string().max(1_000).optional(),
    interaction_ids: z.string().max(20_000).optional(),
    before: z.string().min(1).max(100).optional(),
  }),
  handler: (scope, { query }) => list(scope, query, null, query.before),
});

/** @throws Failure("invalid") beside the field */
function assertTarget(body: z.output<z.ZodObject<typeof targetFields>>): RevocationTarget {
  const target = targetOfForm(body);
  if (target === null) {
    throw invalid("/interaction_ids", "Name at least one turn.", "1 to 1000 numbers of turns");
  }
  return target;
}

/** The form again, with its faults and what was typed. */
const refusedTarget = async (scope: RequestScope, { failure, typed }: RefusedForm) =>
  failure.kind === "invalid"
    ? list(scope, typed, {
        message: "That cannot be revoked as it stands.",
        issues: failure.issues,
        status: 422,
      })
    : null;

const preview = defineRoute({
  ...common,
  method: "post",
  path: "/desk/revocations/preview",
  summary: "What a revocation would touch",
  limit: "search",
  bodyType: "form",
  body: z.object({ csrf: z.string(), ...targetFields }),
  refused: refusedTarget,
  async handler(scope, { body }) {
    const target = assertTarget(body);
    return previewPage(scope, {
      target,
      preview: await previewRevocation(scope, target),
      typed: {},
      refused: null,
    });
  },
});

/** A reason that is missing, or a list that has changed since: the preview as it is now, with what was typed. */
async function refusedRevocation(scope: RequestScope, form: RefusedForm) {
  const { failure, typed } = form;
  const fields = z.object(targetFields).safeParse(typed);
  const target = fields.success ? targetOfForm(fields.data) : null;
  if (target === null) return refusedTarget(scope, form);
  if (failure.status >= 500) return null;
  return previewPage(scope, {
    target,
    preview: await previewRevocation(scope, target),
    typed,
    refused: {
      message:
        failure.kind === "invalid"
          ? "Nothing was revoked: something in the form is not right."
          : failure.message,
      issues: failure.issues,
      status: failure.status,
    },
  });
}

const revokeForm = defineRoute({
  ...common,
  method: "post",
  path: "/desk/revocations",
  summary: "Revoke turns of a user, or the user",
  limit: "write",
  bodyType: "form",
  body: z.object({
    csrf: z.string(),
    ...targetFields,
    reason: reasonSchema,
    token: z.string().min(1).max(100),
  }),
  refused: refusedRevocation,
  async handler(scope, { body }) {
    const { revocationId } = await revoke(scope, assertTarget(body), body.reason, body.token);
    return seeOther(`/desk/revocations/${revocationId}?done=begun`);
  },
});

const params = z.object({ id: z.string().regex(/^[\w-]{1,100}$/, { error: "is no id of a revocation" }) });

const one = defineRoute({
  ...common,
  method: "get",
  path: "/desk/revocations/{id}",
  summary: "How a revocation stands",
  limit: "read",
  params,
  query: z.object({ done: z.enum(["begun", "lifted"]).optional() }),
  handler: async (scope, { params: { id }, query }) =>
    revocationPage(scope, { revocation: await getRevocation(scope, id), notice: query.done ?? null }),
});

const lift = defineRoute({
  ...common,
  method: "post",
  path: "/desk/revocations/{id}/lift",
  summary: "Lift a revocation that was a mistake",
  limit: "write",
  bodyType: "form",
  params,
  body: z.object({ csrf: z.string() }),
  async handler(scope, { params: { id } }) {
    const { state, revocationId } = await liftRevocation(scope, id);
    if (state !== "lifted") throw new Failure("conflict", "The revocation is not lifted.");
    return seeOther(`/desk/revocations/${revocationId}?done=lifted`);
  },
});

export const revocationPages: Route[] = [show, preview, revokeForm, one, lift];
