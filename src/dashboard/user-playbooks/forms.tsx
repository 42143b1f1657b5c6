/** What may be done about a user playbook: decided on, edited, taken out of use, deleted. */
import type { RequestScope } from "../../http/route";
import type { Issue } from "../../platform/failure";
import type { UserPlaybook } from "../../playbooks/model";
import { Form, faultOf, TextArea } from "../fields";
import { PATH } from "./filters";
import { isHistory } from "./rule";

/** A form that was not taken: why, and what was typed into it. */
export interface RefusedEdit {
  issues: readonly Issue[];
  typed: Readonly<Record<string, string>>;
}

/** Which row, and in which version the reader has seen it. */
const Subject = ({ rule }: { rule: UserPlaybook }) => (
  <>
    <input type="hidden" name="user_playbook_id" value={String(rule.userPlaybookId)} />
    <input type="hidden" name="version" value={String(rule.updatedAtMs)} />
  </>
);

const Edit = ({ rule, refused }: { rule: UserPlaybook; refused: RefusedEdit | null }) => {
  const field = (name: "trigger" | "content" | "rationale", label: string, stored: string, rows: number) => (
    <TextArea
      name={name}
      label={label}
      rows={rows}
      value={refused?.typed[name] ?? stored}
      fault={refused === null ? undefined : faultOf(refused.issues, name)}
    />
  );
  return (
    <details open={refused !== null} data-key="e">
      <summary>Edit</summary>
      <Form action={`${PATH}/save`}>
        <Subject rule={rule} />
        {field("trigger", "When", rule.trigger ?? "", 2)}
        {field("content", "Do", rule.content, 4)}
        {field("rationale", "Why", rule.rationale ?? "", 3)}
        <div class="actions">
          <button type="submit" class="main">
            Save
          </button>
        </div>
      </Form>
    </details>
  );
};

const Button = ({
  rule,
  action,
  change,
  label,
  tone = "",
}: {
  rule: UserPlaybook;
  action: string;
  change: string;
  label: string;
  tone?: string;
}) => (
  <Form action={`${PATH}/${action}`}>
    <Subject rule={rule} />
    <button type="submit" class={tone} name="change" value={change}>
      {label}
    </button>
  </Form>
);

const Delete = ({ rule }: { rule: UserPlaybook }) => (
  <details>
    <summary>Delete</summary>
    <p>
      It goes for good, with its vector; nobody can bring it back. What happened to it stays on record,
      without its text. To keep it out of use, archive it instead.
    </p>
    <Form action={`${PATH}/delete`}>
      <Subject rule={rule} />
      <button type="submit" class="bad">
        Delete for good
      </button>
    </Form>
  </details>
);

/** Keeping what rests on something revoked is a reviewer's word. */
const Lifecycle = ({ scope, rule }: { scope: RequestScope; rule: UserPlaybook }) => {
  const canReview = scope.principal.scopes.includes("review");
  const isTainted = rule.flags.includes("tainted");
  if (rule.status === "pending" && canReview) {
    return (
      <>
        <Button rule={rule} action="review" change="keep" label="Keep: use it again" tone="good" />
        <Button rule={rule} action="review" change="archive" label="Archive" tone="bad" />
      </>
    );
  }
  if (rule.status === null) return <Button rule={rule} action="archive" change="archive" label="Archive" />;
  return rule.status === "archived" && (canReview || !isTainted) ? (
    <Button rule={rule} action="archive" change="restore" label="Use it again" />
  ) : null;
};

export const Controls = ({
  scope,
  rule,
  refused,
}: {
  scope: RequestScope;
  rule: UserPlaybook;
  refused: RefusedEdit | null;
}) => {
  if (isHistory(rule) || !scope.principal.scopes.includes("write")) return null;
  return (
    <div>
      <Edit rule={rule} refused={refused?.typed.content === undefined ? null : refused} />
      <Delete rule={rule} />
      <div class="actions">
        <Lifecycle scope={scope} rule={rule} />
      </div>
    </div>
  );
};
