/** The pages for people: the review desk at `/`, and the forms on it. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import type { RequestScope, Route } from "../../http/route";
import { Failure } from "../../platform/failure";
import { type AgentPlaybookChange, changeAgentPlaybook } from "../../playbooks/change-agent";
import { approvalStatuses } from "../../playbooks/model";
import { MAX_CONTENT_CHARS, MAX_RATIONALE_CHARS, MAX_TRIGGER_CHARS } from "../../playbooks/schemas";
import { seeOther } from "../frame";
import { html, rowId, wantsHtml } from "../html";
import { reviewPage } from "./page";
import { rulesForReview } from "./rules";

/** What a form did, for the page it leads back to; in closed words, so that no link can put others there. */
const doneText = {
  approved: "is approved and served from now on.",
  rejected: "is rejected.",
  pending: "is back in review.",
  saved: "is saved.",
} as const;
const outcomes = ["approved", "rejected", "pending", "saved"] as const;

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
    done: z.enum(outcomes).optional(),
    rule: rowId.optional(),
  }),
  response: html,
  async handler(scope, { query }) {
    if (!wantsHtml(scope.headers)) return { service: "playmaker", docs: "/openapi.json", health: "/health" };
    const { status, done, rule } = query;
    return reviewPage(scope, {
      status,
      ...(await rulesForReview(scope, status)),
      notice: done !== undefined && rule !== undefined ? `Rule #${rule} ${doneText[done]}` : null,
      fault: null,
    });
  },
});

/** Applies a change made on the page; a reviewer who comes second is told who decided what. */
async function apply(
  scope: RequestScope,
  agentPlaybookId: number,
  version: number,
  change: AgentPlaybookChange,
  done: (typeof outcomes)[number],
) {
  const headers = new Headers(scope.headers);
  headers.set("if-match", `"${version}"`);
  const row = await changeAgentPlaybook({ ...scope, headers }, agentPlaybookId, change);
  if (row === null) throw new Failure("not_found", "There is no such rule any more.");
  return seeOther(`/?${new URLSearchParams({ done, rule: String(agentPlaybookId) })}`);
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
  body: z.object({
    csrf: z.string(),
    agent_playbook_id: rowId,
    version: rowId,
    playbook_status: z.enum(approvalStatuses),
  }),
  response: html,
  handler: (scope, { body }) =>
    apply(
      scope,
      body.agent_playbook_id,
      body.version,
      { playbookStatus: body.playbook_status },
      body.playbook_status,
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
    csrf: z.string(),
    agent_playbook_id: rowId,
    version: rowId,
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
      "saved",
    ),
});

export const reviewRoutes: Route[] = [desk, decide, edit];
