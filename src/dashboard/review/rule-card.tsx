/** One agent playbook with everything that a decision on it needs. */
import type { RequestScope } from "../../http/route";
import { Badge, Form, plural, Text, TextArea } from "../parts";
import { visible } from "../visible";

export interface ReviewTurn {
  role: string;
  content: string;
  /** The publisher's name, where the reader may see it. */
  userId: string | null;
}

export interface ReviewSource {
  userPlaybookId: number;
  content: string;
  turns: ReviewTurn[];
  /** Deleted, or beyond what a page shows. */
  moreTurns: number;
}

export interface ReviewRule {
  agentPlaybookId: number;
  agentVersion: string;
  trigger: string | null;
  content: string;
  rationale: string | null;
  /** pending, approved or rejected. */
  playbookStatus: string;
  decidedBy: string | null;
  flags: readonly string[];
  version: number;
  /** Distinct users behind the sources. */
  users: number;
  sources: ReviewSource[];
  moreSources: number;
}

const flagText: Record<string, string> = {
  instruction_like: "reads like an instruction to the model",
  secret: "holds something like a secret",
  personal_detail: "holds personal detail",
  link: "holds a link",
  invisible_characters: "holds invisible characters",
  look_alike: "holds look-alike letters",
  few_distinct_users: "rests on few users",
  thin_support: "rests on little evidence",
  contradicts_approved: "contradicts an approved rule",
  tainted: "rests on something revoked",
};

const Decision = ({
  rule,
  to,
  label,
  tone,
  keyName,
}: {
  rule: ReviewRule;
  to: string;
  label: string;
  tone: string;
  keyName?: string;
}) => (
  <Form action="/desk/decide">
    <input type="hidden" name="agent_playbook_id" value={String(rule.agentPlaybookId)} />
    <input type="hidden" name="version" value={String(rule.version)} />
    <input type="hidden" name="playbook_status" value={to} />
    <button
      type="submit"
      class={tone}
      data-key={keyName}
      aria-label={`${label} rule #${rule.agentPlaybookId}`}
    >
      {label}
    </button>
  </Form>
);

const Edit = ({ rule }: { rule: ReviewRule }) => {
  const idPrefix = `rule-${rule.agentPlaybookId}`;
  return (
    <details data-key="e">
      <summary aria-label={`Edit rule #${rule.agentPlaybookId}`}>Edit</summary>
      <Form action="/desk/edit">
        <input type="hidden" name="agent_playbook_id" value={String(rule.agentPlaybookId)} />
        <input type="hidden" name="version" value={String(rule.version)} />
        <TextArea name="trigger" label="When" value={rule.trigger ?? ""} idPrefix={idPrefix} />
        <TextArea name="content" label="Do" value={rule.content} idPrefix={idPrefix} />
        <TextArea name="rationale" label="Why" value={rule.rationale ?? ""} idPrefix={idPrefix} />
        <div class="actions">
          <button type="submit" class="main">
            Save
          </button>
        </div>
      </Form>
    </details>
  );
};

const Source = ({ source }: { source: ReviewSource }) => (
  <li>
    <p>
      <Text of={source.content} />
    </p>
    {source.turns.length === 0 ? <p class="soft">Its turns have been deleted.</p> : null}
    {source.turns.map((turn) => (
      <blockquote class="proof">
        <cite class="soft">
          {visible(turn.role)}
          {turn.userId === null ? "" : ` (${visible(turn.userId)})`}
        </cite>
        {visible(turn.content)}
      </blockquote>
    ))}
    {source.turns.length > 0 && source.moreTurns > 0 ? (
      <p class="soft">{plural(source.moreTurns, "more turn")} deleted or not shown.</p>
    ) : null}
  </li>
);

const Sources = ({ rule }: { rule: ReviewRule }) => {
  const count = rule.sources.length + rule.moreSources;
  if (count === 0) return <p class="soft">It has no sources: somebody wrote it.</p>;
  return (
    <details open={rule.playbookStatus === "pending"}>
      <summary>{plural(count, "source")} and the turns that prove them</summary>
      <ul class="plain stack">
        {rule.sources.map((source) => (
          <Source source={source} />
        ))}
      </ul>
      {rule.moreSources > 0 ? (
        <p class="soft">
          and {rule.moreSources} more: <code>GET /api/agent_playbooks/{rule.agentPlaybookId}/evidence</code>
        </p>
      ) : null}
    </details>
  );
};

export const RuleCard = ({ rule, scope }: { rule: ReviewRule; scope: RequestScope }) => {
  const headingId = `rule-${rule.agentPlaybookId}-when`;
  const { scopes } = scope.principal;
  const canReview = scopes.includes("review");
  const canEdit = scopes.includes("write") && (rule.playbookStatus !== "approved" || canReview);
  return (
    <article class="card" id={`rule-${rule.agentPlaybookId}`} data-item aria-labelledby={headingId}>
      <p class="soft">
        #{rule.agentPlaybookId} for {visible(rule.agentVersion)}
        {rule.users === 0 ? "" : `, taught by ${plural(rule.users, "user")}`}
        {rule.decidedBy === null ? "" : `, ${rule.playbookStatus} by ${visible(rule.decidedBy)}`}
      </p>
      <h2 id={headingId}>When: {visible(rule.trigger ?? "always")}</h2>
      <dl>
        <dt>Do</dt>
        <dd>{visible(rule.content)}</dd>
        {rule.rationale === null ? null : (
          <>
            <dt>Why</dt>
            <dd>{visible(rule.rationale)}</dd>
          </>
        )}
      </dl>
      {rule.flags.length === 0 ? null : (
        <ul class="badges" aria-label="Warnings">
          {rule.flags.map((flag) => (
            <li>
              <Badge tone="warn">⚠ {flagText[flag] ?? flag}</Badge>
            </li>
          ))}
        </ul>
      )}
      <Sources rule={rule} />
      {canReview ? (
        <div class="actions">
          {rule.playbookStatus === "approved" ? null : (
            <Decision rule={rule} to="approved" label="Approve" tone="good" keyName="a" />
          )}
          {rule.playbookStatus === "rejected" ? null : (
            <Decision rule={rule} to="rejected" label="Reject" tone="bad" keyName="r" />
          )}
          {rule.playbookStatus === "pending" ? null : (
            <Decision rule={rule} to="pending" label="Back to review" tone="" />
          )}
        </div>
      ) : null}
      {canEdit ? <Edit rule={rule} /> : null}
    </article>
  );
};
