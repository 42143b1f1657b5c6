/** What a search found of either kind, beside the block. */
import type { Explanation } from "../../search/explain";
import type { Explained } from "../../search/explained";
import type { PlaybookKind } from "../../search/kinds";
import { DEFAULT_MAX_TOKENS, MAX_BLOCK_RULES } from "../../search/prompt-context";
import { DEFAULT_UNIFIED_TOP_K } from "../../search/unified";
import type { WhyCode } from "../../search/why";
import { Empty, grouped, plural } from "../parts";
import { visible } from "../visible";
import { type Asked, bodyOf } from "./asked";
import { Block } from "./block";
import { FoundRule } from "./rule";
import type { BlockLooking } from "./verdicts";
import { type Looking, modeText, score } from "./words";

/** Rules of one kind on the page. */
const MAX_SHOWN_RULES = 50;
/** Shown of a kind of which none is returned. */
const NEAREST = 3;
/** Why a rule is left out because others fit better: of interest, but not at once. */
const ORDINARY: readonly WhyCode[] = ["below_threshold", "beyond_top_k", "not_found"];
/** The same of a block, which also takes approved rules and those of a named user only. */
const ORDINARY_IN_BLOCK: readonly WhyCode[] = [...ORDINARY, "not_approved", "no_user"];

const headings: Record<PlaybookKind, { heading: string; one: string }> = {
  agent_playbook: { heading: "Agent playbooks", one: "agent playbook" },
  user_playbook: { heading: "User playbooks", one: "user playbook" },
};

interface KindProps {
  kind: PlaybookKind;
  rules: readonly Explained[];
  search: Looking;
  block: BlockLooking | null;
}

/** Whether one would ask at once what became of it: it fits. */
const isTelling = ({ why, block }: Explained): boolean =>
  why === null ||
  !ORDINARY.includes(why.code) ||
  (block !== null && (block.why === null || !ORDINARY_IN_BLOCK.includes(block.why.code)));

const Kind = ({ kind, rules, search, block }: KindProps) => {
  const shown = rules.slice(0, MAX_SHOWN_RULES);
  const returned = shown.filter((rule) => rule.returned);
  const bestWordScore = Math.max(0, ...rules.map(({ wordScore }) => wordScore ?? 0));
  const { heading, one } = headings[kind];
  const show = (rule: Explained) => (
    <FoundRule
      {...{ kind, rule, search, block, bestWordScore }}
      place={rule.returned ? returned.indexOf(rule) + 1 : null}
    />
  );
  const ordinary = shown.filter((rule) => !isTelling(rule));
  // Where nothing is returned, the nearest show how far off it all is.
  const nearest = ordinary.slice(0, returned.length === 0 ? NEAREST : 0);
  const others = ordinary.slice(nearest.length);
  return (
    <section aria-labelledby={kind}>
      <h2 id={kind}>{heading}</h2>
      {returned.length === 0 ? (
        <p class="soft">
          No {one} is returned.{nearest.length === 0 ? "" : " Nearest:"}
        </p>
      ) : null}
      {shown.filter(isTelling).map(show)}
      {nearest.map(show)}
      {others.length === 0 ? null : (
        <details class="others">
          <summary>{plural(others.length, "other")} that fit less well</summary>
          {others.map(show)}
        </details>
      )}
    </section>
  );
};

const HowToRead = () => (
  <details>
    <summary>How to read the numbers</summary>
    <dl class="wrapping">
      <dt>Words</dt>
      <dd>
        Rank and BM25 score of the word index; rare words that both share count most. The bar is drawn against
        the best score of the list.
      </dd>
      <dt>Meaning</dt>
      <dd>
        Cosine similarity of the embeddings of query and rule. What lies below the tick is no hit by meaning;
        a hit by words needs none.
      </dd>
      <dt>Together</dt>
      <dd>
        Reciprocal rank fusion: the sum over both lists of 1 / (60 + rank). A rule that one list lacks counts
        there as the next after its last.
      </dd>
    </dl>
  </details>
);

const Summary = ({ found }: { found: Explanation }) => {
  const returned = [...found.agentPlaybooks, ...found.userPlaybooks].filter((rule) => rule.returned).length;
  const listed =
    Math.min(found.agentPlaybooks.length, MAX_SHOWN_RULES) +
    Math.min(found.userPlaybooks.length, MAX_SHOWN_RULES);
  const unlisted = found.unlisted + found.agentPlaybooks.length + found.userPlaybooks.length - listed;
  return (
    <>
      {found.degraded ? (
        <div class="card notice warn" role="status">
          <p>
            Meaning could not be compared: the embedding model failed, or knows none of these words. Words
            alone answered.
          </p>
        </div>
      ) : null}
      <p>
        <strong>{plural(returned, "rule")}</strong> returned of {grouped(listed + unlisted)} that were looked
        at, by {modeText[found.effectiveMode]}
        {found.threshold === null ? "" : `; a hit by meaning needs a cosine of ${score(found.threshold)}`}.
        {unlisted === 0 ? "" : ` ${plural(unlisted, "rule")} that fit least are not shown.`}
        {found.context === null || found.context.citations.length === 0 ? null : (
          <>
            {" "}
            <a href="#block">{plural(found.context.citations.length, "rule")} in the block</a>.
          </>
        )}
      </p>
    </>
  );
};

const Nothing = ({ asked }: { asked: Asked }) => (
  <Empty title="No rule is returned">
    <p>
      Say it in other words, as a user would.
      {asked.agent_version === undefined
        ? ""
        : " Or leave the agent version empty: the rules may be of another one."}
      {(asked.mode ?? "hybrid") === "hybrid" ? "" : " Or search by words and meaning."}
    </p>
    <p>
      What was learned at all stands under <a href="/">Review</a> and{" "}
      <a href="/desk/user-playbooks">User playbooks</a>.
    </p>
  </Empty>
);

export interface ResultsProps {
  query: string;
  asked: Asked;
  found: Explanation;
  mayNameUsers: boolean;
}

export const Results = ({ query, asked, found, mayNameUsers }: ResultsProps) => {
  const { threshold, degraded, effectiveMode: mode, context } = found;
  const search: Looking = { mode, degraded, threshold, topK: DEFAULT_UNIFIED_TOP_K };
  const maxTokens = DEFAULT_MAX_TOKENS;
  const block: BlockLooking | null = context && {
    mode: context.degraded ? "fts" : "hybrid",
    ...{ degraded: context.degraded, threshold: context.threshold, topK: MAX_BLOCK_RULES, maxTokens },
  };
  const all = [...found.agentPlaybooks, ...found.userPlaybooks];
  return (
    <>
      <Summary found={found} />
      <div class="searched">
        <div>
          {all.some((rule) => rule.returned) ? null : <Nothing asked={asked} />}
          {all.length === 0 ? null : (
            <>
              <Kind kind="agent_playbook" rules={found.agentPlaybooks} search={search} block={block} />
              <Kind kind="user_playbook" rules={found.userPlaybooks} search={search} block={block} />
            </>
          )}
        </div>
        <div>
          <Block context={context} maxTokens={maxTokens} userId={asked.user_id} mayNameUsers={mayNameUsers} />
          <HowToRead />
          <details>
            <summary>The same over HTTP</summary>
            <pre>{visible(`POST /api/search/explain\n${JSON.stringify(bodyOf(query, asked), null, 2)}`)}</pre>
          </details>
        </div>
      </div>
    </>
  );
};
