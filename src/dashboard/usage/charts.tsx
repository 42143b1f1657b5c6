/** The four charts of a period, and the same numbers as a table. */

import type { UsageReading } from "../../orgs/usage-reading";
import type { DayUsage } from "../../orgs/usage-report";
import { type Column, grouped, plural, Table } from "../parts";
import { Bars, KindSample, Textures } from "./bars";
import { compactly, dollars, dollarsOnAxis, shortDay } from "./figures";
import {
  type Direction,
  kindsIn,
  kindWords,
  type Segment,
  stacked,
  tokensByKind,
  type WorkKind,
} from "./series";

const tokensTip = (day: DayUsage, direction: Direction, kinds: readonly WorkKind[]): string => {
  const values = tokensByKind(day.tasks, direction);
  const lines = kinds
    .filter((kind) => values[kind] > 0)
    .map((kind) => `${kindWords[kind]}: ${grouped(values[kind])}`);
  return [`${shortDay(day.day)}: ${plural(day[direction], "token")}`, ...lines].join("\n");
};

const TokenChart = ({
  days,
  direction,
  kinds,
}: {
  days: readonly DayUsage[];
  direction: Direction;
  kinds: readonly WorkKind[];
}) => {
  const title = direction === "inputTokens" ? "Tokens in, per day" : "Tokens out, per day";
  const total = days.reduce((sum, day) => sum + day[direction], 0);
  return (
    <section class="card" aria-labelledby={`${direction}-heading`}>
      <h2 id={`${direction}-heading`}>{title}</h2>
      <Bars
        id={direction}
        title={title}
        description={`${plural(total, "token")} in ${plural(days.length, "day")}, stacked by kind of work. The table below holds every number.`}
        days={days.map(({ day }) => day)}
        segments={stacked(
          days.map(({ tasks }) => tokensByKind(tasks, direction)),
          kinds,
        )}
        format={compactly}
        tips={days.map((day) => tokensTip(day, direction, kinds))}
      />
    </section>
  );
};

/** One bar a day, in the plain first colour. */
const plainBars = (values: readonly number[]): Segment[] =>
  values.flatMap((value, day) => (value > 0 ? [{ kind: "gate" as const, day, from: 0, to: value }] : []));

const CallChart = ({ days }: { days: readonly DayUsage[] }) => (
  <section class="card" aria-labelledby="calls-heading">
    <h2 id="calls-heading">Calls of models, per day</h2>
    <Bars
      id="calls"
      title="Calls of models, per day"
      description={`${plural(
        days.reduce((sum, { calls }) => sum + calls, 0),
        "call",
      )} in ${plural(days.length, "day")}. The table below holds every number.`}
      days={days.map(({ day }) => day)}
      segments={plainBars(days.map(({ calls }) => calls))}
      format={compactly}
      tips={days.map(({ day, calls }) => `${shortDay(day)}: ${plural(calls, "call")}`)}
    />
  </section>
);

/** `$1.20`, with what it leaves out. */
export function costInWords({
  costUsd,
  unpricedTokens,
}: Pick<DayUsage, "costUsd" | "unpricedTokens">): string {
  if (unpricedTokens === 0) return dollars(costUsd);
  const unpriced = `${plural(unpricedTokens, "token")} without a price`;
  return costUsd === 0 ? unpriced : `${dollars(costUsd)} and ${unpriced}`;
}

const CostChart = ({ usage }: { usage: UsageReading }) => {
  const { days, total, models } = usage;
  return (
    <section class="card" aria-labelledby="cost-heading">
      <h2 id="cost-heading">Cost, per day</h2>
      {models.some(({ hasPrice }) => hasPrice) ? (
        <Bars
          id="cost"
          title="Cost in US dollars, per day"
          description={`${costInWords(total)} in ${plural(days.length, "day")}. The table below holds every number.`}
          days={days.map(({ day }) => day)}
          segments={plainBars(days.map(({ costUsd }) => costUsd))}
          format={dollarsOnAxis}
          tips={days.map((day) => `${shortDay(day.day)}: ${costInWords(day)}`)}
        />
      ) : (
        <p>
          No model of this period has a price, so its cost is not known. Below, under Models, is how to set
          one.
        </p>
      )}
    </section>
  );
};

const tokenColumns = (kind: WorkKind): Column<DayUsage>[] => [
  {
    heading: `${kindWords[kind]}, in`,
    isNumber: true,
    cell: ({ tasks }) => grouped(tokensByKind(tasks, "inputTokens")[kind]),
  },
  {
    heading: `${kindWords[kind]}, out`,
    isNumber: true,
    cell: ({ tasks }) => grouped(tokensByKind(tasks, "outputTokens")[kind]),
  },
];

export const Charts = ({ usage }: { usage: UsageReading }) => {
  const { days } = usage;
  const kinds = kindsIn(days);
  return (
    <>
      <Textures />
      <ul class="legend above" aria-label="Kinds of work, from the bottom of each bar to its top">
        {kinds.map((kind) => (
          <li>
            <KindSample kind={kind} />
            {kindWords[kind]}
          </li>
        ))}
      </ul>
      <div class="split charts">
        <TokenChart days={days} direction="inputTokens" kinds={kinds} />
        <TokenChart days={days} direction="outputTokens" kinds={kinds} />
        <CallChart days={days} />
        <CostChart usage={usage} />
      </div>
      <details class="card">
        <summary>The charts as a table</summary>
        <Table
          caption="Usage by day"
          rows={[...days].reverse()}
          columns={[
            { heading: "Day", cell: ({ day }) => day },
            { heading: "Calls", isNumber: true, cell: ({ calls }) => grouped(calls) },
            { heading: "Tokens in", isNumber: true, cell: ({ inputTokens }) => grouped(inputTokens) },
            { heading: "Tokens out", isNumber: true, cell: ({ outputTokens }) => grouped(outputTokens) },
            { heading: "Cost", isNumber: true, cell: costInWords },
            ...kinds.flatMap(tokenColumns),
          ]}
        />
      </details>
    </>
  );
};
