/** The pages of dead letters: the list, and the confirmation before many are replayed at once. */
import type { Reply, RequestScope } from "../../http/route";
import { type LetterPlace, MAX_COUNTED_LETTERS } from "../../learning/dead-letter-store";
import { faultInWords } from "../fault-words";
import { Form } from "../fields";
import { page } from "../frame";
import { Empty, grouped, hrefOf, Notice, Pager, plural, Table, Tabs, Time } from "../parts";
import { visible } from "../visible";
import { Advice, LetterCard, reasonInWords, SubjectLine } from "./letter";
import type { ReplayResult } from "./replay";
import type { ShownLetter } from "./subject";

export type LetterState = "open" | "replayed";

/** Letters that one confirmation replays. */
export const MAX_REPLAYED = 100;

const PATH = "/desk/dead-letters";

export interface DeadLettersProps {
  state: LetterState;
  letters: ShownLetter[];
  next: LetterPlace | null;
  /** Open letters by reason, whatever the tab. */
  reasons: readonly { reason: string; letters: number }[];
  result: ReplayResult | null;
}

function resultText({ replayed, outdated, missing }: ReplayResult): string {
  const parts = [
    ...(replayed > 0
      ? [`${plural(replayed, "dead letter")} taken up again; learning follows by itself.`]
      : []),
    ...(outdated > 0
      ? [
          `${plural(outdated, "dead letter")} can no longer be replayed: the turns were deleted, or learned from since.`,
        ]
      : []),
    ...(missing > 0 ? [`${plural(missing, "dead letter")} no longer there.`] : []),
  ];
  return parts.length === 0 ? "Nothing was replayed." : parts.join(" ");
}

const Nothing = ({ state }: { state: LetterState }) =>
  state === "open" ? (
    <Empty title="No dead letter is open">
      <p>
        Work that fails for good, such as an answer of a model that stays unusable, comes here with its reason
        instead of stopping the rest. <a href="/desk/learning">Learning</a> shows what is under way.
      </p>
    </Empty>
  ) : (
    <Empty title="None was replayed yet">
      <p>A letter that is replayed under “open” moves here; it comes back if it dies again.</p>
    </Empty>
  );

const Reasons = ({ reasons }: Pick<DeadLettersProps, "reasons">) => (
  <section class="card" aria-labelledby="reasons-heading">
    <h2 id="reasons-heading">By reason</h2>
    <Table
      caption="Open dead letters by reason"
      rows={reasons}
      columns={[
        { heading: "Reason", isText: true, cell: ({ reason }) => visible(faultInWords(reason)) },
        { heading: "Code", cell: ({ reason }) => <code>{visible(reason)}</code> },
        { heading: "Open", isNumber: true, cell: ({ letters }) => grouped(letters) },
        {
          heading: "All of them",
          cell: ({ reason }) => <a href={hrefOf(`${PATH}/replay`, { reason })}>Replay all…</a>,
        },
      ]}
    />
  </section>
);

export function deadLettersPage(scope: RequestScope, props: DeadLettersProps): Reply {
  const { state, letters, next, reasons, result } = props;
  const open = reasons.reduce((sum, { letters: count }) => sum + count, 0);
  const count = open >= MAX_COUNTED_LETTERS ? `${grouped(MAX_COUNTED_LETTERS)} or more` : grouped(open);
  return page(scope, {
    title: "Dead letters",
    current: PATH,
    intro:
      "Work that was given up, why, and a way to take it up again. What came after it went on meanwhile.",
    children: (
      <>
        {result === null ? null : (
          <Notice>
            <p>{resultText(result)}</p>
          </Notice>
        )}
        <Tabs
          label="Dead letters by state"
          tabs={[
            { href: PATH, label: `Open (${count})`, isCurrent: state === "open" },
            {
              href: hrefOf(PATH, { state: "replayed" }),
              label: "Replayed",
              isCurrent: state === "replayed",
            },
          ]}
        />
        {state === "open" && open > 1 ? <Reasons reasons={reasons} /> : null}
        {letters.length === 0 ? <Nothing state={state} /> : null}
        {letters.map((letter) => (
          <LetterCard letter={letter} />
        ))}
        <Pager
          older={
            next === null
              ? undefined
              : hrefOf(PATH, {
                  state: state === "open" ? undefined : state,
                  before: next.at,
                  before_id: next.deadLetterId,
                })
          }
        />
      </>
    ),
  });
}

export interface ConfirmProps {
  reason: string;
  letters: ShownLetter[];
  /** True where more of this reason are open than one confirmation replays. */
  hasMore: boolean;
}

export function confirmPage(scope: RequestScope, { reason, letters, hasMore }: ConfirmProps): Reply {
  const first = letters[0];
  return page(scope, {
    title: "Replay all of one reason?",
    current: PATH,
    children:
      first === undefined ? (
        <Empty title="No open letter has this reason">
          <p>
            Somebody else may have replayed them. <a href={PATH}>Back to the dead letters</a>
          </p>
        </Empty>
      ) : (
        <>
          <section class="card" aria-labelledby="reason-heading">
            <h2 id="reason-heading">
              {plural(letters.length, "letter")}: <code>{visible(reason)}</code>
            </h2>
            <p>{reasonInWords(first)}</p>
            <Advice reason={reason} />
            {hasMore ? (
              <p class="soft">
                These are the {grouped(letters.length)} that have waited longest; more are open.
              </p>
            ) : null}
            <div class="actions">
              <Form action={`${PATH}/replay-all`}>
                <input
                  type="hidden"
                  name="ids"
                  value={JSON.stringify(letters.map(({ deadLetterId }) => deadLetterId))}
                />
                <button type="submit" class="main">
                  Replay {plural(letters.length, "letter")}
                </button>
              </Form>
              <a class="button" href={PATH}>
                Cancel
              </a>
            </div>
          </section>
          <section class="card" aria-labelledby="listed-heading">
            <h2 id="listed-heading">What will be taken up again</h2>
            <Table
              caption="Letters to replay"
              rows={letters}
              columns={[
                { heading: "Given up", cell: ({ createdAt }) => <Time sec={createdAt} /> },
                { heading: "About", isText: true, cell: (letter) => <SubjectLine letter={letter} /> },
                { heading: "Attempts", isNumber: true, cell: ({ attempts }) => grouped(attempts) },
              ]}
            />
          </section>
        </>
      ),
  });
}
