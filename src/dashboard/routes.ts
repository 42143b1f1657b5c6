/** The pages for people. */
import type { Route } from "../http/route";
import { assetRoutes } from "./assets";
import { keyRoutes } from "./keys/routes";
import { reviewRoutes } from "./review/routes";
import { sessionPageRoutes } from "./sessions/routes";
import { settingsRoutes } from "./settings/routes";
import { signInRoutes } from "./sign-in/routes";
import { userPlaybookPageRoutes } from "./user-playbooks/routes";

export const dashboardRoutes: Route[] = [
  ...assetRoutes,
  ...signInRoutes,
  ...reviewRoutes,
  ...userPlaybookPageRoutes,
  ...sessionPageRoutes,
  ...keyRoutes,
  ...settingsRoutes,
];
