/** Aggregations that a person asked for, newest first, each with its bar. */
import type { Operation, OperationStatus } from "../../aggregation/operations-store";
import { Badge, hrefOf, Meter, Pager, Time, type Tone } from "../parts";
import { visible } from "../visible";
import { progressOf } from "./operation-progress";
import type { Overview } from "./overview";

const toneOf: Record<OperationStatus, Tone | undefined> = {
  queued: undefined,
  running: "info",
  succeeded: "good",
  failed: "bad",
};

const One = ({ operation, overview }: { operation: Operation; overview: Overview }) => {
  const { done, total, tone, words } = progressOf(operation, overview.backlogOf.get(operation.agentVersion));
  return (
    <li class="card" id={operation.operationId}>
      <div class="row between">
        <p>
          <Badge tone={toneOf[operation.status]}>{operation.status}</Badge>{" "}
          <strong>{visible(operation.agentVersion)}</strong>
        </p>
        <p class="soft">
          asked for <Time sec={operation.createdAt} />
          {operation.updatedAt === operation.createdAt ? null : (
            <>
              , last news <Time sec={operation.updatedAt} />
            </>
          )}
        </p>
      </div>
      <Meter
        label={`Aggregation of ${visible(operation.agentVersion)}`}
        done={done}
        total={total}
        tone={tone}
      />
      <p class="soft">{visible(words)}</p>
    </li>
  );
};

export const Operations = ({ overview }: { overview: Overview }) => (
  <section aria-labelledby="operations-heading">
    <h2 id="operations-heading">Operations</h2>
    {overview.operations.length === 0 ? (
      <div class="card">
        <p>
          Nobody has asked for an aggregation yet; they run by themselves every hour. One that is started
          here, or with <code>POST /api/run_playbook_aggregation</code>, is listed with its progress.
        </p>
      </div>
    ) : (
      <ul class="plain operations">
        {overview.operations.map((operation) => (
          <One operation={operation} overview={overview} />
        ))}
      </ul>
    )}
    <Pager
      older={
        overview.nextOperations === null
          ? undefined
          : hrefOf("/desk/learning", {
              before: overview.nextOperations.createdAt,
              before_id: overview.nextOperations.operationId,
            })
      }
    />
  </section>
);
