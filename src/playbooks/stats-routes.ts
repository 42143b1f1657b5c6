/** HTTP for what there is and what happened lately, as Reflexio's client speaks it. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import type { Route } from "../http/route";
import { nowSec } from "../platform/clock";
import { figuresOf, firstDayOf } from "./stats";
import { countRulesOf, loadApplicationStats, loadDailyCounts } from "./stats-store";
import { ruleKinds } from "./uses";

const common = { dialect: "reflexio", scope: "read", limit: "read" } as const;

const DAY_SEC = 86_400;
const daysBack = z
  .int()
  .min(1)
  .max(366)
  .nullish()
  .transform((days) => days ?? 30);

const storage = defineRoute({
  ...common,
  method: "get",
  path: "/api/storage_stats",
  tag: "Service",
  summary: "How much is stored of a user",
  description:
    "Rules in every state. There are no profiles yet: their count is 0 and their times are absent.",
  limit: "search",
  query: z.object({ user_id: z.string().min(1).max(1_000) }),
  example: { query: { user_id: "ada" } },
  response: z.object({ success: z.literal(true), profile_count: z.int(), playbook_count: z.int() }),
  handler: async ({ db, orgId }, { query }) => ({
    success: true,
    profile_count: 0,
    playbook_count: await countRulesOf(db, orgId, query.user_id),
  }),
});

const point = z.object({ timestamp: z.int(), value: z.number(), count: z.int().optional() });
const period = z.object({
  total_profiles: z.int(),
  total_interactions: z.int(),
  total_playbooks: z.int(),
  success_rate: z.number(),
});

const dashboard = defineRoute({
  ...common,
  method: "post",
  path: "/api/get_dashboard_stats",
  tag: "Service",
  summary: "What happened in the last days and in as many before them",
  description:
    "Days are UTC, the present one included. Playbooks are those learned from users; interactions are counted as they " +
    "were published. `success_rate` is the share of `session_outcome` that are successes, in percent, and 0 without any.",
  body: z.object({ days_back: daysBack }),
  example: { body: { days_back: 7 } },
  response: z.object({
    success: z.literal(true),
    stats: z.object({
      current_period: period,
      previous_period: period,
      interactions_time_series: z.array(point),
      profiles_time_series: z.array(point),
      playbooks_time_series: z.array(point),
      evaluations_time_series: z.array(point),
    }),
  }),
  async handler({ services, db, orgId }, { body: { days_back: days } }) {
    const today = Math.floor(nowSec(services.clock) / DAY_SEC);
    const counts = await loadDailyCounts(db, orgId, firstDayOf(today, days));
    return { success: true, stats: figuresOf(counts, today, days) };
  },
});

const applications = defineRoute({
  ...common,
  method: "post",
  path: "/api/get_playbook_application_stats",
  tag: "Uses of rules",
  summary: "Which rules were applied most in the last days",
  description:
    "A turn that cites a rule has applied it. At most 1,000 rules, out of the newest 50,000 applications. The title " +
    "of a rule that is gone is empty.",
  body: z.object({ days_back: daysBack }),
  example: { body: { days_back: 30 } },
  response: z.object({
    success: z.literal(true),
    stats: z.array(
      z.object({
        real_id: z.string(),
        kind: z.enum(ruleKinds),
        title: z.string(),
        applied_count: z.int(),
        last_applied_at: z.int(),
        last_interaction_id: z.int(),
      }),
    ),
  }),
  async handler({ services, db, orgId }, { body: { days_back: days } }) {
    const stats = await loadApplicationStats(db, orgId, nowSec(services.clock) - days * DAY_SEC);
    return {
      success: true,
      stats: stats.map(({ kind, entityId, title, applied, lastAppliedAt, lastInteractionId }) => ({
        real_id: String(entityId),
        kind,
        title: title ?? "",
        applied_count: applied,
        last_applied_at: lastAppliedAt,
        last_interaction_id: lastInteractionId,
      })),
    };
  },
});

export const statsRoutes: Route[] = [storage, dashboard, applications];
