/** The page of usage. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import type { Route } from "../../http/route";
import { readUsage } from "../../orgs/usage-reading";
import { html } from "../html";
import { periods, usagePage } from "./page";

const DEFAULT_PERIOD = 30;

const show = defineRoute({
  dialect: "page",
  method: "get",
  path: "/desk/usage",
  tag: "Review desk",
  summary: "Model calls, tokens and cost",
  scope: "admin",
  limit: "read",
  query: z.object({
    days: z.coerce
      .number()
      .pipe(z.literal([...periods]))
      .default(DEFAULT_PERIOD),
  }),
  response: html,
  async handler(scope, { query: { days: period } }) {
    return usagePage(scope, { usage: await readUsage(scope, period), period });
  },
});

export const usagePageRoutes: Route[] = [show];
