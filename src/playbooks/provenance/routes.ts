/** HTTP for where a rule comes from, as Reflexio asks for it. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import type { RequestScope, Route } from "../../http/route";
import { interactionView } from "../../interactions/views";
import { loadAgentPlaybooks, loadSources } from "../agent-store";
import { userPlaybookViewSchema, viewOfUserPlaybook } from "../model";
import { loadUserPlaybooks } from "../user-store";
import { provenanceStatuses, statusOf, type Trace, trace } from "./trace";

const kinds = ["profile", "user_playbook", "agent_playbook"] as const;

/** Sources of an agent playbook that one answer shows. */
const MAX_SOURCES = 100;

const answerSchema = z.object({
  success: z.boolean(),
  target_kind: z.enum(kinds),
  target_id: z.string(),
  provenance_status: z.enum(provenanceStatuses),
  trigger_request_id: z.string().nullable(),
  interactions: z.array(interactionView),
  source_user_playbooks: z.array(
    z.object({
      user_playbook: userPlaybookViewSchema,
      interactions: z.array(interactionView),
      source_interaction_ids: z.array(z.int()),
    }),
  ),
  msg: z.string().nullable(),
});
/** Reflexio's clients send text; a number means the same. */
const targetId = z
  .union([z.string().min(1).max(100), z.int()])
  .transform(String)
  .describe("The rule's id, as text or as a number.");

type Answer = z.infer<typeof answerSchema>;
type Found = Omit<Answer, "target_kind" | "target_id">;

const NO_TURNS = "None of the turns it was learned from is there.";

const nothing = (success: boolean, msg: string): Found => ({
  success,
  provenance_status: "unavailable",
  trigger_request_id: null,
  interactions: [],
  source_user_playbooks: [],
  msg,
});

async function ofUserPlaybook({ db, orgId }: RequestScope, id: number): Promise<Found> {
  const [row] = await loadUserPlaybooks(db, orgId, [id]);
  if (row === undefined) return nothing(false, "There is no such user playbook.");
  const traced = (await trace(db, orgId, [row])).get(id);
  const turns = traced?.turns ?? [];
  return {
    success: true,
    provenance_status: statusOf(traced === undefined ? [] : [traced], true),
    trigger_request_id: row.requestId,
    interactions: turns,
    source_user_playbooks: [],
    msg: turns.length === 0 ? NO_TURNS : null,
  };
}

async function ofAgentPlaybook({ db, orgId }: RequestScope, id: number): Promise<Found> {
  const [rule] = await loadAgentPlaybooks(db, orgId, [id]);
  if (rule === undefined) return nothing(false, "There is no such agent playbook.");
  const recorded = await loadSources(db, orgId, [id]);
  if (recorded.length === 0) return nothing(true, "No sources are recorded for this agent playbook.");
  const shown = recorded.slice(0, MAX_SOURCES);
  const rows = await loadUserPlaybooks(
    db,
    orgId,
    shown.map(({ userPlaybookId }) => userPlaybookId),
  );
  if (rows.length === 0) return nothing(false, "The recorded sources are not there any more.");
  const traces = await trace(db, orgId, rows, shown);
  const groups = rows.flatMap((row) => {
    const traced = traces.get(row.userPlaybookId);
    return traced === undefined ? [] : [{ row, traced }];
  });
  const status = statusOf(
    groups.map(({ traced }): Trace => traced),
    rows.length === recorded.length,
  );
  const cut =
    recorded.length > shown.length ? `${shown.length} of ${recorded.length} sources are shown.` : null;
  return {
    success: true,
    provenance_status: status,
    trigger_request_id: null,
    interactions: [],
    source_user_playbooks: groups.map(({ row, traced }) => ({
      user_playbook: viewOfUserPlaybook(row),
      interactions: traced.turns,
      source_interaction_ids: traced.citedIds,
    })),
    msg: status === "unavailable" ? NO_TURNS : cut,
  };
}

const provenance = defineRoute({
  dialect: "reflexio",
  method: "post",
  path: "/api/get_learning_provenance",
  tag: "Agent playbooks",
  summary: "The turns that a rule was learned from",
  description:
    "`provenance_status` is `exact` where every turn that is cited is shown, `best_effort` where some are missing or a " +
    "rule cites none and the turns of its window or publish call stand in, and `unavailable` where none is left. " +
    "Deleted and revoked turns are not shown. Of an agent playbook the turns stand with each source.",
  scope: "read",
  limit: "read",
  body: z.object({ kind: z.enum(kinds), id: targetId }),
  example: {
    body: { kind: "agent_playbook", id: "{{agent_playbook_id}}" },
    after: "post /api/add_agent_playbook",
  },
  response: answerSchema,
  async handler(scope, { body }): Promise<Answer> {
    const { kind, id } = body;
    const target = { target_kind: kind, target_id: id };
    if (kind === "profile") return { ...target, ...nothing(false, "There are no profiles of users yet.") };
    if (!/^[1-9]\d{0,14}$/.test(id)) {
      return { ...target, ...nothing(false, "The id of a playbook is a positive integer.") };
    }
    const find = kind === "user_playbook" ? ofUserPlaybook : ofAgentPlaybook;
    return { ...target, ...(await find(scope, Number(id))) };
  },
});

export const provenanceRoutes: Route[] = [provenance];
