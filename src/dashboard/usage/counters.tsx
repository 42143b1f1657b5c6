/** What became of the rules that models proposed, by reason. */
import type { Counter } from "../../orgs/usage-store";
import { faultInWords } from "../fault-words";
import { grouped, Table } from "../parts";
import { visible } from "../visible";

/** The part before the colon: what happened. */
const happenings: Readonly<Record<string, string>> = {
  dropped: "Proposed rule dropped by a check",
  rejected: "Proposed rule rejected by the reviewer",
  learned: "Rule learned",
  retired: "Stored rule replaced by a newer one",
  dead: "Work given up",
};

/** `dropped:missing_evidence` as what happened and why. */
export function counterInWords(name: string): { happening: string; reason: string } {
  const [head = "", ...rest] = name.split(":");
  const reason = rest.join(":");
  const happening = Object.hasOwn(happenings, head) ? (happenings[head] ?? head) : head;
  return { happening, reason: head === "dead" ? faultInWords(reason) : reason.replaceAll("_", " ") };
}

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
