/** The pages for people. */
import type { Route } from "../http/route";
import { assetRoutes } from "./assets";
import { clustersRoutes } from "./clusters/routes";
import { deadLetterRoutes } from "./dead-letters/routes";
import { keyRoutes } from "./keys/routes";
import { learningPageRoutes } from "./learning/routes";
import { reviewRoutes } from "./review/routes";
import { revocationPages } from "./revocations/routes";
import { searchPageRoutes } from "./search/routes";
import { sessionPageRoutes } from "./sessions/routes";
import { settingsRoutes } from "./settings/routes";
import { signInRoutes } from "./sign-in/routes";
import { usagePageRoutes } from "./usage/routes";
import { userPlaybookPageRoutes } from "./user-playbooks/routes";
import { webhookPages } from "./webhook/routes";

export const dashboardRoutes: Route[] = [
  ...assetRoutes,
  ...signInRoutes,
  ...reviewRoutes,
  ...revocationPages,
  ...userPlaybookPageRoutes,
  ...sessionPageRoutes,
  ...keyRoutes,
  ...settingsRoutes,
  ...clustersRoutes,
  ...learningPageRoutes,
  ...deadLetterRoutes,
  ...usagePageRoutes,
  ...searchPageRoutes,
  ...webhookPages,
];
