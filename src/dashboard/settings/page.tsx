/** The settings of the org: a form of what most need, and the whole document for the rest. */
import type { Child } from "hono/jsx";
import type { Reply, RequestScope } from "../../http/route";
import type { Issue } from "../../platform/failure";
import { CheckField, Form, SelectField, TextArea, TextField } from "../fields";
import { page } from "../frame";
import { Notice } from "../parts";
import { visible } from "../visible";
import { Advanced, type AdvancedProps } from "./advanced";
import { GROUPS, type SettingField, type SettingGroup } from "./fields";
import { faultAt, faultsElsewhere, type Meanwhile, type Typed } from "./form";
import { History } from "./history";
import type { SettingsView } from "./view";

export const SETTINGS_PATH = "/desk/settings";

/** What the last form did, in closed words. */
export const DONE = {
  saved: "The settings are saved. They hold here at once and everywhere within 30 seconds.",
  unchanged: "Nothing was changed: these are the settings already.",
  restored: "The earlier settings are in use again.",
} as const;

export interface FormState {
  /** The Config that the fields stand over. */
  hash: string;
  typed: Typed;
  issues: readonly Issue[];
  /** What others changed while the form was open. */
  meanwhile: ReadonlyMap<string, Meanwhile>;
}

export interface SettingsProps {
  view: SettingsView;
  form: FormState;
  advanced: AdvancedProps;
  done: keyof typeof DONE | null;
  refusal: string | null;
}

/** Longer texts are told of, not repeated. */
const MAX_QUOTED = 120;

const quoted = ({ kind }: SettingField, value: string): string => {
  if (kind === "section" || kind === "switch") return value === "on" ? "on" : "off";
  if (value === "") return "empty";
  return `“${value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED).toWellFormed()}…` : value}”`;
};

const MeanwhileNote = ({ field, change }: { field: SettingField; change: Meanwhile }) => (
  <strong class="changed">
    Changed meanwhile from {visible(quoted(field, change.before))} to {visible(quoted(field, change.now))}.
    {change.isMineToo ? " The field keeps what you typed." : " The field shows the new value."}
  </strong>
);

const Hint = ({ field, view, form }: { field: SettingField; view: SettingsView; form: FormState }) => {
  const effective = view.inEffect.get(field.name);
  const change = form.meanwhile.get(field.name);
  return (
    <>
      {field.hint}
      {effective === undefined ? null : ` In effect: ${visible(effective)}.`}
      {change === undefined ? null : (
        <>
          {" "}
          <MeanwhileNote field={field} change={change} />
        </>
      )}
    </>
  );
};

const Field = ({ field, view, form }: { field: SettingField; view: SettingsView; form: FormState }) => {
  const { name, label, kind } = field;
  const issue = faultAt(form.issues, name);
  const hint: Child = <Hint field={field} view={view} form={form} />;
  const value = form.typed[name] ?? "";
  if (kind === "section" || kind === "switch") {
    return <CheckField name={name} label={label} isChecked={value === "on"} hint={hint} />;
  }
  const fault = issue === undefined ? undefined : `${issue.message} (expected: ${issue.expected})`;
  const props = { name, label, value, hint, fault };
  if (kind === "choice") return <SelectField {...props} options={field.options ?? []} />;
  if (kind === "number") {
    const { min, max, step } = field;
    return (
      <TextField
        {...props}
        type="number"
        {...(min !== undefined && { min })}
        {...(max !== undefined && { max })}
        {...(step !== undefined && { step })}
      />
    );
  }
  return <TextArea {...props} rows={field.rows ?? 3} />;
};

/** Sections stand first and wide; numbers stand side by side. */
const Group = ({ group, view, form }: { group: SettingGroup; view: SettingsView; form: FormState }) => (
  <fieldset id={group.id} class="setting">
    <legend>{group.legend}</legend>
    <p class="soft">{group.intro}</p>
    <div class="fields">
      {group.fields.map((field) => (
        <div class={field.kind === "number" ? undefined : "whole"}>
          <Field field={field} view={view} form={form} />
        </div>
      ))}
    </div>
  </fieldset>
);

const Elsewhere = ({ issues }: { issues: readonly Issue[] }) =>
  issues.length === 0 ? null : (
    <ul>
      {issues.map(({ pointer, message, expected }) => (
        <li>
          <code>{visible(pointer || "/")}</code>: {visible(message)} (expected: {visible(expected)})
        </li>
      ))}
    </ul>
  );

const Top = ({ done, refusal, form }: Pick<SettingsProps, "done" | "refusal" | "form">) => (
  <>
    {done === null ? null : (
      <Notice>
        <p>{DONE[done]}</p>
      </Notice>
    )}
    {refusal === null ? null : (
      <div class="card notice bad" role="alert">
        <div>
          <p>{visible(refusal)}</p>
          <Elsewhere issues={faultsElsewhere(form.issues)} />
        </div>
      </div>
    )}
  </>
);

export const settingsPage = (scope: RequestScope, props: SettingsProps, status = 200): Reply => {
  const { view, form, advanced } = props;
  return page(scope, {
    title: "Settings",
    current: SETTINGS_PATH,
    intro:
      "How this org learns. Conversations that are published from now on follow them, and merging from its next run.",
    status,
    children: (
      <>
        <Top {...props} />
        <Form action={SETTINGS_PATH} class="card">
          <input type="hidden" name="hash" value={form.hash} />
          {GROUPS.map((group) => (
            <Group group={group} view={view} form={form} />
          ))}
          <div class="actions">
            <button type="submit" class="main">
              Save the settings
            </button>
            <a class="button" href={SETTINGS_PATH}>
              Discard what I typed
            </a>
          </div>
        </Form>
        <Advanced {...advanced} />
        <History view={view} />
      </>
    ),
  });
};
