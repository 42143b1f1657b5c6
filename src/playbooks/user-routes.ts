/** HTTP for user playbooks, as Reflexio's client speaks it. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { Reply, type Route } from "../http/route";
import { addUserPlaybooks } from "./add";
import { entityTag } from "./approval";
import { changeUserPlaybook, removeUserPlaybook } from "./change-user";
import { cutNotice } from "./list-answer";
import { userPlaybookViewSchema, viewOfUserPlaybook } from "./model";
import {
  addUserPlaybookBody,
  deleteUserPlaybookBody,
  getUserPlaybooksBody,
  listFilterOf,
  textOrNull,
  updateUserPlaybookBody,
} from "./schemas";
import { listUserPlaybooks } from "./user-store";

const common = { dialect: "reflexio", tag: "User playbooks" } as const;

const getUserPlaybooks = defineRoute({
  ...common,
  method: "post",
  path: "/api/get_user_playbooks",
  summary: "List user playbooks, newest first",
  description:
    "Without status_filter everything but merged and superseded rows. In it, null stands for current rows; an " +
    "empty list matches nothing.",
  scope: "read",
  limit: "read",
  body: getUserPlaybooksBody,
  example: {
    body: { user_id: "ada", status_filter: [null] },
    after: "post /api/add_user_playbook",
    yields: { user_playbook_id: { pointer: "/user_playbooks/0/user_playbook_id", sample: 7 } },
  },
  response: z.object({
    success: z.boolean(),
    user_playbooks: z.array(userPlaybookViewSchema),
    msg: z.string().optional(),
  }),
  async handler({ db, orgId }, { body }) {
    const filter = listFilterOf(body);
    const rows = await listUserPlaybooks(db, orgId, {
      ...filter,
      userPlaybookId: body.user_playbook_id ?? undefined,
      userId: body.user_id ?? undefined,
      requestId: body.request_id ?? undefined,
    });
    const [only] = rows;
    return new Reply(
      200,
      { success: true, user_playbooks: rows.map(viewOfUserPlaybook), ...cutNotice(rows, filter.limit) },
      only !== undefined && rows.length === 1 ? { etag: entityTag(only.updatedAtMs) } : {},
    );
  },
});

const addUserPlaybook = defineRoute({
  ...common,
  method: "post",
  path: "/api/add_user_playbook",
  summary: "Add user playbooks directly",
  description: "The same call again adds nothing twice and answers the same.",
  scope: "write",
  limit: "write",
  body: addUserPlaybookBody,
  example: {
    body: {
      user_playbooks: [
        {
          user_id: "ada",
          agent_version: "helper-1",
          request_id: "ada-1-1",
          trigger: "When a change is ready",
          content: "Open a pull request and wait for a review. Never push to main.",
          rationale: "She reviews every change before it lands.",
          source_interaction_ids: ["{{interaction_id}}"],
          source_span: "do not push to main",
        },
        {
          user_id: "grace",
          agent_version: "helper-1",
          request_id: "grace-1-1",
          trigger: "When a change is ready",
          content: "Open a pull request and wait for a review before it lands on main.",
        },
        {
          user_id: "grace",
          agent_version: "helper-2",
          request_id: "grace-2-1",
          trigger: "When a release is tagged",
          content: "Write the change log by hand.",
        },
        {
          user_id: "grace",
          agent_version: "helper-2",
          request_id: "grace-2-2",
          trigger: "When a release is tagged",
          content: "Take the change log from the merged pull requests.",
          status: "pending",
        },
      ],
    },
  },
  response: z.object({ success: z.boolean(), message: z.string().optional(), added_count: z.int() }),
  async handler(scope, { body }) {
    return { success: true, added_count: await addUserPlaybooks(scope, body.user_playbooks) };
  },
});

const updateUserPlaybook = defineRoute({
  ...common,
  method: "put",
  path: "/api/update_user_playbook",
  summary: "Edit a user playbook",
  description: "Fields that are absent or null stay. If-Match is honoured where it is sent.",
  scope: "write",
  limit: "write",
  body: updateUserPlaybookBody,
  example: {
    body: {
      user_playbook_id: "{{user_playbook_id}}",
      rationale: "Nothing lands on main without a second pair of eyes.",
    },
  },
  response: z.object({ success: z.boolean(), msg: z.string().optional() }),
  otherAnswers: { 409: "It changed while this edit ran.", 412: "If-Match names another version." },
  async handler(scope, { body }) {
    const tag = await changeUserPlaybook(scope, body.user_playbook_id, {
      playbookName: body.playbook_name ?? undefined,
      content: body.content ?? undefined,
      trigger: body.trigger == null ? undefined : textOrNull(body.trigger),
      rationale: body.rationale == null ? undefined : textOrNull(body.rationale),
    });
    if (tag === null) return { success: false, msg: "There is no such user playbook." };
    return new Reply(200, { success: true, msg: "User playbook updated." }, { etag: tag });
  },
});

const deleteUserPlaybook = defineRoute({
  ...common,
  method: "delete",
  path: "/api/delete_user_playbook",
  summary: "Delete a user playbook for good",
  scope: "write",
  limit: "write",
  body: deleteUserPlaybookBody,
  example: { body: { user_playbook_id: "{{user_playbook_id}}" } },
  response: z.object({ success: z.boolean(), message: z.string() }),
  otherAnswers: { 409: "It changed while this call ran.", 412: "If-Match names another version." },
  async handler(scope, { body }) {
    await removeUserPlaybook(scope, body.user_playbook_id);
    return { success: true, message: "The user playbook is deleted." };
  },
});

export const userPlaybookRoutes: Route[] = [
  getUserPlaybooks,
  addUserPlaybook,
  updateUserPlaybook,
  deleteUserPlaybook,
];
