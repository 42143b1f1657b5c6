/** One agent playbook with everything that a decision on it needs. */
import type { RequestScope } from "../../http/route";
import type { Issue } from "../../platform/failure";
import type { ApprovalStatus } from "../../playbooks/model";
import { CheckField, Form, faultOf, TextArea } from "../fields";
import { Badge, grouped, plural, Time } from "../parts";
import { visible } from "../visible";
import { Difference } from "./difference";
import { History, Sources } from "./evidence";
import type { ReviewRule } from "./queue";
import { flagText } from "./words";

/** A form of the card that was refused: what was typed, and what was wrong with it. */
export interface RefusedEdit {
  typed: Readonly<Record<string, string>>;
  issues: readonly Issue[];
}

interface CardProps {
  rule: ReviewRule;
  scope: RequestScope;
  /** The page to come back to after a decision. */
  from: string;
  /** Whether it stands in a list whose rules can be ticked. */
  isTickable?: boolean;
  refused?: RefusedEdit | undefined;
}

const Hidden = ({ rule, from }: { rule: ReviewRule; from: string }) => {
  const { agent_playbook_id: id, version } = rule.evidence.agent_playbook;
  return (
    <>
      <input type="hidden" name="agent_playbook_id" value={String(id)} />
      <input type="hidden" name="version" value={String(version)} />
      <input type="hidden" name="from" value={from} />
    </>
  );
};

const labels: Record<ApprovalStatus, { label: string; tone: string; keyName?: string }> = {
  approved: { label: "Approve", tone: "good", keyName: "a" },
  rejected: { label: "Reject", tone: "bad", keyName: "r" },
  pending: { label: "Back to review", tone: "" },
};

/** The approved rule that an approval would take out of service. */
const replacedOf = ({ evidence }: ReviewRule) =>
  evidence.replaces?.playbook_status === "approved" && evidence.replaces.status === null
    ? evidence.replaces
    : null;

const Decision = ({ rule, to, from }: { rule: ReviewRule; to: ApprovalStatus; from: string }) => {
  const { label, tone, keyName } = labels[to];
  const id = rule.evidence.agent_playbook.agent_playbook_id;
  const replaced = to === "approved" ? replacedOf(rule) : null;
  return (
    <Form action="/desk/decide">
      <Hidden rule={rule} from={from} />
      <input type="hidden" name="playbook_status" value={to} />
      <button type="submit" class={tone} data-key={keyName} aria-label={`${label} rule #${id}`}>
        {replaced === null ? label : `${label}, replacing #${replaced.agent_playbook_id}`}
      </button>
      {replaced === null ? null : (
        <CheckField name="keep_replaced" label={`Keep #${replaced.agent_playbook_id} in service as well`} />
      )}
    </Form>
  );
};

const Undo = ({ rule, from }: { rule: ReviewRule; from: string }) => {
  if (rule.undo === null) return null;
  if (typeof rule.undo === "string") {
    return <p class="soft">The last decision cannot be undone: {visible(rule.undo)}.</p>;
  }
  return (
    <Form action="/desk/undo">
      <Hidden rule={rule} from={from} />
      <button type="submit" data-key="u">
        Undo “{rule.undo.kind}” by {visible(rule.undo.by)}
      </button>
    </Form>
  );
};

const Edit = ({
  rule,
  from,
  refused,
}: {
  rule: ReviewRule;
  from: string;
  refused: RefusedEdit | undefined;
}) => {
  const { agent_playbook_id: id, trigger, content, rationale } = rule.evidence.agent_playbook;
  const field = (name: string, label: string, now: string | null) => ({
    name,
    label,
    value: refused?.typed[name] ?? now ?? "",
    fault: refused === undefined ? undefined : faultOf(refused.issues, name),
    idPrefix: `rule-${id}`,
  });
  return (
    <details data-key="e" open={refused !== undefined}>
      <summary aria-label={`Edit rule #${id}`}>Edit</summary>
      <Form action="/desk/edit">
        <Hidden rule={rule} from={from} />
        <TextArea {...field("trigger", "When", trigger)} rows={2} />
        <TextArea {...field("content", "Do", content)} rows={4} required />
        <TextArea {...field("rationale", "Why", rationale)} rows={2} />
        <div class="actions">
          <button type="submit" class="main">
            Save
          </button>
        </div>
      </Form>
    </details>
  );
};

const UsesLine = ({ rule: { uses } }: { rule: ReviewRule }) =>
  uses === null || uses.applied + uses.helpful + uses.harmful === 0 ? null : (
    <p class="soft">
      {uses.applied === 0
        ? "Not applied yet"
        : `Applied in ${plural(uses.applied, "turn")} of ${plural(uses.sessions, "session")}`}
      {uses.lastAppliedAt === null ? null : (
        <>
          , last <Time sec={uses.lastAppliedAt} />
        </>
      )}
      {uses.helpful > 0 ? `; helpful ${grouped(uses.helpful)}×` : ""}
      {uses.harmful > 0 ? `; harmful ${grouped(uses.harmful)}×` : ""}
    </p>
  );

const Tick = ({ rule }: { rule: ReviewRule }) => {
  const { agent_playbook_id: id, version } = rule.evidence.agent_playbook;
  return (
    <input
      type="checkbox"
      form="bulk"
      name={`rule-${id}`}
      value={String(version)}
      data-selects="rules"
      data-key="x"
      aria-label={`Select rule #${id}`}
    />
  );
};

const Head = ({ rule, isTickable }: { rule: ReviewRule; isTickable: boolean }) => {
  const { agent_playbook: row, user_count: users } = rule.evidence;
  return (
    <div class="row between">
      <p class="soft row">
        {isTickable ? <Tick rule={rule} /> : null}
        <a href={`/desk/rules/${row.agent_playbook_id}`}>#{row.agent_playbook_id}</a>
        <span>for {visible(row.agent_version)}</span>
        {users === 0 ? null : <span>taught by {plural(users, "user")}</span>}
        <Time sec={row.created_at} />
      </p>
      {row.decided_by === null ? null : (
        <p class="soft">
          <Badge
            tone={
              row.playbook_status === "approved"
                ? "good"
                : row.playbook_status === "rejected"
                  ? "bad"
                  : undefined
            }
          >
            {row.playbook_status}
          </Badge>{" "}
          by {visible(row.decided_by)}
        </p>
      )}
    </div>
  );
};

export const RuleCard = ({ rule, scope, from, isTickable = false, refused }: CardProps) => {
  const { evidence } = rule;
  const { agent_playbook: row, replaces } = evidence;
  const headingId = `rule-${row.agent_playbook_id}-when`;
  const { scopes } = scope.principal;
  const canReview = scopes.includes("review");
  const isLive = row.status === null;
  const canEdit = isLive && scopes.includes("write") && (row.playbook_status !== "approved" || canReview);
  return (
    <article class="card" id={`rule-${row.agent_playbook_id}`} data-item aria-labelledby={headingId}>
      <Head rule={rule} isTickable={isTickable && canReview} />
      <h2 id={headingId}>When: {visible(row.trigger ?? "always")}</h2>
      <dl>
        <dt>Do</dt>
        <dd>{visible(row.content)}</dd>
        {row.rationale === null ? null : (
          <>
            <dt>Why</dt>
            <dd>{visible(row.rationale)}</dd>
          </>
        )}
      </dl>
      {row.flags.length === 0 ? null : (
        <ul class="badges" aria-label="Warnings">
          {row.flags.map((flag) => (
            <li>
              <Badge tone="warn">⚠ {flagText[flag]}</Badge>
            </li>
          ))}
        </ul>
      )}
      {replaces === null ? null : (
        <Difference before={replaces} after={row} beforeId={replaces.agent_playbook_id} />
      )}
      <UsesLine rule={rule} />
      <Sources evidence={evidence} isOpen={row.playbook_status === "pending"} canRevoke={canReview} />
      <History evidence={evidence} />
      {isLive ? null : (
        <p class="soft">
          This rule is {row.status}
          {evidence.agent_playbook.superseded_by === null ? (
            "."
          ) : (
            <>
              {" "}
              by{" "}
              <a href={`/desk/rules/${evidence.agent_playbook.superseded_by}`}>
                #{evidence.agent_playbook.superseded_by}
              </a>
              .
            </>
          )}
        </p>
      )}
      {canReview && isLive ? (
        <div class="actions">
          {(["approved", "rejected", "pending"] as const)
            .filter((status) => status !== row.playbook_status)
            .map((to) => (
              <Decision rule={rule} to={to} from={from} />
            ))}
          <Undo rule={rule} from={from} />
        </div>
      ) : null}
      {canEdit ? <Edit rule={rule} from={from} refused={refused} /> : null}
    </article>
  );
};
