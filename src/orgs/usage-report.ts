/** What was spent, by day, task and model, and what it cost where prices are known. Pure. */
import type { ModelPrice } from "../env";
import type { UsageRow } from "./usage-store";

const DAY_MS = 86_400_000;
const PER_MILLION = 1_000_000;

/** Stands where a model name would, and costs nothing. */
const OFFLINE = "offline";

export interface Spent {
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** Of what has a price, in USD. */
  costUsd: number;
  /** Tokens of models without a price, which `costUsd` leaves out. */
  unpricedTokens: number;
}

export interface DayUsage extends Spent {
  day: string;
  tasks: ReadonlyMap<string, Spent>;
}

export interface ModelUsage extends Spent {
  provider: string;
  model: string;
  hasPrice: boolean;
}

export interface UsageReport {
  /** Every day of the period, also those on which nothing was spent. */
  days: DayUsage[];
  /** The dearest in tokens first. */
  models: ModelUsage[];
  total: Spent;
}

const nothingSpent = (): Spent => ({
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  unpricedTokens: 0,
});

function add(sum: Spent, more: Spent): void {
  sum.calls += more.calls;
  sum.inputTokens += more.inputTokens;
  sum.outputTokens += more.outputTokens;
  sum.costUsd += more.costUsd;
  sum.unpricedTokens += more.unpricedTokens;
}

export const tokensOf = ({
  inputTokens,
  outputTokens,
}: Pick<Spent, "inputTokens" | "outputTokens">): number => inputTokens + outputTokens;

const priceOf = (model: string, prices: ReadonlyMap<string, ModelPrice>): ModelPrice | undefined =>
  model === OFFLINE ? { input: 0, output: 0 } : prices.get(model);

function spentOf(row: UsageRow, price: ModelPrice | undefined): Spent {
  const { calls, inputTokens, outputTokens } = row;
  return {
    calls,
    inputTokens,
    outputTokens,
    costUsd:
      price === undefined ? 0 : (inputTokens * price.input + outputTokens * price.output) / PER_MILLION,
    unpricedTokens: price === undefined ? tokensOf(row) : 0,
  };
}

/** The last `count` UTC days, the present one last, as `YYYY-MM-DD`. */
export const lastDays = (nowMs: number, count: number): string[] =>
  Array.from({ length: count }, (_, position) =>
    new Date(nowMs - (count - 1 - position) * DAY_MS).toISOString().slice(0, 10),
  );

/** The value under a key, made where it is missing. */
function at<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** Rows of days outside the period are left out. */
export function reportOf(
  rows: readonly UsageRow[],
  period: readonly string[],
  prices: ReadonlyMap<string, ModelPrice>,
): UsageReport {
  const total = nothingSpent();
  const days = new Map(
    period.map((day) => [day, { ...nothingSpent(), day, tasks: new Map<string, Spent>() }] as const),
  );
  const models = new Map<string, ModelUsage>();
  for (const row of rows) {
    const day = days.get(row.day);
    if (day === undefined) continue;
    const { provider, model } = row;
    const price = priceOf(model, prices);
    const spent = spentOf(row, price);
    add(total, spent);
    add(day, spent);
    add(at(day.tasks, row.task, nothingSpent), spent);
    const named = (): ModelUsage => ({ ...nothingSpent(), provider, model, hasPrice: price !== undefined });
    add(at(models, JSON.stringify([provider, model]), named), spent);
  }
  return {
    total,
    days: [...days.values()],
    models: [...models.values()].sort(
      (left, right) => tokensOf(right) - tokensOf(left) || (left.model < right.model ? -1 : 1),
    ),
  };
}
