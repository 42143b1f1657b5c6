/** Revocations: what was revoked, by whom and why, and how to revoke more. */
import type { Reply, RequestScope } from "../../http/route";
import type { Issue } from "../../platform/failure";
import type { Revocation } from "../../revocations/model";
import { Form, faultOf, SelectField, TextArea, TextField } from "../fields";
import { page } from "../frame";
import { Badge, Empty, grouped, Notice, Pager, plural, Refused, Table, Text, Time } from "../parts";
import { visible } from "../visible";
import type { TypedTarget } from "./form";
import { REVOCATIONS_PATH, targetText } from "./words";

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
    current: REVOCATIONS_PATH,
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
            <Pager
              older={props.olderThan === null ? undefined : `${REVOCATIONS_PATH}?before=${props.olderThan}`}
            />
          </div>
        )}
      </>
    ),
  });

export const revocationPage = (
  scope: RequestScope,
  { revocation, notice }: { revocation: Revocation; notice: "begun" | "lifted" | null },
): Reply =>
  page(scope, {
    title: "Revocation",
    current: REVOCATIONS_PATH,
    intro: <a href={REVOCATIONS_PATH}>All revocations</a>,
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
