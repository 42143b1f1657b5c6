/** Decisions on several rules at once, behind a page that lists them. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import type { RefusedForm, RequestScope, Route } from "../../http/route";
import { invalid } from "../../platform/failure";
import { decideAll } from "../../playbooks/bulk-decisions";
import { type ApprovalStatus, approvalStatuses } from "../../playbooks/model";
import { html, ownPath, rowId } from "../html";
import { bulkPage, bulkResultPage } from "./bulk-page";
import { reviewPage } from "./page";
import { reviewQueue, reviewRules } from "./queue";

const MAX_RULES = 100;

const common = {
  dialect: "page",
  tag: "Review desk",
  method: "post",
  scope: "review",
  limit: "write",
  bodyType: "form",
  response: html,
  /** Ticked rules are fields of their own: `rule-<id>` holds the version that was seen. */
  body: z
    .object({ csrf: z.string(), to: z.enum(approvalStatuses), from: z.string().max(4_000).optional() })
    .catchall(z.string().max(4_000)),
} as const;

/** @throws Failure("invalid") when nothing or too much is ticked */
function ticked(fields: Readonly<Record<string, string | undefined>>): Map<number, number> {
  const versions = new Map<number, number>();
  for (const [name, value] of Object.entries(fields)) {
    const id = rowId.safeParse(/^rule-(\d+)$/.exec(name)?.[1]);
    const version = rowId.safeParse(value);
    if (id.success && version.success) versions.set(id.data, version.data);
  }
  if (versions.size === 0) throw invalid("/rules", "Tick at least one rule.", "1 to 100 rules");
  if (versions.size > MAX_RULES)
    throw invalid("/rules", "That is too much for one decision.", "1 to 100 rules");
  return versions;
}

/** The list that the form stood on. */
const statusOf = (from: string | undefined): ApprovalStatus =>
  z
    .enum(approvalStatuses)
    .catch("pending")
    .parse(new URL(ownPath(from), "http://desk").searchParams.get("status"));

/** The list again, with why nothing was decided. */
async function refusedBulk(scope: RequestScope, { failure, typed }: RefusedForm) {
  if (failure.kind !== "invalid") return null;
  const status = statusOf(typed.from);
  return reviewPage(scope, {
    query: { status, q: "", version: "", flagged: false, before: "" },
    queue: await reviewQueue(scope, { status }),
    notice: null,
    fault: failure.message,
  });
}

const ask = defineRoute({
  ...common,
  path: "/desk/bulk",
  summary: "List what a decision on several rules would do",
  refused: refusedBulk,
  async handler(scope, { body }) {
    const versions = ticked(body);
    const rules = await reviewRules(scope, [...versions.keys()]);
    return bulkPage(scope, { to: body.to, from: ownPath(body.from), rules, versions });
  },
});

const confirm = defineRoute({
  ...common,
  path: "/desk/bulk/confirm",
  summary: "Decide on several rules",
  refused: refusedBulk,
  async handler(scope, { body }) {
    const results = await decideAll(
      scope,
      [...ticked(body)].map(([agentPlaybookId, version]) => ({
        agentPlaybookId,
        version,
        playbookStatus: body.to,
        keepReplaced: false,
      })),
    );
    return bulkResultPage(scope, { from: ownPath(body.from), results });
  },
});

export const bulkRoutes: Route[] = [ask, confirm];
