/** Forms and their fields: label, control, hint and fault tied together. */
import type { Child } from "hono/jsx";
import type { Issue } from "../platform/failure";
import { useFormToken } from "./frame";
import { hidesCharacters, visible } from "./visible";

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
