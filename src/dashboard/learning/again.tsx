/** Learning again from what is stored: the last generation that somebody asked for, and reviews of stored rules. */
import { type GenerationOperation, type GenerationStatus, percentOf } from "../../learning/modes/model";
import { type ReviewRun, type RunState, stopWords } from "../../learning/stored-review/model";
import { Badge, Meter, plural, Time, type Tone } from "../parts";
import { visible } from "../visible";
import type { Overview } from "./overview";

const toneOf: Record<GenerationStatus | RunState, Tone | undefined> = {
  in_progress: "info",
  running: "info",
  completed: "good",
  done: "good",
  failed: "bad",
  cancelled: "warn",
};

const nameOf = { rerun: "Rerun", manual: "Generation by hand" } as const;

function generationInWords(operation: GenerationOperation): string {
  const parts = [
    `${operation.processedUsers} of ${plural(operation.totalUsers, "user")} done`,
    ...(operation.failedUsers > 0 ? [`${operation.failedUsers} failed`] : []),
    `${plural(operation.turns, "turn")} read`,
    `${plural(operation.rules, "rule")} made`,
  ];
  const counted = `${parts.join(", ")}.`;
  if (operation.errorMessage !== null) return `${counted} It ended: ${operation.errorMessage}.`;
  return operation.isCancelled && operation.status === "in_progress"
    ? `${counted} Being cancelled.`
    : counted;
}

const Generation = ({ operation }: { operation: GenerationOperation }) => (
  <li class="card" id={operation.operationId}>
    <div class="row between">
      <p>
        <Badge tone={toneOf[operation.status]}>{operation.status.replace("_", " ")}</Badge>{" "}
        <strong>
          {nameOf[operation.mode]} of {visible(operation.agentVersion)}
        </strong>
      </p>
      <p class="soft">
        asked for <Time sec={operation.startedAt} />
      </p>
    </div>
    <Meter
      label={`${nameOf[operation.mode]} of ${visible(operation.agentVersion)}`}
      done={percentOf(operation)}
      total={100}
      tone={operation.status === "failed" ? "bad" : operation.status === "completed" ? "good" : undefined}
    />
    <p class="soft">{visible(generationInWords(operation))}</p>
  </li>
);

const Review = ({ run }: { run: ReviewRun }) => (
  <li class="card" id={run.runId}>
    <div class="row between">
      <p>
        <Badge tone={toneOf[run.state]}>{run.state}</Badge> <strong>Review of stored rules</strong>
      </p>
      <p class="soft">
        asked for <Time sec={run.startedAt} />
      </p>
    </div>
    <Meter
      label="Review of stored rules"
      done={run.position}
      total={Math.max(1, run.selected)}
      tone={run.state === "failed" ? "bad" : run.state === "done" ? "good" : undefined}
    />
    <p class="soft">
      {run.position} of {plural(run.selected, "rule")} decided: {run.accepted} kept, {run.edited} edited,{" "}
      {run.rejected} rejected, {run.skipped} without evidence.
      {run.error === null ? null : ` ${stopWords[run.error]}`}
    </p>
  </li>
);

export const Again = ({ overview: { generation, reviews } }: { overview: Overview }) => (
  <section aria-labelledby="again-heading">
    <h2 id="again-heading">Learned again</h2>
    {generation === null && reviews.length === 0 ? (
      <div class="card">
        <p>
          Nobody has asked for it yet. <code>POST /api/rerun_playbook_generation</code> learns from stored
          turns once more, and <code>POST /api/review_user_playbooks</code> holds stored rules against them.
        </p>
      </div>
    ) : (
      <ul class="plain operations">
        {generation === null ? null : <Generation operation={generation} />}
        {reviews.map((run) => (
          <Review run={run} />
        ))}
      </ul>
    )}
  </section>
);
