/** The pages for people. */
import type { Route } from "../http/route";
import { assetRoutes } from "./assets";
import { keyRoutes } from "./keys/routes";
import { reviewRoutes } from "./review/routes";
import { signInRoutes } from "./sign-in/routes";

export const dashboardRoutes: Route[] = [...assetRoutes, ...signInRoutes, ...reviewRoutes, ...keyRoutes];
