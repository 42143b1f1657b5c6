/** How far learning from conversations has come: one bar, and what the streams wait for. */
import type { StreamCount, StreamState } from "../../learning/progress-store";
import { MAX_REQUESTS } from "../../learning/progress-store";
import { faultInWords } from "../fault-words";
import { grouped, Meter, plural, Time } from "../parts";
import { visible } from "../visible";
import type { Overview } from "./overview";

const stateWords: Record<StreamState, { heading: string; note: string }> = {
  filling: { heading: "Gathering", note: "A window opens when enough new turns have come" },
  queued: { heading: "Queued", note: "Their next window is about to be opened" },
  working: { heading: "Under way", note: "A window is being learned from" },
  failing: { heading: "Failing", note: "Tried again by themselves, each time later" },
  done: { heading: "Up to date", note: "Nothing is left to learn" },
};
const SHOWN: readonly StreamState[] = ["filling", "queued", "working", "failing", "done"];

const sum = (streams: readonly StreamCount[], of: "turns" | "waiting"): number =>
  streams.reduce((total, stream) => total + stream[of], 0);

const StateCard = ({ state, found }: { state: StreamState; found: StreamCount | undefined }) => (
  <div class="card">
    <h3 class="first">{stateWords[state].heading}</h3>
    <p class="figure">{grouped(found?.streams ?? 0)}</p>
    <p>
      {found?.streams === 1 ? "user" : "users"}
      {found === undefined || found.waiting === 0 ? "" : `, ${plural(found.waiting, "turn")}`}
    </p>
    <p class="soft">
      {stateWords[state].note}
      {found?.oldestAt == null ? null : (
        <>
          ; the oldest since <Time sec={found.oldestAt} />
        </>
      )}
    </p>
  </div>
);

const Faults = ({ overview }: { overview: Overview }) => {
  const failing = overview.progress.windows.filter(({ lastError }) => lastError !== null);
  if (failing.length === 0) return null;
  return (
    <div class="card notice warn">
      <ul class="plain">
        {failing.map(({ windows, lastError, oldestAt, nextAttemptAtMs }) => (
          <li>
            {plural(windows, "window")} opened since <Time sec={oldestAt} />:{" "}
            {visible(faultInWords(lastError ?? ""))}. Next attempt:{" "}
            <Time sec={Math.floor(nextAttemptAtMs / 1000)} />.
          </li>
        ))}
      </ul>
    </div>
  );
};

export const Streams = ({ overview }: { overview: Overview }) => {
  const { streams, windows, isCut } = overview.progress;
  const total = sum(streams, "turns");
  const covered = total - sum(streams, "waiting");
  const open = windows.reduce((all, { windows: count }) => all + count, 0);
  const computed = windows
    .filter(({ state }) => state === "computed")
    .reduce((all, { windows: count }) => all + count, 0);
  return (
    <section aria-labelledby="streams-heading">
      <h2 id="streams-heading">From conversations to user playbooks</h2>
      {total === 0 ? (
        <div class="card">
          <p>
            Nothing was published in the last 24 hours that could be learned from. Send conversations with{" "}
            <code>POST /api/publish_interaction</code>.
          </p>
        </div>
      ) : (
        <>
          <div class="card">
            <p>
              {grouped(covered)} of {plural(total, "turn")} published in the last 24 hours{" "}
              {covered === 1 ? "has" : "have"} been learned from.
              {isCut ? ` Only the newest ${grouped(MAX_REQUESTS)} publishes are counted.` : ""}
            </p>
            <Meter
              label="Turns of the last 24 hours that were learned from"
              done={covered}
              total={total}
              tone={covered === total ? "good" : undefined}
            />
          </div>
          <div class="grid tight">
            {SHOWN.map((state) => (
              <StateCard state={state} found={streams.find((stream) => stream.state === state)} />
            ))}
          </div>
        </>
      )}
      {open === 0 ? null : (
        <p class="soft">
          {plural(open, "window")} unfinished, {grouped(computed)} of them with an answer that is yet to be
          applied; the oldest since <Time sec={Math.min(...windows.map(({ oldestAt }) => oldestAt))} />.
        </p>
      )}
      <Faults overview={overview} />
      {overview.openDeadLetters === null || overview.openDeadLetters === 0 ? null : (
        <div class="card notice bad">
          <p>
            <a href="/desk/dead-letters">{plural(overview.openDeadLetters, "dead letter")}</a>: work that was
            given up and waits for somebody.
          </p>
        </div>
      )}
    </section>
  );
};
