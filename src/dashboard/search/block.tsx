/** The context block that the same query would give, with its citations as links. */
import type { ExplainedContext } from "../../search/explain";
import { grouped, Meter, plural } from "../parts";
import { visible } from "../visible";
import { partsOf } from "./block-parts";
import { hrefOfRule } from "./rule-link";

const Size = ({ tokens, maxTokens }: { tokens: number; maxTokens: number }) => (
  <>
    <p>
      <strong>{grouped(tokens)}</strong> of {grouped(maxTokens)} tokens, estimated upwards
    </p>
    <Meter label="Tokens of the block" done={tokens} total={maxTokens} />
  </>
);

const Words = ({ context: { context, citations } }: { context: ExplainedContext }) => (
  <pre>
    {partsOf(context, citations).map(({ text, citation }) =>
      citation === null ? visible(text) : <a href={hrefOfRule(citation)}>{visible(text)}</a>,
    )}
  </pre>
);

const LeftOut = ({ context: { omitted, withheld } }: { context: ExplainedContext }) => (
  <>
    {omitted === 0 ? null : <p>{plural(omitted, "rule")} that fit had no room.</p>}
    {withheld.length === 0 ? null : (
      <p>{plural(withheld.length, "rule")} of the user that fit may be unsafe to show to a model.</p>
    )}
  </>
);

const Empty = ({ context, userId }: { context: ExplainedContext; userId: string | undefined }) => (
  <p>
    It is empty:{" "}
    {context.omitted + context.withheld.length > 0
      ? "nothing that fits can stand in it."
      : `no approved rule of this version${userId === undefined ? "" : ", and none of this user,"} fits the query.`}{" "}
    <code>/api/context</code> would answer with an empty text. Each rule on this page says why it is not in
    it.
  </p>
);

export interface BlockProps {
  /** Null where no agent version is named. */
  context: ExplainedContext | null;
  maxTokens: number;
  userId: string | undefined;
  mayNameUsers: boolean;
}

export const Block = ({ context, maxTokens, userId, mayNameUsers }: BlockProps) => (
  <section class="card" id="block" aria-labelledby="block-heading">
    <h2 id="block-heading">Context block</h2>
    {context === null ? (
      <p>
        A block is of one agent version. Name one above, and what <code>/api/context</code> would put into the
        prompt stands here.
      </p>
    ) : (
      <>
        {context.context === "" ? (
          <Empty context={context} userId={userId} />
        ) : (
          <>
            <Size tokens={context.tokens} maxTokens={maxTokens} />
            <Words context={context} />
          </>
        )}
        <LeftOut context={context} />
        {context.degraded ? <p class="soft">Its own search compared words alone as well.</p> : null}
        <p class="soft">
          As <code>/api/context</code> answers: approved rules of the version
          {userId === undefined
            ? mayNameUsers
              ? " only, as no user is named"
              : " only"
            : ", then what the user's own add to them"}
          . Its search is one of its own, by words and meaning; the code at its fence is new each time.
        </p>
      </>
    )}
  </section>
);
