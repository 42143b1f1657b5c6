/** What a revocation would touch, listed before the reason is given. */
import type { Child } from "hono/jsx";
import type { Reply, RequestScope } from "../../http/route";
import type { Issue } from "../../platform/failure";
import type { Preview, RevocationTarget } from "../../revocations/model";
import { Form, faultOf, TextArea } from "../fields";
import { page } from "../frame";
import { grouped, plural, Refused, Table } from "../parts";
import { visible } from "../visible";
import type { TypedTarget } from "./form";
import { REVOCATIONS_PATH, targetText } from "./words";

export interface PreviewPageProps {
  target: RevocationTarget;
  preview: Preview;
  typed: TypedTarget;
  refused: { message: string; issues: readonly Issue[]; status: number } | null;
}

const Listed = ({
  title,
  total,
  shown,
  children,
}: {
  title: string;
  total: number;
  shown: number;
  children: Child;
}) =>
  total === 0 ? null : (
    <section class="card">
      <h2>
        {title} <span class="count">{grouped(total)}</span>
      </h2>
      {children}
      {total > shown ? (
        <p class="soft">The first {grouped(shown)} are listed; all of them are touched.</p>
      ) : null}
    </section>
  );

const Touched = ({ preview }: { preview: Preview }) => (
  <>
    <Listed
      title="Agent playbooks"
      total={preview.totals.agent_playbooks}
      shown={preview.agent_playbooks.length}
    >
      <Table
        caption="Agent playbooks that would be touched"
        rows={preview.agent_playbooks}
        columns={[
          {
            heading: "Rule",
            cell: ({ agent_playbook_id: id }) => <a href={`/desk/rules/${id}`}>#{id}</a>,
          },
          {
            heading: "When and what",
            isText: true,
            cell: ({ trigger, content }) => (
              <>
                <strong>{visible(trigger ?? "always")}</strong>
                <br />
                {visible(content)}
              </>
            ),
          },
          {
            heading: "What happens",
            isText: true,
            cell: ({ playbook_status: status }) =>
              status === "approved" ? "leaves service, back to review" : `is marked; stays ${status}`,
          },
          { heading: "Users left", isNumber: true, cell: ({ remaining_users: users }) => grouped(users) },
        ]}
      />
    </Listed>
    <Listed
      title="User playbooks"
      total={preview.totals.user_playbooks}
      shown={preview.user_playbooks.length}
    >
      <Table
        caption="User playbooks that would be touched"
        rows={preview.user_playbooks}
        columns={[
          {
            heading: "Rule",
            cell: ({ user_playbook_id: id }) => <a href={`/desk/user-playbooks?id=${id}`}>#{id}</a>,
          },
          {
            heading: "When and what",
            isText: true,
            cell: ({ trigger, content }) => (
              <>
                <strong>{visible(trigger ?? "always")}</strong>
                <br />
                {visible(content)}
              </>
            ),
          },
          {
            heading: "What happens",
            isText: true,
            cell: ({ status }) =>
              status === null ? "leaves service, waits for review" : `is marked; stays ${status}`,
          },
        ]}
      />
    </Listed>
  </>
);

export function previewPage(
  scope: RequestScope,
  { target, preview, typed, refused }: PreviewPageProps,
): Reply {
  const { totals } = preview;
  const rules = totals.user_playbooks + totals.agent_playbooks;
  return page(scope, {
    title: "Revoke this?",
    current: REVOCATIONS_PATH,
    status: refused?.status ?? 200,
    intro: `Nothing has happened yet. Revoking ${targetText(target)} would touch ${plural(rules, "rule")}; ${plural(preview.turns, "stored turn")} would never be learned from again.`,
    children: (
      <>
        {refused === null ? null : <Refused message={refused.message} />}
        {preview.in_force.length === 0 ? null : (
          <div class="card notice warn">
            <p>Exactly this is revoked already; revoking it again reaches what was derived since.</p>
          </div>
        )}
        <Touched preview={preview} />
        <Form action="/desk/revocations" class="card">
          <input type="hidden" name="kind" value={target.kind} />
          <input type="hidden" name="user_id" value={target.userId} />
          <input type="hidden" name="interaction_ids" value={target.interactionIds.join(",")} />
          <input type="hidden" name="token" value={preview.token} />
          <TextArea
            name="reason"
            label="Reason"
            value={typed.reason}
            fault={faultOf(refused?.issues ?? [], "reason")}
            hint="Reviewers read it beside every rule that comes back."
            rows={2}
            required
          />
          <div class="actions">
            <button type="submit" class="bad">
              Revoke
            </button>
            <a class="button" href={REVOCATIONS_PATH}>
              Cancel
            </a>
          </div>
        </Form>
      </>
    ),
  });
}
