/** User playbooks for people: the list, one rule, and the forms on it. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import type { RefusedForm, Reply, RequestScope, Route } from "../../http/route";
import { Failure } from "../../platform/failure";
import { entityTag } from "../../playbooks/approval";
import { archiveChanges, archiveUserPlaybook } from "../../playbooks/archive-user";
import { changeUserPlaybook, removeUserPlaybook } from "../../playbooks/change-user";
import {
  MAX_CONTENT_CHARS,
  MAX_RATIONALE_CHARS,
  MAX_TRIGGER_CHARS,
  textOrNull,
} from "../../playbooks/schemas";
import { reviewUserPlaybook, userDecisions } from "../../revocations/user-review";
import { typedText } from "../blanks";
import { seeOther } from "../frame";
import { html, rowId } from "../html";
import { hrefOf } from "../parts";
import { filterShape, PATH } from "./filters";
import { listPage } from "./list";
import { rulePage } from "./rule-page";
import { type Outcome, outcomes } from "./words";

const common = { dialect: "page", tag: "Review desk", response: html } as const;

const show = defineRoute({
  ...common,
  method: "get",
  path: PATH,
  summary: "User playbooks, or one of them",
  scope: "read",
  limit: "read",
  query: z.object({
    ...filterShape,
    id: rowId.optional(),
    done: z.enum(outcomes).optional(),
    rule: rowId.optional(),
  }),
  async handler(scope, { query }) {
    const { id, done, rule, ...filters } = query;
    if (filters.user !== undefined && !scope.principal.scopes.includes("review")) {
      throw new Failure("forbidden", 'Only a key with the scope "review" may look for a user by name.');
    }
    return id === undefined
      ? listPage(scope, {
          filters,
          done: done !== undefined && rule !== undefined ? { outcome: done, userPlaybookId: rule } : null,
        })
      : rulePage(scope, { userPlaybookId: id, done });
  },
});

/** What every form on a rule says: which rule, and in which version it was seen. */
const subject = { csrf: z.string(), user_playbook_id: rowId, version: rowId };

/** The same request, bound to the version that the reader has seen. */
function ifUnchanged(scope: RequestScope, version: number): RequestScope {
  const headers = new Headers(scope.headers);
  headers.set("if-match", entityTag(version));
  return { ...scope, headers };
}

const doneAt = (userPlaybookId: number, done: Outcome): Reply =>
  seeOther(hrefOf(PATH, done === "deleted" ? { done, rule: userPlaybookId } : { id: userPlaybookId, done }));

/** Why a form was not taken. Only the one that edits has texts to keep. */
function messageOf(isStale: boolean, isEdit: boolean): string {
  if (!isStale) return "The rule was not saved.";
  const kept = isEdit ? " What you typed is kept in the form; saving again replaces what is there now." : "";
  return `The rule has changed since you opened it. Below is how it reads now.${kept}`;
}

/** Shows the rule again, as it is now, with what was typed. */
async function refused(scope: RequestScope, { failure, typed }: RefusedForm): Promise<Reply | null> {
  const id = rowId.safeParse(typed.user_playbook_id);
  const isStale = failure.kind === "precondition_failed" || failure.kind === "conflict";
  if (!id.success || !(isStale || failure.kind === "invalid")) return null;
  return rulePage(scope, {
    userPlaybookId: id.data,
    refused: {
      status: failure.status,
      message: messageOf(isStale, typed.content !== undefined),
      issues: failure.issues,
      typed,
    },
  });
}

const save = defineRoute({
  ...common,
  method: "post",
  path: `${PATH}/save`,
  summary: "Edit a user playbook",
  scope: "write",
  limit: "write",
  bodyType: "form",
  body: z.object({
    ...subject,
    trigger: typedText(MAX_TRIGGER_CHARS),
    content: typedText(MAX_CONTENT_CHARS),
    rationale: typedText(MAX_RATIONALE_CHARS),
  }),
  refused,
  async handler(scope, { body }) {
    const tag = await changeUserPlaybook(ifUnchanged(scope, body.version), body.user_playbook_id, {
      trigger: textOrNull(body.trigger),
      content: body.content,
      rationale: textOrNull(body.rationale),
    });
    if (tag === null) throw new Failure("not_found", "There is no such user playbook any more.");
    return doneAt(body.user_playbook_id, "saved");
  },
});

const archive = defineRoute({
  ...common,
  method: "post",
  path: `${PATH}/archive`,
  summary: "Take a user playbook out of use, or back into it",
  scope: "write",
  limit: "write",
  bodyType: "form",
  body: z.object({ ...subject, change: z.enum(archiveChanges) }),
  refused,
  async handler(scope, { body }) {
    await archiveUserPlaybook(ifUnchanged(scope, body.version), body.user_playbook_id, body.change);
    return doneAt(body.user_playbook_id, body.change === "archive" ? "archived" : "restored");
  },
});

const review = defineRoute({
  ...common,
  method: "post",
  path: `${PATH}/review`,
  summary: "Decide on a user playbook that was sent back to review",
  scope: "review",
  limit: "write",
  bodyType: "form",
  body: z.object({ ...subject, change: z.enum(userDecisions) }),
  refused,
  async handler(scope, { body }) {
    await reviewUserPlaybook(scope, body.user_playbook_id, body.change, body.version);
    return doneAt(body.user_playbook_id, body.change === "keep" ? "kept" : "archived");
  },
});

const remove = defineRoute({
  ...common,
  method: "post",
  path: `${PATH}/delete`,
  summary: "Delete a user playbook for good",
  scope: "write",
  limit: "write",
  bodyType: "form",
  body: z.object(subject),
  refused,
  async handler(scope, { body }) {
    await removeUserPlaybook(ifUnchanged(scope, body.version), body.user_playbook_id);
    return doneAt(body.user_playbook_id, "deleted");
  },
});

export const userPlaybookPageRoutes: Route[] = [show, save, archive, review, remove];
