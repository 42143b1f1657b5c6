/** The page of one user playbook. */
import type { Child } from "hono/jsx";
import type { Reply, RequestScope } from "../../http/route";
import { page } from "../frame";
import { Badge, Empty, Notice, plural, Refused, Time } from "../parts";
import { peopleOf } from "../people";
import { flagText } from "../review/words";
import { visible } from "../visible";
import { listHref, PATH, ruleHref } from "./filters";
import { Controls, type RefusedEdit } from "./forms";
import { History, Proofs, Supports } from "./proof";
import { eventsOfDeleted, type RuleInFull, ruleInFull } from "./rule";
import { angleText, type Outcome, outcomeText, stateOf } from "./words";

const CURRENT = PATH;

const Uses = ({ uses }: { uses: RuleInFull["uses"] }) =>
  uses === null || uses.applied === 0 ? (
    <>never cited by a turn</>
  ) : (
    <>
      {plural(uses.applied, "turn")} in {plural(uses.sessions, "session")}
      {uses.lastAppliedAt === null ? null : (
        <>
          , last <Time sec={uses.lastAppliedAt} />
        </>
      )}
      {uses.helpful + uses.harmful === 0 ? "" : `; ${uses.helpful} found it helpful, ${uses.harmful} harmful`}
    </>
  );

const Facts = ({ scope, full, children }: { scope: RequestScope; full: RuleInFull; children: Child }) => {
  const { rule } = full;
  const mayNameUsers = scope.principal.scopes.includes("review");
  const { label, tone } = stateOf(rule.status);
  const successor = rule.mergedInto ?? rule.supersededBy;
  const angle = rule.readerAngle === null ? undefined : (angleText[rule.readerAngle] ?? rule.readerAngle);
  return (
    <article class="card" aria-labelledby="rule">
      <h2 id="rule">When: {visible(rule.trigger ?? "always")}</h2>
      <dl class="wrapping">
        <dt>Do</dt>
        <dd>{visible(rule.content)}</dd>
        {rule.rationale === null ? null : (
          <>
            <dt>Why</dt>
            <dd>{visible(rule.rationale)}</dd>
          </>
        )}
      </dl>
      <ul class="badges" aria-label="State and warnings">
        <li>
          <Badge tone={tone}>{label}</Badge>
        </li>
        {successor === null ? null : (
          <li>
            <a href={ruleHref(successor)}>by #{successor}</a>
          </li>
        )}
        {rule.flags.map((flag) => (
          <li>
            <Badge tone="warn">⚠ {flagText[flag]}</Badge>
          </li>
        ))}
      </ul>
      <dl class="wrapping">
        <dt>Taught by</dt>
        <dd>
          {mayNameUsers && rule.userId !== null ? (
            <a href={listHref({ status: "kept", user: rule.userId })}>{visible(rule.userId)}</a>
          ) : (
            peopleOf([rule.userId], false)(rule.userId)
          )}
        </dd>
        <dt>Agent version</dt>
        <dd>{visible(rule.agentVersion) || "none"}</dd>
        {angle === undefined ? null : (
          <>
            <dt>Rests on</dt>
            <dd>{visible(angle)}</dd>
          </>
        )}
        <dt>Learned</dt>
        <dd>
          <Time sec={rule.createdAt} />
        </dd>
        <dt>Changed</dt>
        <dd>
          <Time sec={Math.floor(rule.updatedAtMs / 1000)} />
        </dd>
        <dt>Applied</dt>
        <dd>
          <Uses uses={full.uses} />
        </dd>
        {rule.tags === null || rule.tags.length === 0 ? null : (
          <>
            <dt>Tags</dt>
            <dd>{rule.tags.map((tag) => visible(tag)).join(", ")}</dd>
          </>
        )}
      </dl>
      {children}
    </article>
  );
};

const All = () => <a href={PATH}>All user playbooks</a>;

async function gonePage(scope: RequestScope, userPlaybookId: number): Promise<Reply> {
  const events = await eventsOfDeleted(scope, userPlaybookId);
  return page(scope, {
    title: `User playbook #${userPlaybookId}`,
    current: CURRENT,
    status: 404,
    aside: <All />,
    children: (
      <>
        <Empty title="It is not here">
          <p>{events.length === 0 ? "There never was such a rule." : "It was deleted."}</p>
        </Empty>
        <History events={events} />
      </>
    ),
  });
}

export interface RulePageProps {
  userPlaybookId: number;
  done?: Outcome | undefined;
  /** A form that was not taken. */
  refused?: (RefusedEdit & { status: number; message: string }) | undefined;
}

/** Reads and shows one rule. */
export async function rulePage(scope: RequestScope, props: RulePageProps): Promise<Reply> {
  const { userPlaybookId, done, refused } = props;
  const full = await ruleInFull(scope, userPlaybookId);
  if (full === null) return gonePage(scope, userPlaybookId);
  return page(scope, {
    title: `User playbook #${userPlaybookId}`,
    current: CURRENT,
    aside: <All />,
    status: refused?.status ?? 200,
    children: (
      <>
        {refused === undefined ? null : <Refused message={refused.message} />}
        {done === undefined ? null : (
          <Notice>
            <p>The rule {outcomeText[done]}</p>
          </Notice>
        )}
        <Facts scope={scope} full={full}>
          <Controls scope={scope} rule={full.rule} refused={refused ?? null} />
        </Facts>
        <Proofs full={full} mayRevoke={scope.principal.scopes.includes("review")} />
        <Supports full={full} />
        <History events={full.events} />
      </>
    ),
  });
}
