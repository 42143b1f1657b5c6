/** The form that makes a key. */
import { MAX_KEY_DAYS } from "../../orgs/key-schema";
import type { Issue } from "../../platform/failure";
import { roles } from "../../platform/principal";
import { CheckField, Form, faultOf, TextField } from "../fields";
import { Refused } from "../parts";
import { visible } from "../visible";
import { KEYS_PATH } from "./path";
import { roleField, roleText } from "./roles";

export interface KeyFormProps {
  /** Sent with the form, so that a form that is sent twice makes one key. */
  once: string;
  typed: Readonly<Record<string, string>>;
  /** Why it was not taken. */
  refusal: { message: string; issues: readonly Issue[] } | null;
}

const Roles = ({ typed, fault }: { typed: KeyFormProps["typed"]; fault: string | undefined }) => (
  <fieldset aria-describedby={fault === undefined ? undefined : "field-roles-fault"}>
    <legend>Roles</legend>
    {roles.map((role) => (
      <CheckField
        name={roleField(role)}
        label={
          <>
            <strong>{roleText[role].label}</strong> {roleText[role].allows}
          </>
        }
        isChecked={typed[roleField(role)] === "on"}
      />
    ))}
    {fault === undefined ? null : (
      <p class="fault" id="field-roles-fault">
        {visible(fault)}
      </p>
    )}
  </fieldset>
);

export const KeyForm = ({ once, typed, refusal }: KeyFormProps) => {
  const issues = refusal?.issues ?? [];
  return (
    <section class="card" id="new" aria-labelledby="new-heading">
      <h2 id="new-heading">Make a key</h2>
      {refusal === null ? null : <Refused message={refusal.message} />}
      <Form action={KEYS_PATH}>
        <input type="hidden" name="once" value={once} />
        <TextField
          name="name"
          label="Name"
          value={typed.name}
          hint="Where it will be used, such as “support bot, production”."
          fault={faultOf(issues, "name")}
          required
        />
        <TextField
          name="principal_id"
          label="Who it stands for"
          value={typed.principal_id}
          hint="A person or a program. Decisions, edits and the audit trail carry this name: letters, digits and . _ @ - only."
          fault={faultOf(issues, "principal_id")}
          required
        />
        <Roles typed={typed} fault={issues.find(({ pointer }) => pointer === "/roles")?.message} />
        <TextField
          name="expires_in_days"
          label="Days until it expires"
          type="number"
          min="1"
          max={String(MAX_KEY_DAYS)}
          step="1"
          value={typed.expires_in_days}
          hint="Empty: it works until it is revoked."
          fault={faultOf(issues, "expires_in_days")}
        />
        <div class="actions">
          <button type="submit" class="main">
            Make the key
          </button>
        </div>
      </Form>
    </section>
  );
};
