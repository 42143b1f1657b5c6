/** The pages for people: the review desk at `/`, and the forms on it. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { Reply, type RequestScope, type Route } from "../http/route";
import { Failure } from "../platform/failure";
import { type AgentPlaybookChange, changeAgentPlaybook } from "../playbooks/change-agent";
import { approvalStatuses } from "../playbooks/model";
import { MAX_CONTENT_CHARS, MAX_RATIONALE_CHARS, MAX_TRIGGER_CHARS } from "../playbooks/schemas";
import { contentSecurityPolicy } from "./layout";
import { rulesForReview } from "./review";
import { renderReviewPage } from "./review-page";

const wantsHtml = (headers: Headers): boolean => (headers.get("accept") ?? "").includes("text/html");

const html = z.string().meta({ description: "An HTML page." });

const desk = defineRoute({
  dialect: "page",
  method: "get",
  path: "/",
  tag: "Review desk",
  summary: "The review desk for people, or where things are for programs",
  scope: (headers) => (wantsHtml(headers) ? "read" : "public"),
  limit: "read",
  query: z.object({
    status: z.enum(approvalStatuses).default("pending"),
    notice: z.string().max(300).optional(),
  }),
  response: html,
  async handler(scope, { query }) {
    if (!wantsHtml(scope.headers)) return { service: "playmaker", docs: "/openapi.json", health: "/health" };
    const nonce = scope.services.ids.random("n");
    const { scopes } = scope.principal;
    const page = renderReviewPage({
      nonce,
      status: query.status,
      rules: await rulesForReview(scope, query.status),
      canReview: scopes.includes("review"),
      canEdit: scopes.includes("write") && (query.status !== "approved" || scopes.includes("review")),
      notice: query.notice ?? null,
    });
    return new Reply(200, page, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentSecurityPolicy(nonce),
      "x-frame-options": "DENY",
    });
  },
});

const id = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);

/** Applies a change made on the page; a reviewer who comes second is told who decided what. */
async function apply(
  scope: RequestScope,
  agentPlaybookId: number,
  version: number,
  change: AgentPlaybookChange,
  done: string,
) {
  const headers = new Headers(scope.headers);
  headers.set("if-match", `"${version}"`);
  const row = await changeAgentPlaybook({ ...scope, headers }, agentPlaybookId, change);
  if (row === null) throw new Failure("not_found", "There is no such rule any more.");
  return new Reply(303, "", {
    "content-type": "text/html; charset=utf-8",
    location: `/?${new URLSearchParams({ notice: `#${agentPlaybookId} ${done}` })}`,
  });
}

const decide = defineRoute({
  dialect: "page",
  method: "post",
  path: "/desk/decide",
  tag: "Review desk",
  summary: "Decide on an agent playbook",
  scope: "review",
  limit: "write",
  bodyType: "form",
  body: z.object({ agent_playbook_id: id, version: id, playbook_status: z.enum(approvalStatuses) }),
  response: html,
  handler: (scope, { body }) =>
    apply(
      scope,
      body.agent_playbook_id,
      body.version,
      { playbookStatus: body.playbook_status },
      body.playbook_status === "pending" ? "is back in review." : `is ${body.playbook_status}.`,
    ),
});

const orNull = (text: string): string | null => (text.trim() === "" ? null : text);

const edit = defineRoute({
  dialect: "page",
  method: "post",
  path: "/desk/edit",
  tag: "Review desk",
  summary: "Edit an agent playbook",
  scope: "write",
  limit: "write",
  bodyType: "form",
  body: z.object({
    agent_playbook_id: id,
    version: id,
    trigger: z.string().max(MAX_TRIGGER_CHARS),
    content: z.string().max(MAX_CONTENT_CHARS).regex(/\S/u, { error: "must not be blank" }),
    rationale: z.string().max(MAX_RATIONALE_CHARS),
  }),
  response: html,
  handler: (scope, { body }) =>
    apply(
      scope,
      body.agent_playbook_id,
      body.version,
      { trigger: orNull(body.trigger), content: body.content, rationale: orNull(body.rationale) },
      "is saved.",
    ),
});

export const dashboardRoutes: Route[] = [desk, decide, edit];
