/** What pages are made of. Text that came from people or models goes through `visible` or `Text`. */
import type { Child } from "hono/jsx";
import { visible } from "./visible";

/** Foreign text as text: line ends kept, hidden characters named. */
export const Text = ({ of }: { of: string }) => <span class="text">{visible(of)}</span>;

export type Tone = "good" | "bad" | "warn" | "info";

export const Badge = ({ tone, children }: { tone?: Tone | undefined; children: Child }) => (
  <span class={tone === undefined ? "badge" : `badge ${tone}`}>{children}</span>
);

/** An instant as UTC; a script may word it nearer to the reader. */
export const Time = ({ sec }: { sec: number }) => {
  const iso = new Date(sec * 1000).toISOString();
  return (
    <time datetime={iso} title={`${iso.slice(0, 19).replace("T", " ")} UTC`}>
      {iso.slice(0, 16).replace("T", " ")} UTC
    </time>
  );
};

/** `12,345`. */
export const grouped = (count: number): string => count.toLocaleString("en-US");

/** `1 user`, `3 users`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

/** Says that a form was not taken, above it; each fault stands beside its field. */
export const Refused = ({ message }: { message: string }) => (
  <div class="card notice bad" role="alert">
    <p>{visible(message)}</p>
  </div>
);

/** What the last action did. */
export const Notice = ({ children }: { children: Child }) => (
  <div class="card notice" role="status">
    {children}
  </div>
);

/** Nothing is here yet, and what to do next. */
export const Empty = ({ title, children }: { title: string; children: Child }) => (
  <section class="card empty">
    <h2>{title}</h2>
    {children}
  </section>
);

/** Columns of a table; numbers stand right. */
export interface Column<Row> {
  heading: string;
  isNumber?: boolean;
  isText?: boolean;
  cell: (row: Row) => Child;
}

/** A table with its caption for those who cannot see the heading above it; it scrolls where it is too wide. */
export const Table = <Row,>({
  caption,
  columns,
  rows,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
}) => (
  <section class="scroll" aria-label={caption} tabindex={0}>
    <table>
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ heading, isNumber }) => (
            <th scope="col" class={isNumber === true ? "number" : undefined}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {columns.map(({ cell, isNumber, isText }) => (
              <td class={isNumber === true ? "number" : isText === true ? "wrap" : undefined}>{cell(row)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

/** How much of something is done; drawn, and said in its label. */
export const Meter = ({
  label,
  done,
  total,
  tone,
}: {
  label: string;
  done: number;
  total: number;
  tone?: Exclude<Tone, "info"> | undefined;
}) => {
  const share = total <= 0 ? 0 : Math.min(1, Math.max(0, done / total));
  return (
    <svg
      class={tone === undefined ? "meter" : `meter ${tone}`}
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      role="progressbar"
      aria-label={label}
      aria-valuemin="0"
      aria-valuemax={String(total)}
      aria-valuenow={String(done)}
    >
      <rect width={String(Math.round(share * 1000) / 10)} height="4" />
    </svg>
  );
};

export const Tabs = ({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly { href: string; label: Child; isCurrent: boolean }[];
}) => (
  <nav aria-label={label}>
    <ul class="tabs">
      {tabs.map(({ href, label: text, isCurrent }) => (
        <li>
          <a href={href} aria-current={isCurrent ? "page" : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

/** Links to the page before and after; absent ones are left out. */
export const Pager = ({ newer, older }: { newer?: string | undefined; older?: string | undefined }) =>
  newer === undefined && older === undefined ? null : (
    <nav class="pager" aria-label="More pages">
      {newer === undefined ? <span /> : <a href={newer}>← Newest</a>}
      {older === undefined ? <span /> : <a href={older}>Older →</a>}
    </nav>
  );

/** `path?a=b`, without what is undefined or empty. */
export function hrefOf(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
