/** The form of search. */
import { searchModes } from "../../search/hybrid";
import { SelectField, TextField } from "../fields";
import { visible } from "../visible";
import { type Asked, PATH } from "./asked";
import { modeText } from "./words";

export interface SearchFormProps {
  asked: Asked;
  versions: readonly string[];
  mayNameUsers: boolean;
  /** What is wrong with the query. */
  fault: string | undefined;
}

/** A version that a browser would not give back as it was must be typed. */
const isPlain = (version: string): boolean =>
  visible(version) === version && version.trim() === version && version !== "";

export const SearchForm = ({ asked, versions, mayNameUsers, fault }: SearchFormProps) => (
  <search>
    <form method="get" action={PATH} class="filters asking">
      <TextField name="q" label="What a user would say" type="search" value={asked.q} fault={fault} />
      <TextField name="agent_version" label="Agent version" value={asked.agent_version} list="versions" />
      {mayNameUsers ? <TextField name="user_id" label="User" value={asked.user_id} /> : null}
      <TextField name="session_id" label="Session" value={asked.session_id} />
      <SelectField
        name="mode"
        label="Search by"
        value={asked.mode ?? "hybrid"}
        options={searchModes.map((mode) => ({ value: mode, label: modeText[mode] }))}
      />
      <button type="submit" class="main">
        Search
      </button>
      <datalist id="versions">
        {versions.filter(isPlain).map((version) => (
          <option value={version} />
        ))}
      </datalist>
    </form>
  </search>
);
