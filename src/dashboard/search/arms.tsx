/** How a rule was found: by words, by meaning, and by both together. */
import type { Trail } from "../../search/explained";
import { fusedText, type Looking, meaningText, score, wordsText } from "./words";

/** A value between 0 and 1 as a bar, with a tick at what is asked for. The words beside it say the same. */
const Bar = ({
  label,
  share,
  tick,
  isEnough,
}: {
  label: string;
  share: number;
  tick?: number;
  isEnough: boolean;
}) => {
  const at = (value: number): string => String(Math.round(Math.min(1, Math.max(0, value)) * 1000) / 10);
  return (
    <svg
      class={isEnough ? "likeness" : "likeness short"}
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      <rect class="ground" y="2" width="100" height="6" />
      <rect class="value" y="2" width={at(share)} height="6" />
      {tick === undefined ? null : <line class="tick" x1={at(tick)} x2={at(tick)} y1="0" y2="10" />}
    </svg>
  );
};

const MeaningBar = ({ trail: { cosine }, looking: { threshold } }: ArmsProps) =>
  cosine === null || threshold === null ? null : (
    <Bar
      label={`Cosine ${score(cosine)} on a scale from 0 to 1, with a tick at the threshold ${score(threshold)}`}
      share={cosine}
      tick={threshold}
      isEnough={cosine >= threshold}
    />
  );

/** Where every rule has the word, all scores are next to nothing, and so should the bars be. */
const LEAST_FULL = 0.01;

const WordsBar = ({ trail: { wordScore }, bestWordScore }: ArmsProps) =>
  wordScore === null ? null : (
    <Bar
      label={`BM25 ${score(wordScore)} beside the best of this list, ${score(bestWordScore)}`}
      share={wordScore / Math.max(bestWordScore, LEAST_FULL)}
      isEnough
    />
  );

interface ArmsProps {
  trail: Trail;
  looking: Looking;
  /** BM25 has no upper end: bars by words are drawn against the list's best. */
  bestWordScore: number;
}

export const Arms = (props: ArmsProps) => (
  <dl class="arms">
    <div>
      <dt>Words</dt>
      <dd>
        {wordsText(props.trail, props.looking)}
        <WordsBar {...props} />
      </dd>
    </div>
    <div>
      <dt>Meaning</dt>
      <dd>
        {meaningText(props.trail, props.looking)}
        <MeaningBar {...props} />
      </dd>
    </div>
    <div class="whole">
      <dt>Together</dt>
      <dd>{fusedText(props.trail)}</dd>
    </div>
  </dl>
);
