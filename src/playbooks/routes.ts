/** Every route of this room. */
import type { Route } from "../http/route";
import { agentPlaybookRoutes } from "./agent-routes";
import { bulkDeleteRoutes } from "./bulk-delete-routes";
import { decisionRoutes } from "./decision-routes";
import { feedbackRoutes } from "./feedback-routes";
import { provenanceRoutes } from "./provenance/routes";
import { statsRoutes } from "./stats-routes";
import { userPlaybookRoutes } from "./user-routes";
import { versionRoutes } from "./version-routes";

export const playbookRoutes: Route[] = [
  ...userPlaybookRoutes,
  ...agentPlaybookRoutes,
  ...decisionRoutes,
  ...feedbackRoutes,
  ...versionRoutes,
  ...bulkDeleteRoutes,
  ...statsRoutes,
  ...provenanceRoutes,
];
