/** The page of one session: its turns in order, and beside each what was learned from it. */
import type { Reply, RequestScope } from "../../http/route";
import { loadSessionFacts } from "../../interactions/session-facts-store";
import {
  MAX_COUNTED_TURNS,
  MAX_SUMMARY_CALLS,
  type SessionSummary,
  summariseSessions,
} from "../../interactions/session-store";
import { loadSessionTurns, type SessionTurn, type TurnPage } from "../../interactions/session-turns-store";
import { loadTurnLearning, type TurnLearning } from "../../interactions/turn-learning-store";
import { derivedId } from "../../platform/ids";
import { page } from "../frame";
import { Badge, Empty, grouped, hrefOf, plural, Time } from "../parts";
import { peopleOf } from "../people";
import { visible } from "../visible";
import { PATH, sessionHref } from "./href";
import { stretchesOf, stretchesOfTurns } from "./stretches";
import { revocationHref, type ShownTurn, TurnCard } from "./turn";
import { sessionStateOf, stateText, turnStateOf } from "./turn-state";

const PAGE_TURNS = 50;
/** Users whom the summary names. */
const MAX_NAMED_USERS = 5;

/** Who replays a dead letter is shown the way; to others the state says enough. */
async function deadLetterHrefOf(scope: RequestScope, windowId: string | null): Promise<string | null> {
  if (windowId === null || !scope.principal.scopes.includes("admin")) return null;
  return `${hrefOf("/desk/dead-letters", {})}#letter-${await derivedId("dead", [scope.orgId, windowId])}`;
}

async function shownTurns(
  scope: RequestScope,
  turns: readonly SessionTurn[],
  learning: TurnLearning,
): Promise<ShownTurn[]> {
  const mayReview = scope.principal.scopes.includes("review");
  const nowMs = scope.services.clock.nowMs();
  const people = turns.map(({ userId }) => userId);
  const nameOf = peopleOf(people, mayReview);
  const isShared = new Set(people).size > 1;
  return Promise.all(
    turns.map(async (turn): Promise<ShownTurn> => {
      const { state, windowId } = turnStateOf({ ...turn, nowMs }, learning);
      return {
        turn,
        state,
        who: isShared ? nameOf(turn.userId) : null,
        deadLetterHref: await deadLetterHrefOf(scope, windowId),
        lessons: learning.lessons.filter(
          ({ interactionId, userId }) => interactionId === turn.interactionId && userId === turn.userId,
        ),
        revokeHref: mayReview && state !== "revoked" ? revocationHref(turn) : null,
      };
    }),
  );
}

const Summary = ({
  summary,
  turns,
  state,
  mayNameUsers,
}: {
  summary: SessionSummary;
  turns: readonly SessionTurn[];
  state: keyof typeof stateText;
  mayNameUsers: boolean;
}) => {
  const users = [...new Set(turns.map(({ userId }) => userId))];
  const people = users.slice(0, MAX_NAMED_USERS).map(peopleOf(users, mayNameUsers));
  const versions = [...new Set(turns.map(({ agentVersion }) => agentVersion))];
  const { label, tone, meaning } = stateText[state];
  return (
    <div class="card">
      <dl>
        <dt>Turns</dt>
        <dd>
          {grouped(summary.turns)}
          {summary.turns === MAX_COUNTED_TURNS ? " or more" : ""} in {plural(summary.calls, "call")}
          {summary.calls === MAX_SUMMARY_CALLS ? " or more" : ""}
        </dd>
        <dt>With</dt>
        <dd>
          {people.map((name) => visible(name)).join(", ")}
          {summary.users > people.length ? ` and ${summary.users - people.length} more` : ""}
        </dd>
        <dt>Agent version</dt>
        <dd>{versions.map((version) => visible(version) || "none").join(", ")}</dd>
        <dt>Begun</dt>
        <dd>
          <Time sec={summary.startedAt} />
        </dd>
        <dt>Learning</dt>
        <dd>
          <Badge tone={tone}>{label}</Badge> <span class="soft">{meaning}</span>
        </dd>
      </dl>
    </div>
  );
};

const Pages = ({ sessionId, turns: { hasEarlier, next } }: { sessionId: string; turns: TurnPage }) =>
  !hasEarlier && next === null ? null : (
    <nav class="pager" aria-label="More turns">
      {hasEarlier ? <a href={sessionHref(sessionId)}>← First turns</a> : <span />}
      {next === null ? <span /> : <a href={sessionHref(sessionId, { from: next })}>Next turns →</a>}
    </nav>
  );

const title = (sessionId: string): string => `Session ${visible([...sessionId].slice(0, 120).join(""))}`;

const gonePage = (scope: RequestScope, sessionId: string): Reply =>
  page(scope, {
    title: title(sessionId),
    current: PATH,
    status: 404,
    aside: <a href={PATH}>All sessions</a>,
    children: (
      <Empty title="There is no such session">
        <p>Nothing was published under this name, or its turns have been deleted.</p>
      </Empty>
    ),
  });

export interface SessionPageProps {
  sessionId: string;
  /** The first turn of the page, or one that the page is to show. */
  from?: number | undefined;
  turn?: number | undefined;
}

/** Reads and shows one page of a session. */
export async function sessionPage(scope: RequestScope, props: SessionPageProps): Promise<Reply> {
  const { db, orgId, services } = scope;
  const { sessionId } = props;
  const [[summary], turns] = await Promise.all([
    summariseSessions(db, orgId, [sessionId]),
    loadSessionTurns(
      db,
      orgId,
      sessionId,
      { from: props.from ?? null, around: props.turn ?? null },
      PAGE_TURNS,
    ),
  ]);
  if (summary === undefined) return gonePage(scope, sessionId);
  const [learning, facts] = await Promise.all([
    loadTurnLearning(db, orgId, turns.turns, stretchesOfTurns(turns.turns)),
    loadSessionFacts(db, orgId, stretchesOf([summary])),
  ]);
  const known = facts.get(sessionId);
  const state = sessionStateOf(
    known === undefined ? null : { ...known, nowMs: services.clock.nowMs() },
    learning.lessons.length,
  );
  const shown = await shownTurns(scope, turns.turns, learning);
  return page(scope, {
    title: title(sessionId),
    current: PATH,
    isWide: true,
    aside: <a href={PATH}>All sessions</a>,
    children: (
      <>
        <Summary
          summary={summary}
          turns={turns.turns}
          state={state}
          mayNameUsers={scope.principal.scopes.includes("review")}
        />
        <h2>Turns, and what was learned from each</h2>
        {shown.length === 0 ? <p>No turn is left here.</p> : null}
        <ol class="plain">
          {shown.map((turn) => (
            <TurnCard {...turn} />
          ))}
        </ol>
        <Pages sessionId={sessionId} turns={turns} />
      </>
    ),
  });
}
