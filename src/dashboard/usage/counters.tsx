/** What became of the rules that models proposed, by reason. */
import type { Counter } from "../../orgs/usage-store";
import { grouped, Table } from "../parts";
import { visible } from "../visible";
import { counterInWords } from "./words";

export const Counters = ({ counters }: { counters: readonly Counter[] }) => (
  <section class="card" aria-labelledby="counters-heading">
    <h2 id="counters-heading">What became of proposed rules</h2>
    {counters.length === 0 ? (
      <p>Nothing was learned from in this period, so nothing was kept or dropped.</p>
    ) : (
      <Table
        caption="Counters of the period, by happening and reason"
        rows={counters}
        columns={[
          {
            heading: "What happened",
            isText: true,
            cell: ({ name }) => visible(counterInWords(name).happening),
          },
          {
            heading: "Which, or why",
            isText: true,
            cell: ({ name }) => visible(counterInWords(name).reason),
          },
          { heading: "Times", isNumber: true, cell: ({ count }) => grouped(count) },
        ]}
      />
    )}
  </section>
);
