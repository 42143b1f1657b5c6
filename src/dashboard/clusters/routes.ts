/** The page of clusters. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import type { Route } from "../../http/route";
import { listAgentVersions } from "../../playbooks/versions-store";
import { html } from "../html";
import { mapOf, readMap } from "./map";
import { clustersPage } from "./page";

const show = defineRoute({
  dialect: "page",
  method: "get",
  path: "/desk/clusters",
  tag: "Review desk",
  summary: "Clusters of an agent version as a map",
  scope: "read",
  limit: "read",
  query: z.object({ agent_version: z.string().max(1000).optional() }),
  response: html,
  async handler(scope, { query }) {
    const { versions, newest } = await listAgentVersions(scope.db, scope.orgId);
    const asked = query.agent_version ?? "";
    const agentVersion = newest === null || asked.trim() === "" ? newest : asked;
    const map = agentVersion === null ? mapOf([], [], false) : await readMap(scope, agentVersion);
    return clustersPage(scope, { versions, agentVersion, map });
  },
});

export const clustersRoutes: Route[] = [show];
