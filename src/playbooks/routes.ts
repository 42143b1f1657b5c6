/** Every route of this room. */
import type { Route } from "../http/route";
import { agentPlaybookRoutes } from "./agent-routes";
import { decisionRoutes } from "./decision-routes";
import { feedbackRoutes } from "./feedback-routes";
import { userPlaybookRoutes } from "./user-routes";

export const playbookRoutes: Route[] = [
  ...userPlaybookRoutes,
  ...agentPlaybookRoutes,
  ...decisionRoutes,
  ...feedbackRoutes,
];
