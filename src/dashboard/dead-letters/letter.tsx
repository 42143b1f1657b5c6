/** One dead letter: what it was about, why it was given up, and what would help. */
import { lastingFault } from "../fault-words";
import { Form } from "../fields";
import { Badge, plural, Time } from "../parts";
import { visible } from "../visible";
import type { ShownLetter } from "./subject";

/** The reason in plain words; a code that nobody explained keeps the sentence that was written with it. */
export const reasonInWords = ({ reason, message }: Pick<ShownLetter, "reason" | "message">): string =>
  lastingFault(reason)?.what ?? visible(message);

/** What would help before a replay. */
export const Advice = ({ reason }: Pick<ShownLetter, "reason">) => {
  const words = lastingFault(reason);
  return words === null ? null : <p class="soft">{words.advice}</p>;
};

export const SubjectLine = ({ letter }: { letter: ShownLetter }) => (
  <>
    {visible(letter.subject.text)}
    {letter.subject.userId === null ? null : (
      <>
        {" "}
        User: <strong>{visible(letter.subject.userId)}</strong>.
      </>
    )}
    {letter.subject.link === null ? null : (
      <>
        {" "}
        <a href={letter.subject.link.href}>{letter.subject.link.label}</a>
      </>
    )}
  </>
);

export const LetterCard = ({ letter }: { letter: ShownLetter }) => {
  const headingId = `letter-${letter.deadLetterId}`;
  return (
    <article class="card" data-item aria-labelledby={headingId}>
      <div class="row between">
        <p>
          <Badge tone="bad">{visible(letter.reason)}</Badge>
        </p>
        <p class="soft">
          {letter.replayedAt === null ? (
            <>
              given up <Time sec={letter.createdAt} />
            </>
          ) : (
            <>
              replayed <Time sec={letter.replayedAt} />
            </>
          )}{" "}
          after {plural(letter.attempts, "attempt")}
        </p>
      </div>
      <h2 id={headingId}>{reasonInWords(letter)}</h2>
      <Advice reason={letter.reason} />
      <p>
        <SubjectLine letter={letter} />
      </p>
      {letter.replayedAt === null ? (
        <Form action="/desk/dead-letters/replay">
          <input type="hidden" name="id" value={letter.deadLetterId} />
          <button type="submit" aria-label={`Replay ${visible(letter.deadLetterId)}`}>
            Replay
          </button>
        </Form>
      ) : null}
    </article>
  );
};
