/** The review page: agent playbooks beside their sources and the turns that prove them. */
import type { Reply, RequestScope } from "../../http/route";
import { page } from "../frame";
import { Empty, grouped, Notice, Refused, Tabs } from "../parts";
import { visible } from "../visible";
import { type ReviewRule, RuleCard } from "./rule-card";

export const REVIEW_STATUSES = ["pending", "approved", "rejected"] as const;
export type ReviewStatus = (typeof REVIEW_STATUSES)[number];

export interface ReviewPageProps {
  status: ReviewStatus;
  rules: ReviewRule[];
  hasMore: boolean;
  /** What the last action did. */
  notice: string | null;
  /** Why the last form was not taken. */
  fault: string | null;
}

const Nothing = ({ status }: { status: ReviewStatus }) =>
  status === "pending" ? (
    <Empty title="Nothing waits for review">
      <p>
        Rules appear here after conversations of at least two users were published and aggregated. To see it
        happen on this machine, run <code>npm run demo -- --keep</code>; from your own agent:
      </p>
      <pre>{"POST /api/publish_interaction\nPOST /api/run_playbook_aggregation"}</pre>
    </Empty>
  ) : (
    <Empty title={status === "approved" ? "No rule is approved yet" : "No rule was rejected"}>
      <p>
        {status === "approved"
          ? "Approve one under “pending” and agents of its version are told it from then on."
          : "Rejected rules are kept here, so that the same lesson does not come back unnoticed."}
      </p>
    </Empty>
  );

export const reviewPage = (scope: RequestScope, props: ReviewPageProps): Reply =>
  page(scope, {
    title: "What agents have learned",
    current: "/",
    status: props.fault === null ? 200 : 409,
    children: (
      <>
        <Tabs
          label="Rules by decision"
          tabs={REVIEW_STATUSES.map((status) => ({
            href: `/?status=${status}`,
            label: status[0]?.toUpperCase() + status.slice(1),
            isCurrent: status === props.status,
          }))}
        />
        {props.fault === null ? null : <Refused message={props.fault} />}
        {props.notice === null ? null : (
          <Notice>
            <p>{visible(props.notice)}</p>
          </Notice>
        )}
        {scope.principal.scopes.includes("review") ? null : (
          <p class="soft">This key may read rules but not decide on them.</p>
        )}
        {props.rules.length === 0 ? <Nothing status={props.status} /> : null}
        {props.rules.map((rule) => (
          <RuleCard rule={rule} scope={scope} />
        ))}
        {props.hasMore ? <p class="soft">The newest {grouped(props.rules.length)} are shown.</p> : null}
      </>
    ),
  });
