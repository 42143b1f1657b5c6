/** Why a user playbook exists, what was made from it and what happened to it. */
import { Marked } from "../marked";
import { Badge, grouped, hrefOf, plural, Time } from "../parts";
import { eventText } from "../review/words";
import { turnHref } from "../sessions/href";
import { visible } from "../visible";
import { ruleHref } from "./filters";
import type { Proof, RuleInFull } from "./rule";

const isCut = ({ content, characters, from }: Proof): boolean => from > 1 || content.length < characters;

const ProofTurn = ({ proof, revokeUser }: { proof: Proof; revokeUser: string | null }) => (
  <li>
    <blockquote class={proof.marks.length > 0 ? "proof" : undefined}>
      <cite class="soft">
        {visible(proof.role)}, <Time sec={proof.createdAt} />
        {isCut(proof) ? `, cut from ${grouped(proof.characters)} characters` : ""}
      </cite>
      {proof.from > 1 ? "… " : ""}
      <Marked text={proof.content} marks={proof.marks} />
    </blockquote>
    <p class="soft row">
      <a href={turnHref(proof.sessionId, proof.interactionId)}>See it in its session</a>
      {revokeUser === null ? null : (
        <a
          href={hrefOf("/desk/revocations", {
            user_id: revokeUser,
            interaction_ids: proof.interactionId,
          })}
        >
          Revoke this turn
        </a>
      )}
    </p>
  </li>
);

/** The cited turns with the quoted words marked; the quote itself where no turn is left to show it. */
export const Proofs = ({ full, mayRevoke }: { full: RuleInFull; mayRevoke: boolean }) => {
  const { rule, proofs, turnsLeftOut } = full;
  const quote = rule.sourceSpan ?? "";
  const isMarked = proofs.some(({ marks }) => marks.length > 0);
  return (
    <section class="card" aria-labelledby="proof">
      <h2 id="proof">What proves it</h2>
      {proofs.length === 0 && turnsLeftOut === 0 ? (
        <p>It cites no turn: somebody wrote it.</p>
      ) : (
        <ul class="plain stack">
          {proofs.map((proof) => (
            <ProofTurn proof={proof} revokeUser={mayRevoke ? rule.userId : null} />
          ))}
        </ul>
      )}
      {turnsLeftOut > 0 ? (
        <p class="soft">{plural(turnsLeftOut, "cited turn")} deleted or not shown.</p>
      ) : null}
      {quote === "" || isMarked ? null : (
        <>
          <h3>Quoted when it was learned</h3>
          <blockquote>{visible(quote)}</blockquote>
        </>
      )}
    </section>
  );
};

export const Supports = ({ full }: { full: RuleInFull }) => (
  <section class="card" aria-labelledby="supports">
    <h2 id="supports">Agent playbooks made from it</h2>
    {full.supported.length === 0 ? (
      <p>None yet. One is made when rules of several users say the same.</p>
    ) : (
      <ul class="plain stack">
        {full.supported.map(({ agentPlaybookId, content, playbookStatus, status }) => (
          <li>
            <a href={`/desk/rules/${agentPlaybookId}`}>Rule #{agentPlaybookId}</a>{" "}
            <Badge
              tone={
                status !== null
                  ? undefined
                  : playbookStatus === "approved"
                    ? "good"
                    : playbookStatus === "rejected"
                      ? "bad"
                      : "warn"
              }
            >
              {status ?? playbookStatus}
            </Badge>
            <p class="text">{visible(content)}</p>
          </li>
        ))}
      </ul>
    )}
  </section>
);

const Sources = ({ ids }: { ids: readonly (number | string)[] }) => (
  <>
    {" from "}
    {ids.map((id, at) => (
      <>
        {at === 0 ? "" : ", "}
        <a href={ruleHref(Number(id))}>#{id}</a>
      </>
    ))}
  </>
);

export const History = ({ events }: { events: RuleInFull["events"] }) =>
  events.length === 0 ? null : (
    <section class="card" aria-labelledby="history">
      <h2 id="history">What happened to it</h2>
      <ol class="plain history" reversed>
        {events.map((event) => (
          <li>
            <Time sec={event.created_at} />: {visible(eventText(event))}
            {event.op === "merge" && event.source_ids.length > 0 ? <Sources ids={event.source_ids} /> : null}{" "}
            by {visible(event.actor)}
            {event.reason === null ? "" : `, “${visible(event.reason)}”`}
          </li>
        ))}
      </ol>
    </section>
  );
