/** Decisions on several rules: what they would do, listed once more; then what became of each. */
import type { Reply, RequestScope } from "../../http/route";
import type { BulkResult } from "../../playbooks/bulk-decisions";
import type { ApprovalStatus } from "../../playbooks/model";
import { Form } from "../fields";
import { page } from "../frame";
import { Badge, plural, Table } from "../parts";
import { visible } from "../visible";
import type { ReviewRule } from "./queue";
import { flagText } from "./words";

const verbs: Record<ApprovalStatus, { doing: string; button: string; tone: string }> = {
  approved: { doing: "Approve", button: "Approve", tone: "good" },
  rejected: { doing: "Reject", button: "Reject", tone: "bad" },
  pending: { doing: "Send back to review", button: "Send back", tone: "main" },
};

export interface BulkPageProps {
  to: ApprovalStatus;
  from: string;
  rules: readonly ReviewRule[];
  /** The versions that were ticked, by rule. */
  versions: ReadonlyMap<number, number>;
}

const Consequence = ({ rule, to, ticked }: { rule: ReviewRule; to: ApprovalStatus; ticked: number }) => {
  const { agent_playbook: row, replaces } = rule.evidence;
  const notes: string[] = [];
  if (row.version !== ticked) notes.push("has changed since you ticked it: it will be left alone");
  else if (row.playbook_status === to) notes.push(`is ${to} already`);
  if (to === "approved" && replaces?.playbook_status === "approved" && replaces.status === null) {
    notes.push(`takes rule #${replaces.agent_playbook_id} out of service`);
  }
  return <>{notes.join("; ")}</>;
};

export function bulkPage(scope: RequestScope, { to, from, rules, versions }: BulkPageProps): Reply {
  const { doing, button, tone } = verbs[to];
  const flagged = rules.filter(({ evidence }) => evidence.agent_playbook.flags.length > 0).length;
  return page(scope, {
    title: `${doing} ${plural(rules.length, "rule")}?`,
    current: "/",
    intro:
      flagged === 0
        ? "Nothing has been decided yet."
        : `Nothing has been decided yet. ${plural(flagged, "of them carries a warning", "of them carry warnings")}.`,
    children: (
      <Form action="/desk/bulk/confirm">
        <input type="hidden" name="from" value={from} />
        <input type="hidden" name="to" value={to} />
        {[...versions].map(([id, version]) => (
          <input type="hidden" name={`rule-${id}`} value={String(version)} />
        ))}
        <div class="card">
          <Table
            caption="The rules that were ticked"
            rows={rules}
            columns={[
              {
                heading: "Rule",
                cell: ({ evidence: { agent_playbook: row } }) => `#${row.agent_playbook_id}`,
              },
              {
                heading: "When and what",
                isText: true,
                cell: ({ evidence: { agent_playbook: row } }) => (
                  <>
                    <strong>{visible(row.trigger ?? "always")}</strong>
                    <br />
                    {visible(row.content)}
                  </>
                ),
              },
              { heading: "Users", isNumber: true, cell: ({ evidence }) => evidence.user_count },
              {
                heading: "Warnings",
                isText: true,
                cell: ({ evidence: { agent_playbook: row } }) =>
                  row.flags.map((flag) => (
                    <>
                      <Badge tone="warn">⚠ {flagText[flag]}</Badge>{" "}
                    </>
                  )),
              },
              {
                heading: "Note",
                isText: true,
                cell: (rule) => (
                  <Consequence
                    rule={rule}
                    to={to}
                    ticked={versions.get(rule.evidence.agent_playbook.agent_playbook_id) ?? 0}
                  />
                ),
              },
            ]}
          />
        </div>
        <div class="actions">
          <button type="submit" class={tone}>
            {button} {plural(rules.length, "rule")}
          </button>
          <a class="button" href={from}>
            Cancel
          </a>
        </div>
      </Form>
    ),
  });
}

const tones = {
  done: "good",
  unchanged: undefined,
  overtaken: "warn",
  not_found: "warn",
  refused: "bad",
} as const;
const outcomes = {
  done: "done",
  unchanged: "already so",
  overtaken: "somebody was faster",
  not_found: "gone",
  refused: "refused",
} as const;

export const bulkResultPage = (
  scope: RequestScope,
  { from, results }: { from: string; results: readonly BulkResult[] },
): Reply =>
  page(scope, {
    title: `${results.filter(({ outcome }) => outcome === "done").length} of ${plural(results.length, "decision")} made`,
    current: "/",
    intro: "Each rule was decided on alone. What somebody else had changed meanwhile was left as it is.",
    children: (
      <>
        <div class="card">
          <Table
            caption="What became of each"
            rows={results}
            columns={[
              {
                heading: "Rule",
                cell: ({ agentPlaybookId: id }) => <a href={`/desk/rules/${id}`}>#{id}</a>,
              },
              {
                heading: "Outcome",
                cell: ({ outcome }) => <Badge tone={tones[outcome]}>{outcomes[outcome]}</Badge>,
              },
              { heading: "What happened", isText: true, cell: ({ message }) => visible(message) },
            ]}
          />
        </div>
        <p>
          <a href={from}>Back to the list</a>
        </p>
      </>
    ),
  });
