/** The review page: agent playbooks beside their sources and the turns that prove them; and one rule alone. */
import type { Child } from "hono/jsx";
import type { Reply, RequestScope } from "../../http/route";
import { type ApprovalStatus, approvalStatuses } from "../../playbooks/model";
import { CheckField, Form, TextField } from "../fields";
import { page } from "../frame";
import { Empty, grouped, hrefOf, Pager, Refused, Tabs } from "../parts";
import { visible } from "../visible";
import { Help, HelpButton } from "./help";
import type { ReviewQueue, ReviewRule } from "./queue";
import { type RefusedEdit, RuleCard } from "./rule-card";

export interface QueueQuery {
  status: ApprovalStatus;
  q: string;
  version: string;
  /** Flagged rules only. */
  flagged: boolean;
  /** Cursor of the page shown, as it stands in the address. */
  before: string;
}

const statusLabel: Record<ApprovalStatus, string> = {
  pending: "Pending",
  approved: "Approved",
  rejected: "Rejected",
};

const hrefOfQueue = ({ status, q, version, flagged, before }: QueueQuery): string =>
  hrefOf("/", { status, q, version, flagged: flagged ? "on" : undefined, before });

const Filters = ({ query }: { query: QueueQuery }) => (
  <search>
    <form method="get" action="/" class="filters">
      <input type="hidden" name="status" value={query.status} />
      <div>
        <label for="filter-q">Words</label>
        <input id="filter-q" type="search" name="q" value={query.q} maxlength={500} data-key="/" />
      </div>
      <TextField name="version" label="Agent version" value={query.version} idPrefix="filter" />
      <div>
        <CheckField name="flagged" label="Flagged only" isChecked={query.flagged} />
      </div>
      <button type="submit">Search</button>
    </form>
  </search>
);

const Nothing = ({ query }: { query: QueueQuery }) => {
  if (query.q !== "" || query.version !== "" || query.flagged) {
    return (
      <Empty title="No rule fits">
        <p>
          Nothing under “{statusLabel[query.status].toLowerCase()}” matches.{" "}
          <a href={hrefOf("/", { status: query.status })}>Show all of them</a>
        </p>
      </Empty>
    );
  }
  if (query.status !== "pending") {
    return (
      <Empty title={query.status === "approved" ? "No rule is approved yet" : "No rule was rejected"}>
        <p>
          {query.status === "approved"
            ? "Approve one under “Pending” and agents of its version are told it from then on."
            : "Rejected rules are kept here, so that the same lesson does not come back unnoticed."}
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing waits for review">
      <p>
        Rules appear here after conversations of at least two users were published and aggregated. To see it
        happen on this machine, run <code>npm run demo -- --keep</code>; from your own agent:
      </p>
      <pre>{"POST /api/publish_interaction\nPOST /api/run_playbook_aggregation"}</pre>
    </Empty>
  );
};

/** Decisions on all that is ticked; what they would do is shown once more before it is done. */
const BulkBar = ({ status, from }: { status: ApprovalStatus; from: string }) => (
  <Form action="/desk/bulk" id="bulk" class="bulkbar">
    <input type="hidden" name="from" value={from} />
    <div class="row" data-selection="rules">
      <label class="check js-only">
        <input type="checkbox" data-select-all />
        <span>All</span>
      </label>
      <p data-selected class="soft" aria-live="polite">
        Tick rules to decide on several
      </p>
    </div>
    {approvalStatuses
      .filter((to) => to !== status)
      .map((to) => (
        <button type="submit" name="to" value={to} class="small">
          {to === "approved" ? "Approve" : to === "rejected" ? "Reject" : "Back to review"} selected…
        </button>
      ))}
  </Form>
);

export interface ReviewPageProps {
  query: QueueQuery;
  queue: ReviewQueue;
  /** What the last action did. */
  notice: Child | null;
  fault: string | null;
}

export function reviewPage(scope: RequestScope, { query, queue, notice, fault }: ReviewPageProps): Reply {
  const from = hrefOfQueue(query);
  const canReview = scope.principal.scopes.includes("review");
  const { next } = queue;
  return page(scope, {
    title: "What agents have learned",
    current: "/",
    aside: <HelpButton />,
    status: fault === null ? 200 : 422,
    children: (
      <>
        <Tabs
          label="Rules by decision"
          tabs={approvalStatuses.map((status) => ({
            href: hrefOfQueue({ ...query, status, before: "" }),
            label: (
              <>
                {statusLabel[status]} <span class="count">{grouped(queue.counts[status])}</span>
              </>
            ),
            isCurrent: status === query.status,
          }))}
        />
        <Filters query={query} />
        {fault === null ? null : <Refused message={fault} />}
        {notice}
        {canReview ? null : <p class="soft">This key may read rules but not decide on them.</p>}
        {queue.rules.length === 0 ? <Nothing query={query} /> : null}
        {queue.rules.map((rule) => (
          <RuleCard rule={rule} scope={scope} from={from} isTickable />
        ))}
        <Pager
          newer={query.before === "" ? undefined : hrefOfQueue({ ...query, before: "" })}
          older={
            next === null
              ? undefined
              : hrefOfQueue({ ...query, before: `${next.createdAt}-${next.agentPlaybookId}` })
          }
        />
        {canReview && queue.rules.length > 1 ? <BulkBar status={query.status} from={from} /> : null}
        <Help />
      </>
    ),
  });
}

export interface RulePageProps {
  rule: ReviewRule;
  notice: Child | null;
  /** Why a decision or an edit was not taken, and with which status the page answers. */
  refused: { message: string; status: number; edit?: RefusedEdit } | null;
}

export const rulePage = (scope: RequestScope, { rule, notice, refused }: RulePageProps): Reply => {
  const { agent_playbook: row } = rule.evidence;
  return page(scope, {
    title: `Rule #${row.agent_playbook_id}`,
    current: "/",
    aside: <HelpButton />,
    intro: (
      <>
        <a href={hrefOf("/", { status: row.playbook_status })}>
          All {statusLabel[row.playbook_status].toLowerCase()} rules
        </a>{" "}
        of {visible(row.agent_version)} and others
      </>
    ),
    status: refused?.status ?? 200,
    children: (
      <>
        {refused === null ? null : <Refused message={refused.message} />}
        {notice}
        <RuleCard
          rule={rule}
          scope={scope}
          from={`/desk/rules/${row.agent_playbook_id}`}
          refused={refused?.edit}
        />
        <Help />
      </>
    ),
  });
};
