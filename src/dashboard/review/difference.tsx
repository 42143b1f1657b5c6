/** A rule beside the approved one it would replace, word by word. */
import { visible } from "../visible";
import { wordDiff } from "./word-diff";

interface Texts {
  trigger: string | null;
  content: string;
  rationale: string | null;
}

const Changed = ({ before, after }: { before: string; after: string }) => (
  <>
    {wordDiff(before, after).map(({ kind, text }) =>
      kind === "same" ? (
        visible(text)
      ) : kind === "added" ? (
        <ins>{visible(text)}</ins>
      ) : (
        <del>{visible(text)}</del>
      ),
    )}
  </>
);

const FIELDS = [
  ["When", "trigger"],
  ["Do", "content"],
  ["Why", "rationale"],
] as const;

export const Difference = ({
  before,
  after,
  beforeId,
}: {
  before: Texts;
  after: Texts;
  beforeId: number;
}) => (
  <section class="difference" aria-label={`What changes against rule #${beforeId}`}>
    <p class="soft">
      Would replace <a href={`/desk/rules/${beforeId}`}>rule #{beforeId}</a>: <ins>added</ins>{" "}
      <del>removed</del>
    </p>
    <dl>
      {FIELDS.filter(([, key]) => before[key] !== null || after[key] !== null).map(([label, key]) => (
        <>
          <dt>{label}</dt>
          <dd>
            <Changed before={before[key] ?? ""} after={after[key] ?? ""} />
          </dd>
        </>
      ))}
    </dl>
  </section>
);
