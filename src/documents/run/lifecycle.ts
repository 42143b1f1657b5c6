/** A run's life as others steer it: created, started, paused, resumed, cancelled, told something (c.2, ruling 12). */
import type { Json } from "../model";
import { openCell } from "./cells";
import { endRun } from "./end";
import type { Principal, RunEvent, RunStart } from "./model";
import { type Artifact, entry } from "./state";
import { artifactOf } from "./steps/artifacts";
import { lookAgain } from "./steps/wait";
import type { Turn } from "./turn";

type Event<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

export function create(turn: Turn, start: RunStart): void {
  if (turn.state.start) return;
  turn.state.start = start;
  const { source, event, deliveryId, kind } = start.trigger;
  turn.record("run.created", {
    actor: start.startedBy.id,
    data: {
      runId: start.runId,
      playbookId: start.playbookId,
      version: start.version,
      contentHash: start.contentHash,
      trigger: {
        kind,
        ...(source === undefined ? {} : { source }),
        ...(event === undefined ? {} : { event }),
        ...(deliveryId === undefined ? {} : { deliveryId }),
      },
      ...(start.parent ? { parent: { ...start.parent } } : {}),
    },
  });
}

/** A run that was paused before it started begins when it is resumed. */
export function begin(turn: Turn): void {
  if (turn.ended || turn.state.startedAtMs !== null) return;
  turn.state.startedAtMs = turn.nowMs;
  turn.record("run.started");
  openCell(turn, turn.program.entry);
}

export function pause(turn: Turn, { by }: Event<"pause">): void {
  if (refuseAfterEnd(turn, "pause", by)) return;
  if (turn.state.paused) turn.reply = { status: 409, code: "run_paused" };
  else {
    turn.state.paused = true;
    turn.record("run.paused", actorOf(by));
    turn.reply = { status: 200 };
  }
}

export function resume(turn: Turn, { by }: Event<"resume">): void {
  if (refuseAfterEnd(turn, "resume", by)) return;
  if (!turn.state.paused) turn.reply = { status: 409, code: "run_not_paused" };
  else {
    turn.state.paused = false;
    turn.record("run.resumed", actorOf(by));
    turn.reply = { status: 200 };
  }
}

export function cancel(turn: Turn, { by, reasonCode = "operator_cancelled" }: Event<"cancel">): void {
  if (refuseAfterEnd(turn, "cancel", by)) return;
  const reason =
    reasonCode === "parent_cancelled" ? "The run that started this one has ended." : "The run was cancelled.";
  endRun(turn, { status: "cancelled", reasonCode, reason, ...actorOf(by) });
  turn.reply = { status: 200 };
}

export function signal(turn: Turn, { name, payload = null }: Event<"signal">): void {
  if (refuseAfterEnd(turn, "signal", undefined)) return;
  // A computed name is an own member, even `__proto__`.
  turn.state.signals = { ...turn.state.signals, [name]: payload };
  turn.record("signal.received", { subject: name });
  lookAgain(turn);
  turn.reply = { status: 200 };
}

/** What a gate has frozen stays as it was seen; everything else is read as it is now (c.4, ruling 10). */
export function changeArtifact(turn: Turn, stepKey: string, index: number, body: Json): void {
  const cell = entry(turn.state.cells, stepKey);
  const before = cell?.artifacts[index];
  if (!cell || !before || cell.frozen || turn.ended) return;
  const changed: Artifact = artifactOf({ type: before.type, body });
  cell.artifacts = cell.artifacts.map((artifact, at) => (at === index ? changed : artifact));
  lookAgain(turn);
}

function refuseAfterEnd(turn: Turn, what: string, by: Principal | undefined): boolean {
  if (!turn.ended) return false;
  turn.record("late_event", { subject: what, ...actorOf(by) });
  turn.reply = { status: 409, code: "run_terminal" };
  return true;
}

const actorOf = (by: Principal | undefined): { actor?: string } => (by ? { actor: by.id } : {});
