/** What differs between two Configs, place by place. */
import { plural, Table } from "../parts";
import { visible } from "../visible";
import type { Difference } from "./json";

/** More than this is told as a number. */
const MAX_ROWS = 30;
const MAX_VALUE_CHARS = 200;

function shown(value: unknown): string {
  if (value === undefined) return "(not there)";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS).toWellFormed()}…` : text;
}

export const DifferenceTable = ({
  caption,
  headings: [before, after],
  rows,
}: {
  caption: string;
  headings: readonly [string, string];
  rows: readonly Difference[];
}) => (
  <>
    <Table
      caption={caption}
      columns={[
        {
          heading: "Setting",
          isText: true,
          cell: (row: Difference) => <code>{visible(row.pointer || "/")}</code>,
        },
        { heading: before, isText: true, cell: (row: Difference) => visible(shown(row.before)) },
        { heading: after, isText: true, cell: (row: Difference) => visible(shown(row.after)) },
      ]}
      rows={rows.slice(0, MAX_ROWS)}
    />
    {rows.length > MAX_ROWS ? (
      <p class="soft">And {plural(rows.length - MAX_ROWS, "more difference")}.</p>
    ) : null}
  </>
);
