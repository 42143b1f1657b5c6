/** The review desk at `/`, one rule at a time, and the decisions made there. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import type { RefusedForm, Reply, RequestScope, Route } from "../../http/route";
import { Failure } from "../../platform/failure";
import { entityTag } from "../../playbooks/approval";
import { type AgentPlaybookChange, changeAgentPlaybook } from "../../playbooks/change-agent";
import { approvalStatuses } from "../../playbooks/model";
import { MAX_CONTENT_CHARS, MAX_RATIONALE_CHARS, MAX_TRIGGER_CHARS } from "../../playbooks/schemas";
import { undoDecision } from "../../playbooks/undo";
import { seeOther } from "../frame";
import { html, ownPath, rowId, wantsHtml, withQuery } from "../html";
import { bulkRoutes } from "./bulk-routes";
import { noticeOf, outcomes } from "./notice";
import { reviewPage, rulePage } from "./page";
import { reviewQueue, reviewRules } from "./queue";

const common = { dialect: "page", tag: "Review desk", response: html } as const;

const done = { done: z.enum(outcomes).optional(), rule: rowId.optional() };

const cursor = z
  .string()
  .regex(/^$|^\d{1,12}-[1-9]\d{0,14}$/, { error: "is no place in the list" })
  .default("");

const desk = defineRoute({
  ...common,
  method: "get",
  path: "/",
  summary: "The review desk for people, or where things are for programs",
  scope: (headers) => (wantsHtml(headers) ? "read" : "public"),
  limit: "read",
  query: z.object({
    status: z.enum(approvalStatuses).default("pending"),
    q: z.string().max(500).default(""),
    version: z.string().max(1_000).default(""),
    flagged: z.literal("on").optional(),
    before: cursor,
    ...done,
  }),
  async handler(scope, { query }) {
    if (!wantsHtml(scope.headers)) return { service: "playmaker", docs: "/docs", health: "/health" };
    const { status, q, version, before } = query;
    const [createdAt, agentPlaybookId] = before.split("-").map(Number);
    const queue = await reviewQueue(scope, {
      status,
      query: q,
      ...(version !== "" && { agentVersion: version }),
      ...(query.flagged === "on" && { flagged: true }),
      ...(createdAt !== undefined &&
        agentPlaybookId !== undefined && { before: { createdAt, agentPlaybookId } }),
    });
    return reviewPage(scope, {
      query: { status, q, version, before, flagged: query.flagged === "on" },
      queue,
      notice: await noticeOf(scope, query, withQuery("/", { status })),
      fault: null,
    });
  },
});

const one = defineRoute({
  ...common,
  method: "get",
  path: "/desk/rules/{id}",
  summary: "One agent playbook, whatever became of it",
  scope: "read",
  limit: "read",
  params: z.object({ id: rowId }),
  query: z.object(done),
  async handler(scope, { params, query }) {
    const [rule] = await reviewRules(scope, [params.id]);
    if (rule === undefined) throw new Failure("not_found", "There is no such rule any more.");
    const notice = await noticeOf(scope, query, `/desk/rules/${params.id}`);
    return rulePage(scope, { rule, notice, refused: null });
  },
});

/** Shows the rule as it is now, with why the form was not taken and with what was typed into it. */
async function refusedOn(
  scope: RequestScope,
  { failure, typed }: RefusedForm,
  isEdit: boolean,
): Promise<Reply | null> {
  const id = rowId.safeParse(typed.agent_playbook_id);
  if (!id.success || failure.status >= 500) return null;
  const [rule] = await reviewRules(scope, [id.data]);
  if (rule === undefined) return null;
  const hint =
    isEdit && failure.kind !== "invalid"
      ? " What you typed stands below; saving it again writes it over what the rule says now."
      : "";
  const isOnField = failure.kind === "invalid" && isEdit;
  return rulePage(scope, {
    rule,
    notice: null,
    refused: {
      message: isOnField
        ? "The rule was not saved: something in the form is not right."
        : `${failure.message}${hint}`,
      status: failure.status,
      ...(isEdit && { edit: { typed, issues: failure.issues } }),
    },
  });
}

/** Applies a change made on the page; a reviewer who comes second is told who decided what. */
async function apply(
  scope: RequestScope,
  form: { agent_playbook_id: number; version: number; from?: string | undefined },
  change: AgentPlaybookChange,
  outcome: (typeof outcomes)[number],
): Promise<Reply> {
  const headers = new Headers(scope.headers);
  headers.set("if-match", entityTag(form.version));
  const row = await changeAgentPlaybook({ ...scope, headers }, form.agent_playbook_id, change);
  if (row === null) throw new Failure("not_found", "There is no such rule any more.");
  return seeOther(withQuery(ownPath(form.from), { done: outcome, rule: String(form.agent_playbook_id) }));
}

const target = {
  csrf: z.string(),
  agent_playbook_id: rowId,
  version: rowId,
  from: z.string().max(4_000).optional(),
};

const decide = defineRoute({
  ...common,
  method: "post",
  path: "/desk/decide",
  summary: "Decide on an agent playbook",
  scope: "review",
  limit: "write",
  bodyType: "form",
  body: z.object({
    ...target,
    playbook_status: z.enum(approvalStatuses),
    keep_replaced: z.literal("on").optional(),
  }),
  refused: (scope, form) => refusedOn(scope, form, false),
  handler: (scope, { body }) =>
    apply(
      scope,
      body,
      { playbookStatus: body.playbook_status, keepReplaced: body.keep_replaced === "on" },
      body.playbook_status,
    ),
});

const orNull = (text: string): string | null => (text.trim() === "" ? null : text);

const edit = defineRoute({
  ...common,
  method: "post",
  path: "/desk/edit",
  summary: "Edit an agent playbook",
  scope: "write",
  limit: "write",
  bodyType: "form",
  body: z.object({
    ...target,
    trigger: z.string().max(MAX_TRIGGER_CHARS),
    content: z.string().max(MAX_CONTENT_CHARS).regex(/\S/u, { error: "must not be blank" }),
    rationale: z.string().max(MAX_RATIONALE_CHARS),
  }),
  refused: (scope, form) => refusedOn(scope, form, true),
  handler: (scope, { body }) =>
    apply(
      scope,
      body,
      { trigger: orNull(body.trigger), content: body.content, rationale: orNull(body.rationale) },
      "saved",
    ),
});

const undo = defineRoute({
  ...common,
  method: "post",
  path: "/desk/undo",
  summary: "Take the last decision about an agent playbook back",
  scope: "review",
  limit: "write",
  bodyType: "form",
  body: z.object(target),
  refused: (scope, form) => refusedOn(scope, form, false),
  async handler(scope, { body }) {
    const undone = await undoDecision(scope, body.agent_playbook_id, body.version);
    if (undone === null) throw new Failure("not_found", "There is no such rule any more.");
    return seeOther(withQuery(ownPath(body.from), { done: "undone", rule: String(body.agent_playbook_id) }));
  },
});

export const reviewRoutes: Route[] = [desk, one, decide, edit, undo, ...bulkRoutes];
