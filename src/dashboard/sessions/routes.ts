/** Sessions for people: the list, and one session with what was learned from each turn. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import type { Route } from "../../http/route";
import { Failure } from "../../platform/failure";
import { orBlank } from "../blanks";
import { html, rowId } from "../html";
import { PATH } from "./href";
import { listPage } from "./list";
import { sessionPage } from "./session-page";

const common = { dialect: "page", method: "get", tag: "Review desk", response: html } as const;

const name = z.string().max(1_000);
const place = { from: rowId.optional(), turn: rowId.optional() };

const list = defineRoute({
  ...common,
  path: PATH,
  summary: "Sessions, newest first; or one that is named",
  scope: "read",
  limit: "read",
  query: z.object({
    session: orBlank(name),
    version: orBlank(name),
    user: orBlank(name),
    before: rowId.optional(),
    ...place,
  }),
  async handler(scope, { query }) {
    const { session, from, turn, ...filters } = query;
    if (session !== undefined) return sessionPage(scope, { sessionId: session, from, turn });
    if (filters.user !== undefined && !scope.principal.scopes.includes("review")) {
      throw new Failure("forbidden", 'Only a key with the scope "review" may look for a user by name.');
    }
    return listPage(scope, filters);
  },
});

const one = defineRoute({
  ...common,
  path: `${PATH}/{id}`,
  summary: "One session, and what was learned from each turn",
  scope: "read",
  limit: "read",
  params: z.object({ id: name }),
  query: z.object(place),
  handler: (scope, { params, query }) => sessionPage(scope, { sessionId: params.id, ...query }),
});

export const sessionPageRoutes: Route[] = [list, one];
