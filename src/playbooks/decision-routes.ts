/** HTTP for decisions about agent playbooks beyond a single one: many at once, and taking one back. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { Reply, type RequestScope, type Route } from "../http/route";
import { Failure, invalid } from "../platform/failure";
import { entityTag } from "./approval";
import { bulkOutcomes, decideAll } from "./bulk-decisions";
import { decisionKinds } from "./decisions";
import { approvalStatuses } from "./model";
import { keepReplaced } from "./schemas";
import { undoDecision } from "./undo";

const MAX_DECISIONS = 100;

const common = { dialect: "own", method: "post", tag: "Agent playbooks", limit: "write" } as const;
const rowNumber = z.int().positive();

const decide = defineRoute({
  ...common,
  path: "/api/agent_playbooks/decisions",
  summary: "Decide on up to 100 agent playbooks",
  description:
    "Each decision stands alone: it is made if the rule still is at the named version, and the answer says of each " +
    "what became of it. The same call again makes only what is missing.",
  scope: "write",
  body: z.object({
    decisions: z
      .array(
        z.object({
          agent_playbook_id: rowNumber,
          version: rowNumber,
          playbook_status: z.enum(approvalStatuses),
          keep_replaced: keepReplaced,
        }),
      )
      .min(1)
      .max(MAX_DECISIONS),
  }),
  example: {
    body: {
      decisions: [
        { agent_playbook_id: "{{agent_playbook_id}}", version: "{{version}}", playbook_status: "rejected" },
      ],
    },
    yields: { decided_version: { pointer: "/decisions/0/version", sample: 4 } },
  },
  response: z.object({
    decisions: z.array(
      z.object({
        agent_playbook_id: z.int(),
        outcome: z.enum(bulkOutcomes),
        message: z.string(),
        /** The version it is at now. */
        version: z.int().nullable(),
      }),
    ),
  }),
  async handler(scope, { body }) {
    const results = await decideAll(
      scope,
      body.decisions.map((decision) => ({
        agentPlaybookId: decision.agent_playbook_id,
        version: decision.version,
        playbookStatus: decision.playbook_status,
        keepReplaced: decision.keep_replaced === true,
      })),
    );
    return {
      decisions: results.map(({ agentPlaybookId, ...result }) => ({
        ...{ agent_playbook_id: agentPlaybookId, ...result },
      })),
    };
  },
});

/** The one version that a request names. An undo without it would take back a decision nobody has seen. */
function namedVersion({ headers }: RequestScope, version: number | null | undefined): number {
  const tag = headers.get("if-match");
  const expected = "the version of the rule that you saw, in the body or as If-Match";
  if (tag === null) {
    if (version == null) throw invalid("/version", "the version is missing", expected, "missing");
    return version;
  }
  const named = /^\s*"?([1-9]\d{0,14})"?\s*$/.exec(tag)?.[1];
  if (named === undefined) throw invalid("/version", "If-Match names no single version", expected);
  if (version != null && version !== Number(named)) {
    throw invalid(
      "/version",
      `the body says version ${version}, If-Match ${named}`,
      "the same version twice",
    );
  }
  return Number(named);
}

const undo = defineRoute({
  ...common,
  path: "/api/agent_playbooks/{id}/undo",
  summary: "Take the last decision on an agent playbook back",
  description:
    "Possible until something was built on it: the rule was served to a prompt or cited by a turn, another rule " +
    "was made in its place, its sources went to other clusters, or it changed again. Texts, flags, status, clusters " +
    "and the rule that an approval superseded come back. The version is demanded, as If-Match or in the body. An " +
    "undo cannot be undone.",
  scope: "review",
  params: z.object({
    id: z.string().regex(/^[1-9]\d{0,14}$/, { error: "must be the id of an agent playbook" }),
  }),
  body: z.object({ version: rowNumber.nullish() }),
  example: { params: { id: "{{agent_playbook_id}}" }, body: { version: "{{decided_version}}" } },
  response: z.object({
    agent_playbook_id: z.int(),
    playbook_status: z.enum(approvalStatuses),
    version: z.int(),
    undone: z.object({
      kind: z.enum(decisionKinds),
      decided_by: z.string(),
      /** Seconds. */
      decided_at: z.int(),
    }),
    /** The rule that the decision had superseded and that is CURRENT again. */
    restored_agent_playbook_id: z.int().nullable(),
  }),
  otherAnswers: {
    404: "There is no such agent playbook.",
    409: "Something was built on the decision; the answer names it.",
    412: "The rule is at another version; the answer says who decided.",
  },
  async handler(scope, { params, body }) {
    const undone = await undoDecision(scope, Number(params.id), namedVersion(scope, body.version));
    if (undone === null) throw new Failure("not_found", "There is no such agent playbook.");
    const { row, decision, restoredPredecessorId } = undone;
    return new Reply(
      200,
      {
        agent_playbook_id: row.agentPlaybookId,
        playbook_status: row.playbookStatus,
        version: row.version,
        undone: {
          kind: decision.kind,
          decided_by: decision.by,
          decided_at: Math.floor(decision.atMs / 1000),
        },
        restored_agent_playbook_id: restoredPredecessorId,
      },
      { etag: entityTag(row.version) },
    );
  },
});

export const decisionRoutes: Route[] = [decide, undo];
