/** One turn of a conversation, and beside it what was learned from it. */
import type { SessionTurn } from "../../interactions/session-turns-store";
import type { Lesson } from "../../interactions/turn-learning-store";
import { lifecycleStatuses } from "../../playbooks/model";
import { Badge, grouped, hrefOf, plural, Time } from "../parts";
import { ruleHref } from "../user-playbooks/filters";
import { stateOf } from "../user-playbooks/words";
import { visible } from "../visible";
import { stateText, type TurnState } from "./turn-state";

/** Rules shown beside a turn. */
const MAX_SHOWN_LESSONS = 8;
/** Characters of a turn that stand open; a conversation is read by its short turns. */
const MAX_OPEN_CHARS = 1_000;

export interface ShownTurn {
  turn: SessionTurn;
  /** How the page calls its user; null where the whole page is of one user. */
  who: string | null;
  state: TurnState;
  /** Where the given up window can be replayed, for those who may. */
  deadLetterHref: string | null;
  lessons: Lesson[];
  /** Where the turn can be revoked, for those who may. */
  revokeHref: string | null;
}

/** A citation as a link where it names one of this org's kinds of rule by number; else its own words. */
const Citation = ({ citation }: { citation: SessionTurn["citations"][number] }) => {
  const { kind, realId, tag, title } = citation;
  const isRow = /^[1-9]\d{0,14}$/.test(realId);
  const words = title === "" ? "" : ` ${title}`;
  if (isRow && (kind === "agent_playbook" || tag === `ap-${realId}`)) {
    return (
      <>
        <a href={`/desk/rules/${realId}`}>Rule #{realId}</a>
        {visible(words)}
      </>
    );
  }
  if (isRow && (kind === "user_playbook" || tag === `up-${realId}`)) {
    return (
      <>
        <a href={ruleHref(Number(realId))}>User playbook #{realId}</a>
        {visible(words)}
      </>
    );
  }
  return <>{visible(`${kind} ${realId}${words}`)}</>;
};

const More = ({ count, shown }: { count: number; shown: number }) =>
  count > shown ? <> and {grouped(count - shown)} more</> : null;

/** What a turn carries beside its text. */
const Details = ({ turn }: { turn: SessionTurn }) => (
  <dl class="wrapping">
    {turn.action === null && turn.actionDescription === null ? null : (
      <>
        <dt>Action</dt>
        <dd>{visible([turn.action, turn.actionDescription].filter((text) => text !== null).join(": "))}</dd>
      </>
    )}
    {turn.image === null && turn.imageUrl === null ? null : (
      <>
        <dt>Image</dt>
        <dd>{visible(turn.imageUrl ?? turn.image ?? "")}</dd>
      </>
    )}
    {turn.tools.length === 0 ? null : (
      <>
        <dt>Tools used</dt>
        <dd>
          {turn.tools
            .map(({ name, status }) => visible(status === null ? name : `${name} (${status})`))
            .join(", ")}
          <More count={turn.toolCount} shown={turn.tools.length} />
        </dd>
      </>
    )}
    {turn.citations.length === 0 ? null : (
      <>
        <dt>Rules applied</dt>
        <dd>
          {turn.citations.map((citation, at) => (
            <>
              {at === 0 ? "" : ", "}
              <Citation citation={citation} />
            </>
          ))}
          <More count={turn.citationCount} shown={turn.citations.length} />
        </dd>
      </>
    )}
  </dl>
);

const hasDetails = (turn: SessionTurn): boolean =>
  turn.tools.length + turn.citations.length > 0 ||
  [turn.action, turn.actionDescription, turn.image, turn.imageUrl].some((text) => text !== null);

/** The beginning of a long text, and a way to the rest. */
const Content = ({ text }: { text: string }) => {
  if (text === "") return <p class="soft">(no text)</p>;
  const characters = [...text];
  if (characters.length <= MAX_OPEN_CHARS * 1.2) return <p class="text">{visible(text)}</p>;
  return (
    <>
      <p class="text">{visible(characters.slice(0, MAX_OPEN_CHARS).join(""))}…</p>
      <details>
        <summary>The rest</summary>
        <p class="text">…{visible(characters.slice(MAX_OPEN_CHARS).join(""))}</p>
      </details>
    </>
  );
};

const Said = ({ turn, who, revokeHref }: ShownTurn) => (
  <div>
    <p class="soft row between">
      <span>
        <strong>{visible(turn.role)}</strong>
        {who === null ? "" : ` with ${visible(who)}`}, <Time sec={turn.createdAt} />
      </span>
      <span class="row">
        {revokeHref === null ? null : <a href={revokeHref}>Revoke</a>}
        <a href={`#turn-${turn.interactionId}`}>#{turn.interactionId}</a>
      </span>
    </p>
    <Content text={turn.content} />
    {turn.characters > turn.content.length ? (
      <p class="soft">Cut from {grouped(turn.characters)} characters; the API gives it whole.</p>
    ) : null}
    {turn.expertContent === null ? null : (
      <blockquote>
        <cite class="soft">What an expert answered in its place</cite>
        {visible(turn.expertContent)}
      </blockquote>
    )}
    {hasDetails(turn) ? <Details turn={turn} /> : null}
  </div>
);

const statusOf = (status: string | null) => lifecycleStatuses.find((known) => known === status) ?? null;

const LessonItem = ({ lesson }: { lesson: Lesson }) => {
  const { label, tone } = stateOf(statusOf(lesson.status));
  return (
    <li>
      <a href={ruleHref(lesson.userPlaybookId)}>User playbook #{lesson.userPlaybookId}</a>{" "}
      <Badge tone={tone}>{label}</Badge>{" "}
      {lesson.successorId === null ? null : (
        <a href={ruleHref(lesson.successorId)}>by #{lesson.successorId}</a>
      )}
      <p class="text">
        <span class="soft">When: {visible(lesson.trigger ?? "always")}.</span> {visible(lesson.content)}
      </p>
    </li>
  );
};

const Learned = ({ turn, state, lessons, deadLetterHref }: ShownTurn) => {
  const { label, tone, meaning } = stateText[state];
  const shown = lessons.slice(0, MAX_SHOWN_LESSONS);
  return (
    <aside aria-label={`Learned from turn #${turn.interactionId}`}>
      <p>
        <Badge tone={tone}>{label}</Badge>
      </p>
      {state === "learned" || state === "nothing" ? null : <p class="soft">{meaning}</p>}
      {deadLetterHref === null ? null : (
        <p>
          <a href={deadLetterHref}>Read and replay it</a>
        </p>
      )}
      {shown.length === 0 ? null : (
        <ul class="plain stack">
          {shown.map((lesson) => (
            <LessonItem lesson={lesson} />
          ))}
        </ul>
      )}
      {lessons.length > shown.length ? (
        <p class="soft">and {plural(lessons.length - shown.length, "more rule")}.</p>
      ) : null}
    </aside>
  );
};

export const TurnCard = (shown: ShownTurn) => (
  <li class="card turn" id={`turn-${shown.turn.interactionId}`} data-item>
    <Said {...shown} />
    <Learned {...shown} />
  </li>
);

/** The revocation of one turn, to be looked at before it is done. */
export const revocationHref = (turn: SessionTurn): string =>
  hrefOf("/desk/revocations", { user_id: turn.userId, interaction_ids: turn.interactionId });
