/** What a decision did, in closed words so that no link can put others there, and the way back from it. */
import type { Child } from "hono/jsx";
import type { RequestScope } from "../../http/route";
import { Form } from "../fields";
import { Notice } from "../parts";
import { reviewRules } from "./queue";

const doneText = {
  approved: "is approved and served from now on.",
  rejected: "is rejected.",
  pending: "is back in review.",
  saved: "is saved.",
  undone: "is as it was before the last decision.",
} as const;

export const outcomes = ["approved", "rejected", "pending", "saved", "undone"] as const;

/** @param from the page to come back to after an undo */
export async function noticeOf(
  scope: RequestScope,
  query: { done?: (typeof outcomes)[number] | undefined; rule?: number | undefined },
  from: string,
): Promise<Child | null> {
  const { done, rule: id } = query;
  if (done === undefined || id === undefined) return null;
  const [rule] = await reviewRules(scope, [id]);
  const undo = rule?.undo;
  const mayUndo = scope.principal.scopes.includes("review") && typeof undo === "object" && undo !== null;
  return (
    <Notice>
      <p>
        <a href={`/desk/rules/${id}`}>Rule #{id}</a> {doneText[done]}
      </p>
      {mayUndo ? (
        <Form action="/desk/undo">
          <input type="hidden" name="agent_playbook_id" value={String(id)} />
          <input type="hidden" name="version" value={String(undo.version)} />
          <input type="hidden" name="from" value={from} />
          <button type="submit" class="small" data-key="u">
            Undo
          </button>
        </Form>
      ) : null}
    </Notice>
  );
}
