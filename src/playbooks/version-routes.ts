/** HTTP for the versions of user playbooks, as Reflexio's client speaks it. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import type { RequestScope, Route } from "../http/route";
import { changeVersions } from "./version-change";
import type { VersionFilter } from "./version-store";

const name = z.string().max(1000).nullish();
const filterShape = { agent_version: name, playbook_name: name };
const body = z.object(filterShape);

/** An empty name stands for none, as in Reflexio. */
const filterOf = (asked: z.infer<typeof body>): VersionFilter => ({
  agentVersion: asked.agent_version || null,
  playbookName: asked.playbook_name || null,
});

const common = {
  dialect: "reflexio",
  method: "post",
  tag: "User playbooks",
  scope: "write",
  limit: "bulk",
} as const;

const upgradeBody = z.object({ ...filterShape, archive_current: z.boolean().default(true) });

const upgrade = defineRoute({
  ...common,
  path: "/api/upgrade_all_user_playbooks",
  summary: "Take pending user playbooks into use in place of the current ones",
  description:
    "Deletes what was archived, archives what is current, and makes what is pending current. Without pending " +
    "rules nothing changes and `success` is false. Rules that rest on something revoked stay where they are. A " +
    "change that takes longer than a minute goes on by itself.",
  body: upgradeBody,
  example: { body: { agent_version: "helper-2" }, after: "post /api/add_user_playbook" },
  response: z.object({
    success: z.boolean(),
    user_playbooks_deleted: z.int(),
    user_playbooks_archived: z.int(),
    user_playbooks_promoted: z.int(),
    message: z.string(),
  }),
  async handler(scope: RequestScope, { body: asked }) {
    const answer = await changeVersions(scope, "upgrade", filterOf(asked), asked.archive_current);
    return {
      success: answer.success,
      user_playbooks_deleted: answer.deleted,
      user_playbooks_archived: answer.archived,
      user_playbooks_promoted: answer.promoted,
      message: answer.message,
    };
  },
});

const downgrade = defineRoute({
  ...common,
  path: "/api/downgrade_all_user_playbooks",
  summary: "Swap current and archived user playbooks",
  description:
    "A second downgrade swaps back. Without archived rules nothing changes and `success` is false. Pending rules, " +
    "and rules that rest on something revoked, stay where they are.",
  body,
  example: { body: { agent_version: "helper-2" }, after: "post /api/upgrade_all_user_playbooks" },
  response: z.object({
    success: z.boolean(),
    user_playbooks_demoted: z.int(),
    user_playbooks_restored: z.int(),
    message: z.string(),
  }),
  async handler(scope: RequestScope, { body: asked }) {
    const answer = await changeVersions(scope, "downgrade", filterOf(asked));
    return {
      success: answer.success,
      user_playbooks_demoted: answer.archived,
      user_playbooks_restored: answer.promoted,
      message: answer.message,
    };
  },
});

export const versionRoutes: Route[] = [upgrade, downgrade];
