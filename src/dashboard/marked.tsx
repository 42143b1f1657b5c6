/** A turn with the very words that prove a rule marked. */
import { MAX_SHOWN, visible } from "./visible";

/** @param marks ranges `[start, end)` in UTF-16 units of `text`, in order and without overlaps */
export const Marked = ({
  text,
  marks,
}: {
  text: string;
  marks: readonly (readonly [start: number, end: number])[];
}) => {
  const shown = marks.filter(([start, end]) => start < end && end <= Math.min(text.length, MAX_SHOWN));
  let at = 0;
  const pieces = shown.map(([start, end]) => {
    const before = text.slice(at, start);
    at = end;
    return (
      <>
        {visible(before)}
        <mark>{visible(text.slice(start, end))}</mark>
      </>
    );
  });
  return (
    <>
      {pieces}
      {visible(text.slice(at))}
    </>
  );
};
