/** One rule that a search looked at: what it says, how it was found, and what became of it. */
import type { Explained, Trail } from "../../search/explained";
import { tagOf } from "../../search/kinds";
import type { RuleRef } from "../../search/why";
import { Badge, type Tone } from "../parts";
import { visible } from "../visible";
import { Arms } from "./arms";
import { hrefOfRule, RuleLink } from "./rule-link";
import { type BlockLooking, type Sentence, verdictsOf } from "./verdicts";
import { flagWords, type Looking } from "./words";

/** Characters of one text; the rule's own page shows all of it. */
const MAX_TEXT_CHARS = 600;

const excerpt = (text: string): string =>
  visible(text.length <= MAX_TEXT_CHARS ? text : `${text.slice(0, MAX_TEXT_CHARS).toWellFormed()}…`);

export interface RuleProps {
  kind: RuleRef["kind"];
  rule: Explained;
  /** From 1 among the returned rules of its kind; null where it is not returned. */
  place: number | null;
  search: Looking;
  /** Null where no block was made. */
  block: BlockLooking | null;
  bestWordScore: number;
}

const toneOfApproval: Readonly<Record<string, Tone>> = { approved: "good", pending: "warn", rejected: "bad" };

const Verdict = ({ of: { before, rule, after } }: { of: Sentence }) => (
  <p>
    {before}
    {rule === null ? null : <RuleLink rule={rule} />}
    {after}
  </p>
);

const State = ({ kind, rule, place }: RuleProps) => (
  <ul class="badges" aria-label="State, warnings and where it stands">
    <li>{place === null ? <Badge>not returned</Badge> : <Badge tone="info">returned</Badge>}</li>
    {rule.block === null ? null : (
      <li>
        {rule.block.tag === null ? (
          <Badge>not in the block</Badge>
        ) : (
          <Badge tone="info">in the block as {rule.block.tag}</Badge>
        )}
      </li>
    )}
    <li>
      {kind === "user_playbook" ? (
        <Badge tone="good">in use</Badge>
      ) : (
        <Badge tone={toneOfApproval[rule.playbookStatus ?? ""]}>{rule.playbookStatus ?? "unknown"}</Badge>
      )}
    </li>
    {rule.flags.map((flag) => (
      <li>
        <Badge tone="warn">⚠ {visible(flagWords(flag))}</Badge>
      </li>
    ))}
  </ul>
);

const standsElsewhere = (left: Trail, right: Trail): boolean =>
  left.wordRank !== right.wordRank ||
  left.meaningRank !== right.meaningRank ||
  left.fusedRank !== right.fusedRank;

/** The block's search is one of its own: other filters, so other ranks. */
const BlockArms = ({ rule, block, bestWordScore }: RuleProps) =>
  rule.block === null ||
  block === null ||
  rule.block.why?.code === "not_found" ||
  rule.block.why?.code === "no_user" ||
  !standsElsewhere(rule, rule.block) ? null : (
    <details>
      <summary class="soft">Where it stands in the block's own search</summary>
      <Arms trail={rule.block} looking={block} bestWordScore={bestWordScore} />
    </details>
  );

export const FoundRule = (props: RuleProps) => {
  const { kind, rule, place, search, block, bestWordScore } = props;
  const anchor = tagOf(kind, rule.id);
  const headingId = `${anchor}-when`;
  return (
    <article class="card found" id={anchor} aria-labelledby={headingId}>
      <p class="soft row">
        {place === null ? null : (
          <span class="place">
            <span class="visually-hidden">Place </span>
            {place}
          </span>
        )}
        <a href={hrefOfRule({ kind, id: rule.id })}>#{rule.id}</a>
        <span>for {excerpt(rule.agentVersion) || "no version"}</span>
        {rule.userId === null ? null : <span>from {excerpt(rule.userId)}</span>}
      </p>
      <h3 id={headingId}>When: {excerpt(rule.trigger ?? "always")}</h3>
      <p class="text">{excerpt(rule.content)}</p>
      <State {...props} />
      <Arms trail={rule} looking={search} bestWordScore={bestWordScore} />
      {verdictsOf(rule, search, block).map((sentence) => (
        <Verdict of={sentence} />
      ))}
      <BlockArms {...props} />
    </article>
  );
};
