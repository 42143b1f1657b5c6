/** What the host does about each effect of a run. Between runs it sends messages, which become their events. */
import type { Effect, PublicOutcome, RunEvent } from "../run/model";
import type { Agenda } from "./agenda";
import type { Clock } from "./clock";
import type { RunLog } from "./durable";
import type { ScriptedWorld } from "./scripted-world";

/** The run whose effects they are. */
export interface EffectOwner {
  runId: string;
  index: number;
  log: RunLog;
}

/** What performing effects needs of a host. */
export interface EffectHost {
  readonly agenda: Agenda;
  readonly world: ScriptedWorld;
  readonly clock: Clock;
  send(runId: string, event: RunEvent): void;
  /** What starts runs hears of the end of one; once. */
  noteEnd(runId: string, outcome: PublicOutcome): void;
  startChild(parentRunId: string, effect: Extract<Effect, { type: "startChildRun" }>): void;
  /** A child that has not ended; undefined when there is none of that key. */
  activeChildOf(parentRunId: string, childKey: string): string | undefined;
}

/** @throws HostCrash when the script lets the process die once a call has taken effect */
export function performEffect(host: EffectHost, owner: EffectOwner, effect: Effect): void {
  const { agenda, world, clock } = host;
  const { runId } = owner;
  switch (effect.type) {
    case "quoteAgent": {
      const { callId, order } = effect;
      const event: RunEvent = { type: "agent.quoted", callId, estimateMicroCents: world.quote(effect) };
      agenda.quote(owner, order, clock.nowMs, () => host.send(runId, event));
      return;
    }
    case "callAgent":
    case "callTool":
      world.arrive(effect, runId, clock.nowMs);
      return;
    case "armTimer": {
      const { key, order, dueAtMs } = effect;
      agenda.arm(owner, key, order, dueAtMs, () => host.send(runId, { type: "timer", key }));
      return;
    }
    case "disarmTimer":
      agenda.disarm(owner, effect.key);
      return;
    case "startChildRun":
      agenda.post(clock.nowMs, () => host.startChild(runId, effect));
      return;
    case "cancelChildRun":
      toChild(host, runId, effect.childKey, { type: "cancel", reasonCode: "parent_cancelled" });
      return;
    case "grantChild":
      toChild(host, runId, effect.childKey, { type: "parent.granted", callId: effect.callId });
      return;
    case "runEnded":
      if (owner.log.parent) toParent(host, owner, effect);
      else agenda.post(clock.nowMs, () => host.noteEnd(runId, effect.outcome));
      return;
    case "askParent":
    case "reportSpent":
    case "reportStatus":
      toParent(host, owner, effect);
      return;
    // An aborted call may still answer. Whoever watches gates looks at the run's view.
    case "abortCall":
    case "openGate":
    case "closeGate":
    case "remindGate":
      return;
  }
}

/** A child that has ended has said so: what comes too late for it is no news. */
function toChild(host: EffectHost, parentRunId: string, childKey: string, event: RunEvent): void {
  host.agenda.post(host.clock.nowMs, () => {
    const childRunId = host.activeChildOf(parentRunId, childKey);
    if (childRunId !== undefined) host.send(childRunId, event);
  });
}

type ParentEffect = Extract<Effect, { type: "askParent" | "reportSpent" | "reportStatus" | "runEnded" }>;

function toParent(host: EffectHost, { log }: EffectOwner, effect: ParentEffect): void {
  if (!log.parent) return;
  const { runId, childKey } = log.parent;
  const event = parentEventOf(effect, childKey);
  host.agenda.post(host.clock.nowMs, () => host.send(runId, event));
}

function parentEventOf(effect: ParentEffect, childKey: string): RunEvent {
  switch (effect.type) {
    case "askParent": {
      const { callId, estimateMicroCents, estimateCredits } = effect;
      return { type: "child.quoted", childKey, callId, estimateMicroCents, estimateCredits };
    }
    case "reportSpent": {
      const { callId, costMicroCents, costCredits } = effect;
      return { type: "child.spent", childKey, callId, costMicroCents, costCredits };
    }
    case "reportStatus":
      return { type: "child.status", childKey, status: effect.status };
    case "runEnded": {
      const { status, reasonCode, output } = effect.outcome;
      return { type: "child.ended", childKey, status, reasonCode, output };
    }
  }
}
