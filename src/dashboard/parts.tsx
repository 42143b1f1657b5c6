/** What pages are made of. Text that came from people or models goes through `visible` or `Text`. */
import type { Child } from "hono/jsx";
import type { Issue } from "../platform/failure";
import { useFormToken } from "./frame";
import { hidesCharacters, visible } from "./visible";

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

/** A form that only pages of this browser can send. */
export const Form = ({
  action,
  children,
  class: className,
  id,
}: {
  action: string;
  children: Child;
  class?: string;
  id?: string;
}) => (
  <form method="post" action={action} class={className} id={id}>
    <input type="hidden" name="csrf" value={useFormToken()} />
    {children}
  </form>
);

/** The fault of a field or of something inside it, by its name: the first or the last part of the JSON pointer. */
export function faultOf(issues: readonly Issue[], name: string): string | undefined {
  const found = issues.find(({ pointer }) => {
    const parts = pointer.split("/");
    return parts[1] === name || parts.at(-1) === name;
  });
  if (found === undefined) return undefined;
  const { message, expected } = found;
  return message === expected ? message : `${message} (expected: ${expected})`;
}

interface FieldProps {
  name: string;
  label: string;
  value?: string | undefined;
  hint?: Child;
  fault?: string | undefined;
  /** Makes the id unique where a page has several forms. */
  idPrefix?: string;
  required?: boolean;
}

const idOf = ({ idPrefix, name }: FieldProps): string => `${idPrefix ?? "field"}-${name}`;

/** Label, control, hint and fault, tied together for those who do not see them side by side. */
const Labelled = ({
  props,
  control,
}: {
  props: FieldProps;
  control: (attributes: { id: string; name: string } & Record<string, string | boolean | undefined>) => Child;
}) => {
  const id = idOf(props);
  const notes = [
    ...(props.hint === undefined ? [] : [`${id}-hint`]),
    ...(props.fault === undefined ? [] : [`${id}-fault`]),
  ];
  return (
    <div>
      <label for={id}>{props.label}</label>
      {control({
        id,
        name: props.name,
        required: props.required,
        "aria-describedby": notes.length === 0 ? undefined : notes.join(" "),
        "aria-invalid": props.fault === undefined ? undefined : "true",
      })}
      {props.hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
      {props.fault === undefined ? null : (
        <p class="fault" id={`${id}-fault`}>
          {visible(props.fault)}
        </p>
      )}
    </div>
  );
};

export const TextField = (
  props: FieldProps & {
    type?: "text" | "password" | "url" | "search" | "number" | "email";
    autocomplete?: string;
    placeholder?: string;
    min?: string;
    max?: string;
    step?: string;
    /** Id of a `datalist`. */
    list?: string;
  },
) => (
  <Labelled
    props={props}
    control={(attributes) => (
      <input
        {...attributes}
        type={props.type ?? "text"}
        value={props.value ?? ""}
        autocomplete={props.autocomplete ?? "off"}
        placeholder={props.placeholder}
        min={props.min}
        max={props.max}
        step={props.step}
        list={props.list}
      />
    )}
  />
);

/** A field holds its text as it is; where that hides characters, they are named beside it. */
const withNamedCharacters = (props: FieldProps): FieldProps =>
  props.value === undefined || !hidesCharacters(props.value)
    ? props
    : {
        ...props,
        hint: (
          <>
            {props.hint} Holds hidden characters: {visible(props.value)}
          </>
        ),
      };

export const TextArea = (props: FieldProps & { rows?: number }) => (
  <Labelled
    props={withNamedCharacters(props)}
    control={(attributes) => (
      <textarea {...attributes} rows={props.rows ?? 3}>
        {/* A browser drops the first line end of a textarea. */}
        {`\n${props.value ?? ""}`}
      </textarea>
    )}
  />
);

export const SelectField = (props: FieldProps & { options: readonly { value: string; label: string }[] }) => (
  <Labelled
    props={props}
    control={(attributes) => (
      <select {...attributes}>
        {props.options.map(({ value, label }) => (
          <option value={value} selected={value === props.value}>
            {label}
          </option>
        ))}
      </select>
    )}
  />
);

export const CheckField = ({
  name,
  label,
  isChecked,
  value = "on",
  hint,
}: {
  name: string;
  label: Child;
  isChecked?: boolean;
  value?: string;
  hint?: Child;
}) => (
  <div>
    <label class="check">
      <input type="checkbox" name={name} value={value} checked={isChecked === true} />
      <span>{label}</span>
    </label>
    {hint === undefined ? null : <p class="hint">{hint}</p>}
  </div>
);

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
