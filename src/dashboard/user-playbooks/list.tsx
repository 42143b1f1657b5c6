/** The list of user playbooks, newest first. */
import type { Reply, RequestScope } from "../../http/route";
import { flags } from "../../playbooks/model";
import {
  type ListedUserPlaybook,
  lifecycleViews,
  searchUserPlaybooks,
  versionsOfUserPlaybooks,
} from "../../playbooks/user-list-store";
import { SelectField, TextField } from "../fields";
import { page } from "../frame";
import { Badge, Empty, Notice, Pager, plural, Text, Time } from "../parts";
import { peopleOf } from "../people";
import { flagText } from "../review/words";
import { visible } from "../visible";
import { type Filters, isNarrowed, listHref, PATH, ruleHref } from "./filters";
import { type Outcome, outcomeText, stateOf, viewText } from "./words";

/** Rules of one page, and agent versions to choose from. */
const PAGE_RULES = 25;
const MAX_VERSIONS = 100;

const FilterForm = ({
  filters,
  versions,
  mayNameUsers,
}: {
  filters: Filters;
  versions: readonly string[];
  mayNameUsers: boolean;
}) => {
  const chosen = filters.version ?? "";
  const named = versions.filter((version) => version !== "");
  const known = chosen === "" || named.includes(chosen) ? named : [chosen, ...named];
  return (
    <search>
      <form method="get" action={PATH} class="filters many">
        <TextField name="q" label="Words" type="search" value={filters.q} />
        <SelectField
          name="status"
          label="State"
          value={filters.status}
          options={lifecycleViews.map((view) => ({ value: view, label: viewText[view] }))}
        />
        <SelectField
          name="flag"
          label="Warnings"
          value={filters.flag ?? ""}
          options={[
            { value: "", label: "any or none" },
            { value: "any", label: "any warning" },
            ...flags.map((flag) => ({ value: flag, label: flagText[flag] })),
          ]}
        />
        <SelectField
          name="version"
          label="Agent version"
          value={chosen}
          options={[
            { value: "", label: "all" },
            ...known.map((version) => ({ value: version, label: visible(version) })),
          ]}
        />
        {mayNameUsers ? <TextField name="user" label="User" value={filters.user} /> : null}
        <button type="submit">Filter</button>
      </form>
    </search>
  );
};

const RuleItem = ({ rule, who }: { rule: ListedUserPlaybook; who: string }) => {
  const { label, tone } = stateOf(rule.status);
  const headingId = `rule-${rule.userPlaybookId}`;
  return (
    <article class="card" data-item aria-labelledby={headingId}>
      <p class="soft">
        #{rule.userPlaybookId} from {visible(who)} for {visible(rule.agentVersion) || "no version"},{" "}
        <Time sec={rule.createdAt} />
      </p>
      <h2 id={headingId}>
        <a class="quiet" href={ruleHref(rule.userPlaybookId)}>
          When: {visible(rule.trigger ?? "always")}
        </a>
      </h2>
      <p>
        <Text of={rule.content} />
      </p>
      {rule.sourceSpan === null || rule.sourceSpan === "" ? null : (
        <blockquote class="proof">
          <cite class="soft">In the user's conversation</cite>
          {visible(rule.sourceSpan)}
        </blockquote>
      )}
      <ul class="badges" aria-label="State and warnings">
        <li>
          <Badge tone={tone}>{label}</Badge>
        </li>
        {rule.successorId === null ? null : (
          <li>
            <a href={ruleHref(rule.successorId)}>by #{rule.successorId}</a>
          </li>
        )}
        {rule.flags.map((flag) => (
          <li>
            <Badge tone="warn">⚠ {flagText[flag]}</Badge>
          </li>
        ))}
        <li class="soft">
          {rule.turns === 0 ? "Somebody wrote it" : `Proved by ${plural(rule.turns, "turn")}`}
          {rule.supports === 0 ? "" : `, supports ${plural(rule.supports, "agent playbook")}`}
        </li>
      </ul>
    </article>
  );
};

const Nothing = ({ filters, goesOn }: { filters: Filters; goesOn: boolean }) => {
  if (goesOn) {
    return (
      <Empty title="None among the rules looked at">
        <p>Few rules meet this filter. Older ones have not been looked at yet: go on below.</p>
      </Empty>
    );
  }
  return isNarrowed(filters) || filters.before !== undefined ? (
    <Empty title="No rule meets this filter">
      <p>
        <a href={PATH}>Show all of them</a>, or ask for other words.
      </p>
    </Empty>
  ) : (
    <Empty title="Nothing was learned yet">
      <p>
        Publish conversations and rules appear here, each beside the turns that prove it. How far learning has
        come stands under <a href="/desk/sessions">Sessions</a>.
      </p>
      <pre>POST /api/publish_interaction</pre>
    </Empty>
  );
};

export interface ListProps {
  filters: Filters;
  done: { outcome: Outcome; userPlaybookId: number } | null;
}

/** Reads and shows one page. */
export async function listPage(scope: RequestScope, { filters, done }: ListProps): Promise<Reply> {
  const mayNameUsers = scope.principal.scopes.includes("review");
  const [{ rows, next }, versions] = await Promise.all([
    searchUserPlaybooks(scope.db, scope.orgId, {
      agentVersion: filters.version,
      userId: filters.user,
      lifecycle: filters.status,
      flag: filters.flag,
      query: filters.q,
      before: filters.before,
      limit: PAGE_RULES,
    }),
    versionsOfUserPlaybooks(scope.db, scope.orgId, MAX_VERSIONS),
  ]);
  const nameOf = peopleOf(
    rows.map(({ userId }) => userId),
    mayNameUsers,
  );
  return page(scope, {
    title: "User playbooks",
    current: PATH,
    isWide: true,
    intro:
      "What one user at a time has taught. Such a rule serves its own user at once; what several users teach becomes an agent playbook and waits for review.",
    children: (
      <>
        {done === null ? null : (
          <Notice>
            <p>
              User playbook #{done.userPlaybookId} {outcomeText[done.outcome]}
            </p>
          </Notice>
        )}
        <FilterForm filters={filters} versions={versions} mayNameUsers={mayNameUsers} />
        {rows.length === 0 ? <Nothing filters={filters} goesOn={next !== null} /> : null}
        {rows.map((rule) => (
          <RuleItem rule={rule} who={nameOf(rule.userId)} />
        ))}
        <Pager
          newer={filters.before === undefined ? undefined : listHref(filters)}
          older={next === null ? undefined : listHref(filters, next)}
        />
      </>
    ),
  });
}
