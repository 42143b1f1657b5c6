/** The page of usage: today against the cap, then the period as charts, by model, and what became of rules. */
import type { Reply, RequestScope } from "../../http/route";
import type { UsageReading } from "../../orgs/usage-reading";
import { page } from "../frame";
import { Badge, Empty, grouped, hrefOf, Meter, plural, Table, Tabs, Time } from "../parts";
import { visible } from "../visible";
import { Charts, costInWords } from "./charts";
import { Counters } from "./counters";
import { compactly, dollars } from "./figures";

export const periods = [7, 30, 90] as const;
export type Period = (typeof periods)[number];

/** From this share of the cap on, the meter warns. */
const WARNING_SHARE = 0.8;

const Today = ({ today }: Pick<UsageReading, "today">) => {
  const { tokens, cap, resetsAt } = today;
  const isSpent = tokens >= cap;
  return (
    <section class="card" aria-labelledby="today-heading">
      <h2 id="today-heading">Today</h2>
      <p>
        <span class="figure">{grouped(tokens)}</span> of {plural(cap, "token")}
        {isSpent ? " and so the day is spent" : ""}.
      </p>
      <Meter
        label="Tokens spent today, of the daily cap"
        done={tokens}
        total={cap}
        tone={isSpent ? "bad" : tokens >= cap * WARNING_SHARE ? "warn" : undefined}
      />
      <p class="soft">
        {isSpent ? "Every call of a model is refused and learning rests. " : ""}
        The next UTC day begins <Time sec={resetsAt} />. The cap is the deployment's setting{" "}
        <code>DAILY_TOKEN_CAP</code>.
      </p>
    </section>
  );
};

const Totals = ({ total }: Pick<UsageReading, "total">) => (
  <div class="grid tight">
    {[
      { label: "Calls", figure: compactly(total.calls), note: plural(total.calls, "call") },
      { label: "Tokens in", figure: compactly(total.inputTokens), note: plural(total.inputTokens, "token") },
      {
        label: "Tokens out",
        figure: compactly(total.outputTokens),
        note: plural(total.outputTokens, "token"),
      },
      {
        label: "Cost",
        figure: total.costUsd === 0 && total.unpricedTokens > 0 ? "unknown" : dollars(total.costUsd),
        note: total.unpricedTokens === 0 ? "all tokens have a price" : costInWords(total),
      },
    ].map(({ label, figure, note }) => (
      <div class="card">
        <h3 class="first">{label}</h3>
        <p class="figure">{figure}</p>
        <p class="soft">{note}</p>
      </div>
    ))}
  </div>
);

const Models = ({ models }: Pick<UsageReading, "models">) => {
  const unpriced = models.filter(({ hasPrice }) => !hasPrice);
  const example = Object.fromEntries(
    unpriced.slice(0, 5).map(({ model }) => [model, { input: 0.5, output: 2 }]),
  );
  return (
    <section class="card" aria-labelledby="models-heading">
      <h2 id="models-heading">Models</h2>
      <Table
        caption="Usage by model"
        rows={models}
        columns={[
          { heading: "Model", isText: true, cell: ({ model }) => visible(model) },
          { heading: "Provider", cell: ({ provider }) => visible(provider) },
          { heading: "Calls", isNumber: true, cell: ({ calls }) => grouped(calls) },
          { heading: "Tokens in", isNumber: true, cell: ({ inputTokens }) => grouped(inputTokens) },
          { heading: "Tokens out", isNumber: true, cell: ({ outputTokens }) => grouped(outputTokens) },
          {
            heading: "Cost",
            isNumber: true,
            cell: ({ hasPrice, costUsd }) =>
              hasPrice ? dollars(costUsd) : <Badge tone="warn">no price set</Badge>,
          },
        ]}
      />
      {unpriced.length === 0 ? null : (
        <>
          <p>
            To know what these models cost, set <code>MODEL_PRICES</code> of the deployment: US dollars per
            million tokens, by the model's name, such as
          </p>
          <pre>{visible(`MODEL_PRICES='${JSON.stringify(example)}'`)}</pre>
        </>
      )}
    </section>
  );
};

const NoCalls = ({ scope, period }: { scope: RequestScope; period: Period }) => (
  <Empty title={`No model was called in the last ${period} days`}>
    {scope.services.settings.REASONER === "offline" ? (
      <p>
        The offline reasoner judges on this machine, costs nothing and is not counted. With{" "}
        <code>REASONER=llm</code> and a model's settings, calls, tokens and cost appear here.
      </p>
    ) : (
      <p>
        Calls appear here as soon as conversations are learned from. <a href="/desk/learning">Learning</a>{" "}
        says what is under way.
      </p>
    )}
  </Empty>
);

export const usagePage = (
  scope: RequestScope,
  { usage, period }: { usage: UsageReading; period: Period },
): Reply =>
  page(scope, {
    title: "Usage",
    current: "/desk/usage",
    isWide: true,
    intro: "What models were asked, day by day in UTC, and what it cost.",
    children: (
      <>
        <Today today={usage.today} />
        <Tabs
          label="Period"
          tabs={periods.map((days) => ({
            href: hrefOf("/desk/usage", { days }),
            label: `${days} days`,
            isCurrent: days === period,
          }))}
        />
        {usage.total.calls === 0 ? (
          <NoCalls scope={scope} period={period} />
        ) : (
          <>
            <Totals total={usage.total} />
            <Charts usage={usage} />
            <Models models={usage.models} />
          </>
        )}
        <Counters counters={usage.counters} />
      </>
    ),
  });
