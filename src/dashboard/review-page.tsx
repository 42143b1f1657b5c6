/** The review page: agent playbooks beside their sources and the turns that prove them. */
import { Layout } from "./layout";
import { visible } from "./visible";

export interface ReviewTurn {
  role: string;
  content: string;
  /** The publisher's name, where the reader may see it. */
  userId: string | null;
}

export interface ReviewSource {
  userPlaybookId: number;
  trigger: string | null;
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

export interface ReviewPageProps {
  nonce: string;
  status: "pending" | "approved" | "rejected";
  rules: ReviewRule[];
  /** Whether there are older rules than those shown. */
  hasMore: boolean;
  canReview: boolean;
  canEdit: boolean;
  /** What the last action did. */
  notice: string | null;
}

const STATUSES = ["pending", "approved", "rejected"] as const;

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
};

const Decision = ({
  rule,
  to,
  label,
  tone,
}: {
  rule: ReviewRule;
  to: string;
  label: string;
  tone: string;
}) => (
  <form method="post" action="/desk/decide">
    <input type="hidden" name="agent_playbook_id" value={String(rule.agentPlaybookId)} />
    <input type="hidden" name="version" value={String(rule.version)} />
    <input type="hidden" name="playbook_status" value={to} />
    <button type="submit" class={tone} aria-label={`${label} rule #${rule.agentPlaybookId}`}>
      {label}
    </button>
  </form>
);

const Field = ({ name, label, value, id }: { name: string; label: string; value: string; id: number }) => (
  <>
    <label for={`${name}-${id}`}>{label}</label>
    <textarea id={`${name}-${id}`} name={name} rows={3}>
      {value}
    </textarea>
  </>
);

const Edit = ({ rule }: { rule: ReviewRule }) => (
  <details>
    <summary aria-label={`Edit rule #${rule.agentPlaybookId}`}>Edit</summary>
    <form method="post" action="/desk/edit">
      <input type="hidden" name="agent_playbook_id" value={String(rule.agentPlaybookId)} />
      <input type="hidden" name="version" value={String(rule.version)} />
      <Field name="trigger" label="When" value={rule.trigger ?? ""} id={rule.agentPlaybookId} />
      <Field name="content" label="Do" value={rule.content} id={rule.agentPlaybookId} />
      <Field name="rationale" label="Why" value={rule.rationale ?? ""} id={rule.agentPlaybookId} />
      <button type="submit">Save</button>
    </form>
  </details>
);

const Source = ({ source }: { source: ReviewSource }) => (
  <li>
    <p>{visible(source.content)}</p>
    {source.turns.length === 0 ? <p class="soft">Its turns have been deleted.</p> : null}
    {source.turns.map((turn) => (
      <blockquote>
        <cite class="soft">
          {visible(turn.role)}
          {turn.userId === null ? "" : ` (${visible(turn.userId)})`}
        </cite>
        {visible(turn.content)}
      </blockquote>
    ))}
    {source.turns.length > 0 && source.moreTurns > 0 ? (
      <p class="soft">{source.moreTurns} of its turns are deleted or not shown.</p>
    ) : null}
  </li>
);

const people = (count: number): string => (count === 1 ? "1 user" : `${count} users`);

const Sources = ({ rule }: { rule: ReviewRule }) => {
  const count = rule.sources.length + rule.moreSources;
  if (count === 0) return <p class="soft">It has no sources: somebody wrote it.</p>;
  return (
    <details open={rule.playbookStatus === "pending"}>
      <summary>{count === 1 ? "1 source and its turns" : `${count} sources and their turns`}</summary>
      <ul class="sources">
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

const Decisions = ({ rule }: { rule: ReviewRule }) => (
  <div class="actions">
    {rule.playbookStatus === "approved" ? null : (
      <Decision rule={rule} to="approved" label="Approve" tone="good" />
    )}
    {rule.playbookStatus === "rejected" ? null : (
      <Decision rule={rule} to="rejected" label="Reject" tone="bad" />
    )}
    {rule.playbookStatus === "pending" ? null : (
      <Decision rule={rule} to="pending" label="Back to review" tone="" />
    )}
  </div>
);

const Rule = ({ rule, canReview, canEdit }: { rule: ReviewRule; canReview: boolean; canEdit: boolean }) => {
  const headingId = `rule-${rule.agentPlaybookId}-when`;
  return (
    <article class="card" id={`rule-${rule.agentPlaybookId}`} aria-labelledby={headingId}>
      <p class="soft">
        #{rule.agentPlaybookId} for {visible(rule.agentVersion)}
        {rule.users === 0 ? "" : `, taught by ${people(rule.users)}`}
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
        <ul class="flags" aria-label="Warnings">
          {rule.flags.map((flag) => (
            <li>⚠ {flagText[flag] ?? flag}</li>
          ))}
        </ul>
      )}
      <Sources rule={rule} />
      {canReview ? <Decisions rule={rule} /> : null}
      {canEdit ? <Edit rule={rule} /> : null}
    </article>
  );
};

const emptyText: Record<ReviewPageProps["status"], string> = {
  pending:
    "Nothing waits for review. Rules appear here after conversations of at least two users were published and aggregated: POST /api/publish_interaction, then POST /api/run_playbook_aggregation.",
  approved: "No rule is approved yet. Approve one under “pending” and agents will be served it.",
  rejected: "No rule was rejected.",
};

const ReviewPage = ({ nonce, status, rules, hasMore, canReview, canEdit, notice }: ReviewPageProps) => (
  <Layout title={`Playmaker: ${status} rules`} nonce={nonce}>
    <header>
      <h1>What agents have learned</h1>
      <nav aria-label="Rules by decision">
        {STATUSES.map((each) => (
          <a href={`/?status=${each}`} aria-current={each === status ? "page" : undefined}>
            {each}
          </a>
        ))}
        <a href="/openapi.json">API</a>
      </nav>
    </header>
    <main>
      {notice === null ? null : (
        <p class="card notice" role="status">
          {visible(notice)}
        </p>
      )}
      {canReview ? null : <p class="soft">This key may read rules but not decide on them.</p>}
      {rules.length === 0 ? <p class="card">{emptyText[status]}</p> : null}
      {rules.map((rule) => (
        <Rule rule={rule} canReview={canReview} canEdit={canEdit} />
      ))}
      {hasMore ? (
        <p class="soft">The newest {rules.length} are shown; decide on them to see older ones.</p>
      ) : null}
    </main>
  </Layout>
);

/** The whole document as text. */
export const renderReviewPage = (props: ReviewPageProps): string =>
  `<!doctype html>${(<ReviewPage {...props} />).toString()}`;
