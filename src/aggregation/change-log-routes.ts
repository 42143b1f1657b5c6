/** HTTP edge of the change log. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { Reply, type Route } from "../http/route";
import { changeLogsOf } from "./change-log";
import { loadChangeEvents } from "./change-log-store";

const snapshot = z.object({
  agent_playbook_id: z.int(),
  playbook_name: z.string(),
  agent_version: z.string(),
  content: z.string(),
  trigger: z.string().nullable(),
  rationale: z.string().nullable(),
  blocking_issue: z.null(),
  playbook_status: z.string(),
  playbook_metadata: z.string(),
});

const changeLogs = defineRoute({
  dialect: "reflexio",
  method: "get",
  path: "/api/playbook_aggregation_change_logs",
  tag: "Aggregation",
  summary: "What each run of aggregation added to a version's rules, and what it removed",
  description:
    "Newest run first, from the newest 1,000 changes. Keys whose value is null stay. `updated_agent_playbooks` is always empty: a run replaces rules.",
  scope: "read",
  limit: "read",
  query: z.object({ playbook_name: z.string().min(1).max(1000), agent_version: z.string().min(1).max(1000) }),
  example: { query: { playbook_name: "playbook", agent_version: "helper-1" } },
  response: z.object({
    success: z.boolean(),
    change_logs: z.array(
      z.object({
        id: z.int(),
        created_at: z.int(),
        playbook_name: z.string(),
        agent_version: z.string(),
        run_mode: z.enum(["full_archive", "incremental"]),
        added_agent_playbooks: z.array(snapshot),
        removed_agent_playbooks: z.array(snapshot),
        updated_agent_playbooks: z.array(z.object({ before: snapshot, after: snapshot })),
      }),
    ),
  }),
  async handler({ db, orgId }, { query }) {
    const { events, isCut } = await loadChangeEvents(db, orgId, {
      agentVersion: query.agent_version,
      playbookName: query.playbook_name,
    });
    const answer = { success: true, change_logs: await changeLogsOf(orgId, events, isCut) };
    // Rendered here: the dialect drops null keys, and upstream keeps them on this route alone.
    return new Reply(200, JSON.stringify(answer), { "content-type": "application/json" });
  },
});

export const changeLogRoutes: Route[] = [changeLogs];
