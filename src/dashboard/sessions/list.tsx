/** The list of sessions, newest first, with what was learned from each. */
import type { Reply, RequestScope } from "../../http/route";
import { countLessons, loadSessionFacts } from "../../interactions/session-facts-store";
import {
  MAX_COUNTED_TURNS,
  type NewestCall,
  type SessionSummary,
  searchSessions,
  summariseSessions,
} from "../../interactions/session-store";
import { TextField } from "../fields";
import { page } from "../frame";
import { Badge, Empty, grouped, hrefOf, Pager, Table, Time } from "../parts";
import { peopleOf } from "../people";
import { visible } from "../visible";
import { PATH, sessionHref } from "./href";
import { stretchesOf } from "./stretches";
import { sessionStateOf, stateText, type TurnState } from "./turn-state";

const PAGE_SESSIONS = 25;
/** Characters of a session's name in the list. */
const MAX_SESSION_CHARS = 80;
/** Characters of a user or version there. */
const MAX_NAME_CHARS = 40;

export interface SessionFilters {
  version?: string | undefined;
  user?: string | undefined;
  before?: number | undefined;
}

interface SessionRow {
  call: NewestCall;
  summary: SessionSummary;
  lessons: number;
  state: TurnState;
}

async function rowsOf(scope: RequestScope, calls: readonly NewestCall[]): Promise<SessionRow[]> {
  const { db, orgId, services } = scope;
  const summaries = await summariseSessions(
    db,
    orgId,
    calls.map(({ sessionId }) => sessionId),
  );
  const stretches = stretchesOf(summaries);
  const [facts, lessons] = await Promise.all([
    loadSessionFacts(db, orgId, stretches),
    countLessons(db, orgId, stretches),
  ]);
  const summaryOf = new Map(summaries.map((summary) => [summary.sessionId, summary]));
  const nowMs = services.clock.nowMs();
  return calls.flatMap((call) => {
    const summary = summaryOf.get(call.sessionId);
    if (summary === undefined) return [];
    const known = facts.get(call.sessionId);
    const count = lessons.get(call.sessionId) ?? 0;
    const state = sessionStateOf(known === undefined ? null : { ...known, nowMs }, count);
    return [{ call, summary, lessons: count, state }];
  });
}

const shortened = (text: string, maxChars = MAX_NAME_CHARS): string => {
  const characters = [...text];
  return characters.length <= maxChars ? text : `${characters.slice(0, maxChars).join("")}…`;
};

const Sessions = ({ rows, mayNameUsers }: { rows: readonly SessionRow[]; mayNameUsers: boolean }) => {
  const nameOf = peopleOf(
    rows.map(({ call }) => call.userId),
    mayNameUsers,
  );
  return (
    <Table
      caption="Sessions, newest first"
      rows={rows}
      columns={[
        {
          heading: "Session",
          isText: true,
          cell: ({ call }) => (
            <a href={sessionHref(call.sessionId)}>{visible(shortened(call.sessionId, MAX_SESSION_CHARS))}</a>
          ),
        },
        {
          heading: "With",
          cell: ({ call, summary }) =>
            `${visible(shortened(nameOf(call.userId)))}${summary.users > 1 ? ` and ${summary.users - 1} more` : ""}`,
        },
        {
          heading: "Agent version",
          cell: ({ call, summary }) =>
            `${visible(shortened(call.agentVersion)) || "none"}${
              summary.agentVersions > 1 ? ` and ${summary.agentVersions - 1} more` : ""
            }`,
        },
        {
          heading: "Turns",
          isNumber: true,
          cell: ({ summary }) => `${grouped(summary.turns)}${summary.turns === MAX_COUNTED_TURNS ? "+" : ""}`,
        },
        { heading: "Rules", isNumber: true, cell: ({ lessons }) => grouped(lessons) },
        {
          heading: "Learning",
          cell: ({ state }) => <Badge tone={stateText[state].tone}>{stateText[state].label}</Badge>,
        },
        {
          heading: "Last call",
          cell: ({ call }) => (
            <span class="nowrap">
              <Time sec={call.createdAt} />
            </span>
          ),
        },
      ]}
    />
  );
};

const FilterForm = ({ filters, mayNameUsers }: { filters: SessionFilters; mayNameUsers: boolean }) => (
  <search>
    <form method="get" action={PATH} class="filters">
      <TextField name="session" label="Go to session" type="search" />
      <TextField name="version" label="Agent version" value={filters.version} />
      {mayNameUsers ? <TextField name="user" label="User" value={filters.user} /> : null}
      <button type="submit">Show</button>
    </form>
  </search>
);

const Nothing = ({ filters, goesOn }: { filters: SessionFilters; goesOn: boolean }) => {
  if (goesOn) {
    return (
      <Empty title="None among the calls looked at">
        <p>Few sessions meet this filter. Older calls have not been looked at yet: go on below.</p>
      </Empty>
    );
  }
  return filters.version !== undefined || filters.user !== undefined || filters.before !== undefined ? (
    <Empty title="No session meets this filter">
      <p>
        <a href={PATH}>Show all of them</a>, or ask for another one.
      </p>
    </Empty>
  ) : (
    <Empty title="No conversation was published yet">
      <p>
        Send the turns of a conversation and they appear here, each beside what was learned from it. On this
        machine, <code>npm run demo -- --keep</code> publishes some.
      </p>
      <pre>{`POST /api/publish_interaction
{ "user_id": "ann", "session_id": "s-1", "agent_version": "v1",
  "interaction_data_list": [{ "role": "User", "content": "…" }] }`}</pre>
    </Empty>
  );
};

/** Reads and shows one page. */
export async function listPage(scope: RequestScope, filters: SessionFilters): Promise<Reply> {
  const mayNameUsers = scope.principal.scopes.includes("review");
  const { calls, next } = await searchSessions(scope.db, scope.orgId, {
    userId: filters.user,
    agentVersion: filters.version,
    before: filters.before,
    limit: PAGE_SESSIONS,
  });
  const rows = await rowsOf(scope, calls);
  const here = (before?: number) => hrefOf(PATH, { version: filters.version, user: filters.user, before });
  return page(scope, {
    title: "Sessions",
    current: PATH,
    isWide: true,
    intro: "Conversations that were published, each with the rules that were learned from its turns.",
    children: (
      <>
        <FilterForm filters={filters} mayNameUsers={mayNameUsers} />
        {rows.length === 0 ? <Nothing filters={filters} goesOn={next !== null} /> : null}
        {rows.length === 0 ? null : (
          <div class="card">
            <Sessions rows={rows} mayNameUsers={mayNameUsers} />
          </div>
        )}
        <Pager
          newer={filters.before === undefined ? undefined : here()}
          older={next === null ? undefined : here(next)}
        />
      </>
    ),
  });
}
