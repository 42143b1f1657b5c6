/** Revocations: what was revoked, by whom and why, and how to revoke more. */
import type { Child } from "hono/jsx";
import type { Reply, RequestScope } from "../../http/route";
import type { Issue } from "../../platform/failure";
import type { Preview, Revocation, RevocationTarget } from "../../revocations/model";
import { page } from "../frame";
import {
  Badge,
  Empty,
  Form,
  faultOf,
  grouped,
  Notice,
  Pager,
  plural,
  Refused,
  SelectField,
  Table,
  Text,
  TextArea,
  TextField,
  Time,
} from "../parts";
import { visible } from "../visible";
import type { TypedTarget } from "./form";

const CURRENT = "/desk/revocations";
const INTRO =
  "Take back turns, or everything a user said: nothing is learned from them any more, and every rule that rests on them leaves service and goes back to review.";

const stateTone = { running: "info", done: "warn", lifted: undefined } as const;

const TargetForm = ({ typed, issues }: { typed: TypedTarget; issues: readonly Issue[] }) => (
  <Form action="/desk/revocations/preview" class="card">
    <h2>Revoke turns or a user</h2>
    <SelectField
      name="kind"
      label="What"
      value={typed.kind ?? "interaction"}
      fault={faultOf(issues, "kind")}
      options={[
        { value: "interaction", label: "Some turns of a user" },
        { value: "user", label: "All turns of a user, and those to come" },
      ]}
    />
    <TextField
      name="user_id"
      label="User"
      value={typed.user_id}
      fault={faultOf(issues, "user_id")}
      hint="As the user is named in publish calls."
      required
    />
    <TextArea
      name="interaction_ids"
      label="Turns"
      value={typed.interaction_ids}
      fault={faultOf(issues, "interaction_ids")}
      hint="Numbers of the turns, with commas between them; the sessions page links here with them filled in. Not needed for a whole user."
      rows={2}
    />
    <div class="actions">
      <button type="submit" class="main">
        Show what it would touch
      </button>
    </div>
  </Form>
);

const targetText = ({ kind, userId, interactionIds }: RevocationTarget): string =>
  kind === "user"
    ? `all turns of ${visible(userId)}`
    : `${plural(interactionIds.length, "turn")} of ${visible(userId)}`;

export interface RevocationsPageProps {
  revocations: readonly Revocation[];
  /** Id of the last one, where there are older ones. */
  olderThan: string | null;
  typed: TypedTarget;
  refused: { message: string; issues: readonly Issue[]; status: number } | null;
}

export const revocationsPage = (scope: RequestScope, props: RevocationsPageProps): Reply =>
  page(scope, {
    title: "Revocations",
    current: CURRENT,
    intro: INTRO,
    status: props.refused?.status ?? 200,
    children: (
      <>
        {props.refused === null ? null : <Refused message={props.refused.message} />}
        <TargetForm typed={props.typed} issues={props.refused?.issues ?? []} />
        {props.revocations.length === 0 ? (
          <Empty title="Nothing was revoked">
            <p>
              If somebody taught agents something they should never have learned, name the turns or the user
              above. You see every rule that would be touched before anything changes.
            </p>
          </Empty>
        ) : (
          <div class="card">
            <Table
              caption="Revocations, newest first"
              rows={props.revocations}
              columns={[
                {
                  heading: "What",
                  isText: true,
                  cell: (row) => <a href={`/desk/revocations/${row.revocationId}`}>{targetText(row)}</a>,
                },
                { heading: "Reason", isText: true, cell: ({ reason }) => <Text of={reason} /> },
                { heading: "State", cell: ({ state }) => <Badge tone={stateTone[state]}>{state}</Badge> },
                {
                  heading: "Rules",
                  isNumber: true,
                  cell: ({ touched }) => grouped(touched.user_playbooks + touched.agent_playbooks),
                },
                { heading: "By", isText: true, cell: ({ principalId }) => visible(principalId) },
                { heading: "When", cell: ({ createdAt }) => <Time sec={createdAt} /> },
              ]}
            />
            <Pager older={props.olderThan === null ? undefined : `${CURRENT}?before=${props.olderThan}`} />
          </div>
        )}
      </>
    ),
  });

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
    current: CURRENT,
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
            <a class="button" href={CURRENT}>
              Cancel
            </a>
          </div>
        </Form>
      </>
    ),
  });
}

export const revocationPage = (
  scope: RequestScope,
  { revocation, notice }: { revocation: Revocation; notice: "begun" | "lifted" | null },
): Reply =>
  page(scope, {
    title: "Revocation",
    current: CURRENT,
    intro: <a href={CURRENT}>All revocations</a>,
    children: (
      <>
        {notice === null ? null : (
          <Notice>
            <p>
              {notice === "begun"
                ? "Revoked. What rests on it is out of service."
                : "Lifted. Rules stay in review until somebody decides about each of them."}
            </p>
          </Notice>
        )}
        <div class="card" id="progress" data-refresh={revocation.state === "running" ? "2" : undefined}>
          <h2>
            {targetText(revocation)} <Badge tone={stateTone[revocation.state]}>{revocation.state}</Badge>
          </h2>
          {revocation.state === "running" ? (
            <p role="status">
              It goes on by itself, also when you leave this page; what it has reached so far:
            </p>
          ) : null}
          <dl>
            <dt>Reason</dt>
            <dd>{visible(revocation.reason)}</dd>
            <dt>By</dt>
            <dd>
              {visible(revocation.principalId)}, <Time sec={revocation.createdAt} />
            </dd>
            <dt>Turns</dt>
            <dd>
              {revocation.kind === "user"
                ? `all, ${grouped(revocation.touched.turns)} when it began`
                : visible(revocation.interactionIds.join(", "))}
            </dd>
            <dt>Sent back</dt>
            <dd>
              {plural(revocation.touched.agent_playbooks, "agent playbook")},{" "}
              {plural(revocation.touched.user_playbooks, "user playbook")}
              {revocation.touched.windows === 0
                ? ""
                : `; ${plural(revocation.touched.windows, "unfinished window")} dropped`}
            </dd>
          </dl>
          <p>
            <a href="/?flagged=on">Flagged rules in review</a> ·{" "}
            <a href="/desk/user-playbooks?status=pending">User playbooks in review</a>
          </p>
        </div>
        {revocation.state === "done" ? (
          <Form action={`/desk/revocations/${revocation.revocationId}/lift`} class="card">
            <h2>Was it a mistake?</h2>
            <p>
              Lifting lets learning have the turns again. Rules that were sent back stay in review; decide
              about each.
            </p>
            <button type="submit">Lift this revocation</button>
          </Form>
        ) : null}
      </>
    ),
  });
