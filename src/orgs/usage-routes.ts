/** Usage over HTTP: what models cost an org, day by day. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import type { Route } from "../http/route";
import { readUsage } from "./usage-reading";
import type { Spent } from "./usage-report";

const MAX_DAYS = 90;
/** Costs are told to a millionth of a dollar. */
const MICRO = 1_000_000;

const spentShape = {
  calls: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_usd: z.number().meta({ description: "Of what has a price in the setting MODEL_PRICES." }),
  unpriced_tokens: z
    .int()
    .meta({ description: "Tokens of models without a price; cost_usd leaves them out." }),
};

const viewOf = (spent: Spent) => ({
  calls: spent.calls,
  input_tokens: spent.inputTokens,
  output_tokens: spent.outputTokens,
  cost_usd: Math.round(spent.costUsd * MICRO) / MICRO,
  unpriced_tokens: spent.unpricedTokens,
});

const usageView = z.object({
  from: z.string().meta({ description: "UTC day, YYYY-MM-DD." }),
  to: z.string(),
  today: z.object({ day: z.string(), tokens: z.int(), cap: z.int(), resets_at: z.int() }),
  total: z.object(spentShape),
  days: z.array(
    z.object({
      day: z.string(),
      ...spentShape,
      tasks: z.array(z.object({ task: z.string(), ...spentShape })),
    }),
  ),
  models: z.array(
    z.object({ provider: z.string(), model: z.string(), has_price: z.boolean(), ...spentShape }),
  ),
  counters: z.array(z.object({ name: z.string(), count: z.int() })),
});

const getUsage = defineRoute({
  dialect: "own",
  method: "get",
  path: "/api/usage",
  tag: "Operations",
  summary: "Model calls, tokens and cost of the last days, by day, task and model",
  description:
    "Days are UTC, the present one included. The offline reasoner costs nothing and is not counted. Counters say how often something happened, such as dropped:missing_evidence.",
  scope: "admin",
  limit: "read",
  query: z.object({ days: z.coerce.number().int().min(1).max(MAX_DAYS).default(30) }),
  example: { query: { days: "7" } },
  response: usageView,
  async handler(scope, { query }): Promise<z.input<typeof usageView>> {
    const { days, models, total, today, counters } = await readUsage(scope, query.days);
    return {
      from: days[0]?.day ?? today.day,
      to: today.day,
      today: { day: today.day, tokens: today.tokens, cap: today.cap, resets_at: today.resetsAt },
      total: viewOf(total),
      days: days.map((day) => ({
        day: day.day,
        ...viewOf(day),
        tasks: [...day.tasks].map(([task, spent]) => ({ task, ...viewOf(spent) })),
      })),
      models: models.map(({ provider, model, hasPrice, ...spent }) => ({
        provider,
        model,
        has_price: hasPrice,
        ...viewOf(spent),
      })),
      counters,
    };
  },
});

export const usageRoutes: Route[] = [getUsage];
