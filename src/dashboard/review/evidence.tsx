/** Why a rule exists: its sources, the very turns that prove each, and what happened to it. */
import type { Evidence } from "../../playbooks/evidence";
import { Marked } from "../marked";
import { Badge, hrefOf, plural, Text, Time } from "../parts";
import { visible } from "../visible";
import { eventText, flagText } from "./words";

/** Sources of a rule, and turns of a source, that a page shows; the API gives them all. */
const PAGE_SOURCES = 10;
const PAGE_TURNS = 8;

type Source = Evidence["sources"][number];

const Turn = ({ turn, source }: { turn: Source["turns"][number]; source: Source }) => (
  <blockquote class={turn.marks.length > 0 ? "proof" : undefined}>
    <cite class="soft">
      {visible(turn.role)}
      {source.user === null ? "" : `, ${source.user_id === null ? source.user : visible(source.user_id)}`},{" "}
      <Time sec={turn.created_at} />
    </cite>
    <Marked text={turn.content} marks={turn.marks} />
  </blockquote>
);

const SourceItem = ({ source, canRevoke }: { source: Source; canRevoke: boolean }) => {
  const turns = source.turns.slice(0, PAGE_TURNS);
  const more = source.turns_left_out + source.turns.length - turns.length;
  return (
    <li>
      <p>
        <a href={hrefOf("/desk/user-playbooks", { id: source.user_playbook_id })}>
          User playbook #{source.user_playbook_id}
        </a>{" "}
        {source.state === "current" ? null : <Badge>{source.state}</Badge>}{" "}
        {source.flags.map((flag) => (
          <>
            <Badge tone="warn">⚠ {flagText[flag]}</Badge>{" "}
          </>
        ))}
      </p>
      {source.content === null ? null : (
        <p>
          <Text of={source.content} />
        </p>
      )}
      {turns.map((turn) => (
        <Turn turn={turn} source={source} />
      ))}
      {turns.length === 0 ? <p class="soft">Its turns have been deleted.</p> : null}
      {more > 0 ? <p class="soft">{plural(more, "more turn")} deleted or not shown.</p> : null}
      {canRevoke && source.user_id !== null && turns.length > 0 ? (
        <p class="soft">
          <a
            href={hrefOf("/desk/revocations", {
              user_id: source.user_id,
              interaction_ids: source.turns.map(({ interaction_id }) => interaction_id).join(","),
            })}
          >
            Revoke these turns
          </a>
        </p>
      ) : null}
    </li>
  );
};

export const Sources = ({
  evidence,
  isOpen,
  canRevoke,
}: {
  evidence: Evidence;
  isOpen: boolean;
  canRevoke: boolean;
}) => {
  const { source_count: count, sources } = evidence;
  if (count === 0) return <p class="soft">It has no sources: somebody wrote it.</p>;
  const shown = sources.slice(0, PAGE_SOURCES);
  return (
    <details open={isOpen}>
      <summary>
        {plural(count, "source")} from {plural(evidence.user_count, "user")}, and the turns that prove them
      </summary>
      <ul class="plain stack">
        {shown.map((source) => (
          <SourceItem source={source} canRevoke={canRevoke} />
        ))}
      </ul>
      {count > shown.length ? (
        <p class="soft">
          and {count - shown.length} more:{" "}
          <code>GET /api/agent_playbooks/{evidence.agent_playbook.agent_playbook_id}/evidence</code>
        </p>
      ) : null}
    </details>
  );
};

export const History = ({ evidence }: { evidence: Evidence }) =>
  evidence.history.length === 0 ? null : (
    <details>
      <summary>History ({evidence.history.length})</summary>
      <ol class="plain history" reversed>
        {evidence.history.map((event) => (
          <li>
            <Time sec={event.created_at} />: {visible(eventText(event))} by {visible(event.actor)}
            {event.reason === null ? "" : `, “${visible(event.reason)}”`}
          </li>
        ))}
      </ol>
    </details>
  );
