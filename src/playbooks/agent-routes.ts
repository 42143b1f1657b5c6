/** HTTP for agent playbooks, as Reflexio's client speaks it, and the evidence behind one. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { Reply, type RequestScope, type Route } from "../http/route";
import { Failure } from "../platform/failure";
import { addAgentPlaybooks } from "./add";
import { listAgentPlaybooks } from "./agent-store";
import { entityTag } from "./approval";
import { type AgentPlaybookChange, changeAgentPlaybook, removeAgentPlaybook } from "./change-agent";
import { evidenceOf, evidenceSchema } from "./evidence";
import { cutNotice } from "./list-answer";
import { agentPlaybookViewSchema, viewOfAgentPlaybook } from "./model";
import {
  addAgentPlaybookBody,
  deleteAgentPlaybookBody,
  getAgentPlaybooksBody,
  listFilterOf,
  textOrNull,
  updateAgentPlaybookBody,
  updateAgentPlaybookStatusBody,
} from "./schemas";

const common = { dialect: "reflexio", tag: "Agent playbooks" } as const;

const races = {
  403: 'The rule is or would be approved, and the key lacks the scope "review".',
  409: "It changed while this call ran; the answer says who decided.",
  412: "If-Match names another version; the answer says who decided.",
} as const;

const getAgentPlaybooks = defineRoute({
  ...common,
  method: "post",
  path: "/api/get_agent_playbooks",
  summary: "List agent playbooks, newest first",
  description: "Without status_filter current rows only. An empty list matches nothing.",
  scope: "read",
  limit: "search",
  body: getAgentPlaybooksBody,
  example: {
    body: { agent_version: "helper-1", playbook_status_filter: "pending" },
    after: "post /api/add_agent_playbook",
    yields: { agent_playbook_id: { pointer: "/agent_playbooks/0/agent_playbook_id", sample: 12 } },
  },
  response: z.object({
    success: z.boolean(),
    agent_playbooks: z.array(agentPlaybookViewSchema),
    msg: z.string().optional(),
  }),
  async handler({ db, orgId }, { body }) {
    const approvals = body.playbook_status_filter ?? undefined;
    const filter = listFilterOf(body);
    const rows = await listAgentPlaybooks(db, orgId, {
      ...filter,
      agentPlaybookId: body.agent_playbook_id ?? undefined,
      approvals: typeof approvals === "string" ? [approvals] : approvals,
    });
    const [only] = rows;
    return new Reply(
      200,
      { success: true, agent_playbooks: rows.map(viewOfAgentPlaybook), ...cutNotice(rows, filter.limit) },
      only !== undefined && rows.length === 1 ? { etag: entityTag(only.version) } : {},
    );
  },
});

const addAgentPlaybook = defineRoute({
  ...common,
  method: "post",
  path: "/api/add_agent_playbook",
  summary: "Add agent playbooks directly",
  description: 'Pending unless said otherwise; an approved one needs the scope "review", else none is added.',
  scope: "write",
  limit: "write",
  body: addAgentPlaybookBody,
  example: {
    body: {
      agent_playbooks: [
        {
          agent_version: "helper-1",
          trigger: "When a change is ready",
          content: "Open a pull request and wait for a review. Never push to main.",
          rationale: "Several users stopped pushes to main.",
          playbook_status: "pending",
        },
      ],
    },
  },
  response: z.object({ success: z.boolean(), message: z.string().optional(), added_count: z.int() }),
  otherAnswers: { 403: races[403] },
  async handler(scope, { body }) {
    return { success: true, added_count: await addAgentPlaybooks(scope, body.agent_playbooks) };
  },
});

async function change(
  scope: RequestScope,
  agentPlaybookId: number,
  wanted: AgentPlaybookChange,
  done: string,
) {
  const row = await changeAgentPlaybook(scope, agentPlaybookId, wanted);
  if (row === null) return { success: false, msg: "There is no such agent playbook." };
  return new Reply(200, { success: true, msg: done }, { etag: entityTag(row.version) });
}

const updateAgentPlaybook = defineRoute({
  ...common,
  method: "put",
  path: "/api/update_agent_playbook",
  summary: "Edit an agent playbook",
  description:
    "Fields that are absent or null stay. An approved rule stays approved, so editing one needs the scope " +
    '"review". If-Match is honoured where it is sent.',
  scope: "write",
  limit: "write",
  body: updateAgentPlaybookBody,
  example: {
    body: {
      agent_playbook_id: "{{agent_playbook_id}}",
      rationale: "Users review every change before it lands.",
    },
  },
  response: z.object({ success: z.boolean(), msg: z.string().optional() }),
  otherAnswers: races,
  handler: (scope, { body }) =>
    change(
      scope,
      body.agent_playbook_id,
      {
        playbookName: body.playbook_name ?? undefined,
        content: body.content ?? undefined,
        trigger: body.trigger == null ? undefined : textOrNull(body.trigger),
        rationale: body.rationale == null ? undefined : textOrNull(body.rationale),
        playbookStatus: body.playbook_status ?? undefined,
        keepReplaced: body.keep_replaced ?? undefined,
      },
      "Agent playbook updated.",
    ),
});

const updateAgentPlaybookStatus = defineRoute({
  ...common,
  method: "put",
  path: "/api/update_agent_playbook_status",
  summary: "Approve, reject or reopen an agent playbook",
  description:
    "If-Match is honoured where it is sent: the reviewer who comes second is told who decided. Approving a rule " +
    "that was made to replace an approved one supersedes that one, unless `keep_replaced` is true.",
  scope: "write",
  limit: "write",
  body: updateAgentPlaybookStatusBody,
  example: {
    body: { agent_playbook_id: "{{agent_playbook_id}}", playbook_status: "approved" },
  },
  response: z.object({ success: z.boolean(), msg: z.string().optional() }),
  otherAnswers: races,
  handler: (scope, { body }) =>
    change(
      scope,
      body.agent_playbook_id,
      { playbookStatus: body.playbook_status, keepReplaced: body.keep_replaced ?? undefined },
      `Agent playbook is ${body.playbook_status}.`,
    ),
});

const deleteAgentPlaybook = defineRoute({
  ...common,
  method: "delete",
  path: "/api/delete_agent_playbook",
  summary: "Delete an agent playbook for good",
  scope: "write",
  limit: "write",
  body: deleteAgentPlaybookBody,
  example: { body: { agent_playbook_id: "{{agent_playbook_id}}" } },
  response: z.object({ success: z.boolean(), message: z.string() }),
  otherAnswers: races,
  async handler(scope, { body }) {
    await removeAgentPlaybook(scope, body.agent_playbook_id);
    return { success: true, message: "The agent playbook is deleted." };
  },
});

const evidence = defineRoute({
  dialect: "own",
  method: "get",
  path: "/api/agent_playbooks/{id}/evidence",
  tag: "Agent playbooks",
  summary: "The sources of an agent playbook and the turns that prove them",
  description: 'Users are counted; the scope "review" sees their ids.',
  scope: "read",
  limit: "read",
  params: z.object({
    id: z.string().regex(/^[1-9]\d{0,14}$/, { error: "must be the id of an agent playbook" }),
  }),
  example: {
    params: { id: "{{agent_playbook_id}}" },
    after: "put /api/update_agent_playbook_status",
    yields: { version: { pointer: "/agent_playbook/version", sample: 3 } },
  },
  response: evidenceSchema,
  otherAnswers: { 404: "There is no such agent playbook." },
  async handler({ db, orgId, principal }, { params }) {
    const found = await evidenceOf(db, orgId, Number(params.id), principal.scopes.includes("review"));
    if (found === null) throw new Failure("not_found", "There is no such agent playbook.");
    return new Reply(200, found, { etag: entityTag(found.agent_playbook.version) });
  },
});

export const agentPlaybookRoutes: Route[] = [
  getAgentPlaybooks,
  addAgentPlaybook,
  updateAgentPlaybook,
  updateAgentPlaybookStatus,
  deleteAgentPlaybook,
  evidence,
];
