/** The page of search. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import type { Route } from "../../http/route";
import { Failure } from "../../platform/failure";
import { listRuleVersions } from "../../playbooks/versions-store";
import { explainInTime } from "../../search/explain";
import { html } from "../html";
import { grouped } from "../parts";
import { askedShape, explainQueryOf, MAX_QUERY_CHARS, PATH } from "./asked";
import { searchPage } from "./page";

const show = defineRoute({
  dialect: "page",
  method: "get",
  path: PATH,
  tag: "Review desk",
  summary: "A search with scores explained, and the block that it would give",
  scope: "read",
  limit: "search",
  query: z.object(askedShape),
  response: html,
  async handler(scope, { query: asked }) {
    const { db, orgId, principal, services } = scope;
    const mayNameUsers = principal.scopes.includes("review");
    if (asked.user_id !== undefined && !mayNameUsers) {
      throw new Failure("forbidden", 'Only a key with the scope "review" may look for a user by name.');
    }
    const { versions, newest } = await listRuleVersions(db, orgId);
    const shared = { versions, mayNameUsers };
    const { q } = asked;
    if (q === undefined) {
      // A block needs a version; the one in use is the likeliest.
      const agent_version = asked.agent_version ?? newest ?? undefined;
      return searchPage(scope, { ...shared, asked: { ...asked, agent_version }, result: null });
    }
    if (q.length > MAX_QUERY_CHARS) {
      const fault = `has ${grouped(q.length)} characters; at most ${grouped(MAX_QUERY_CHARS)} are compared`;
      return searchPage(scope, { ...shared, asked, fault, result: null });
    }
    const found = await explainInTime(services, db, orgId, explainQueryOf(q, asked, mayNameUsers));
    return searchPage(scope, { ...shared, asked, result: { query: q, found } });
  },
});

export const searchPageRoutes: Route[] = [show];
