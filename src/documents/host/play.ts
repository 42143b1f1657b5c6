/**
 * Plays a script against the host. Only the script moves the clock (ruling 15); when the host's process dies it is
 * started again and the script goes on, as the world would.
 */
import type { Json, PlaybookDocument } from "../model";
import type { Reply } from "../run/model";
import type { TriggerContext, TriggerReply } from "../triggers/model";
import type { Clock } from "./clock";
import { type CrashPlan, Durable, HostCrash, MAX_EVENTS } from "./durable";
import type { Compile } from "./reducer";
import {
  type ActionName,
  actionOf,
  type Delivery,
  type ScriptStep,
  type Simulation,
  scriptInstantMs,
} from "./script";
import { decisionEvent, deliveryEvent, findGate, startEvent } from "./script-events";
import { ScriptedWorld } from "./scripted-world";
import { deliveryFaults, isSameClass, shown } from "./trigger-replies";
import { VirtualHost } from "./virtual-host";

/** What publishing a document of the script came to. */
export type Publication =
  | { ok: true; document: PlaybookDocument }
  | { ok: false; status: number; codes: string[] };

export interface PlayInput extends Simulation {
  /** Whose run `start.trigger` starts; null when the script alone starts runs. */
  main: PlaybookDocument | null;
  /** Published at the start, in order. */
  published: readonly PlaybookDocument[];
  /** Reads and checks the document of a `publish` step, in whatever form it stands there. */
  publish: (document: Json, others: readonly PlaybookDocument[]) => Publication;
}

export interface PlayOptions {
  compile: Compile;
  crashes: CrashPlan;
  strict: boolean;
  /** For recoveries that never end: by default 20,000. */
  maxEvents?: number;
}

/** How a script's own expectation was not met. */
export interface ScriptFault {
  /** From 0. */
  step: number;
  action: ActionName;
  message: string;
}

export class Play {
  readonly clock: Clock;
  readonly durable: Durable;
  readonly world: ScriptedWorld;
  readonly faults: ScriptFault[] = [];
  /** Why the run that `start` asked for was refused. */
  refusal: TriggerReply | null = null;
  host: VirtualHost;
  private mainRunId: string | null = null;
  private readonly startMs: number;
  private readonly context: TriggerContext;

  constructor(
    private readonly input: PlayInput,
    private readonly options: PlayOptions,
  ) {
    this.startMs = scriptInstantMs(input.start.at, 0);
    this.clock = { nowMs: this.startMs };
    this.durable = new Durable(options.crashes, options.maxEvents ?? MAX_EVENTS);
    this.world = new ScriptedWorld(input.harness);
    this.context = { tenant: "conformance", secrets: Object.keys(input.harness.secrets), graceMs: 0 };
    this.host = this.newHost();
  }

  /** The run that the script speaks to: the one of `start`, or the newest that no other run started. */
  get targetRunId(): string | null {
    return this.mainRunId ?? this.durable.runs.findLast((log) => log.parent === null)?.runId ?? null;
  }

  /** @throws HostFault when host or reducer break a rule that no vector can allow */
  run(): this {
    const { main, published, start, script } = this.input;
    for (const document of published) this.attempt(() => this.host.trigger({ type: "publish", document }));
    if (main) {
      this.attempt(() =>
        this.host.trigger(startEvent(main, start), (reply) => {
          if (reply.runs[0] === undefined) this.refusal = reply;
          else this.mainRunId = reply.runs[0];
        }),
      );
    }
    this.deliverDue(this.clock.nowMs, true);
    for (const [index, step] of script.entries()) this.perform(step, index);
    this.deliverDue(this.clock.nowMs, false);
    return this;
  }

  private newHost(): VirtualHost {
    const { durable, world, clock, context } = this;
    const { compile, strict } = this.options;
    return new VirtualHost({ durable, world, clock, context, compile, strict });
  }

  /** Does something that the process may die of; what was stored by then stays done. */
  private attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      if (!(error instanceof HostCrash)) throw error;
      this.restart();
    }
  }

  /** The process may die again while it recovers; each time it has stored one more event. */
  private restart(): void {
    for (;;) {
      const died = this.host;
      this.host = this.newHost();
      try {
        this.host.recover(died);
        return;
      } catch (error) {
        if (!(error instanceof HostCrash)) throw error;
      }
    }
  }

  /** Lets the clock run up to an instant, delivering what is due on the way. */
  private deliverDue(untilMs: number, holding: boolean): void {
    for (;;) {
      const due = this.host.nextDue(untilMs, holding);
      if (!due) break;
      this.clock.nowMs = Math.max(this.clock.nowMs, due.dueAtMs);
      this.attempt(() => {
        due.deliver();
        this.host.startQueued();
      });
    }
    this.clock.nowMs = Math.max(this.clock.nowMs, untilMs);
  }

  private perform(step: ScriptStep, index: number): void {
    const fail = (message: string): void => {
      this.faults.push({ step: index, action: actionOf(step), message });
    };
    const atMs = step.at === undefined ? this.clock.nowMs : scriptInstantMs(step.at, this.startMs);
    if (atMs < this.clock.nowMs) {
      fail(`"${step.at}" is in the past.`);
      return;
    }
    this.deliverDue(atMs, step.before_timers);
    this.act(step, index, fail);
    // What the step itself brought about; what was due anyway comes with the next step.
    this.deliverDue(this.clock.nowMs, true);
  }

  private act(step: ScriptStep, index: number, fail: (message: string) => void): void {
    if (step.advanceTo !== undefined) {
      const toMs = scriptInstantMs(step.advanceTo, this.startMs);
      if (toMs < this.clock.nowMs) fail(`"${step.advanceTo}" is in the past.`);
      else this.deliverDue(toMs, step.before_timers);
    } else if (step.decide) {
      const gate = findGate(this.host, this.durable, this.targetRunId, step.decide.gate);
      const event = decisionEvent(step.decide, gate, index);
      this.request(gate?.runId ?? this.targetRunId, event, step.decide.expect, fail);
    } else if (step.signal) {
      const { name, payload, expect } = step.signal;
      const event = { type: "signal", name, ...(payload === undefined ? {} : { payload }) } as const;
      this.request(this.targetRunId, event, expect, fail);
    } else if (step.cancel) {
      const by = { id: "op-1", roles: ["operator"] };
      this.request(this.targetRunId, { type: "cancel", by }, step.cancel.expect, fail);
    } else if (step.pause) {
      this.request(this.targetRunId, { type: "pause" }, step.pause.expect, fail);
    } else if (step.resume) {
      this.request(this.targetRunId, { type: "resume" }, step.resume.expect, fail);
    } else if (step.mutateArtifact) {
      const { step: stepKey, index: artifact, body } = step.mutateArtifact;
      this.request(
        this.targetRunId,
        { type: "artifact.changed", stepKey, index: artifact, body },
        undefined,
        fail,
      );
    } else if (step.trigger) this.deliverTrigger(step.trigger, fail);
    else if (step.publish) this.publish(step.publish, fail);
    else if (step.hostDown) this.goDown(scriptInstantMs(step.hostDown.until, this.startMs), fail);
    else if (step.expectState) this.expectState(step.expectState, fail);
  }

  private request(
    runId: string | null,
    event: Parameters<VirtualHost["send"]>[1],
    expected: { status: number; code?: string } | undefined,
    fail: (message: string) => void,
  ): void {
    if (runId === null) {
      fail("There is no run to speak to.");
      return;
    }
    const replies: Reply[] = [];
    this.attempt(() => {
      this.host.send(runId, event, (reply) => replies.push(reply));
      this.host.startQueued();
    });
    if (!expected) return;
    const seen = replies[0];
    const isMet =
      seen?.status === expected.status && (expected.code === undefined || seen.code === expected.code);
    if (!isMet) fail(`expected ${shown(expected)}, got ${shown(seen)}.`);
  }

  private deliverTrigger(delivery: Delivery, fail: (message: string) => void): void {
    const replies: TriggerReply[] = [];
    const event = deliveryEvent(delivery, this.input.start.by);
    for (let time = 0; time < delivery.times; time++) {
      this.attempt(() => this.host.trigger(event, (reply) => replies.push(reply)));
    }
    for (const message of deliveryFaults(delivery, replies)) fail(message);
  }

  private publish(
    { document, expect }: NonNullable<ScriptStep["publish"]>,
    fail: (message: string) => void,
  ): void {
    const others = Object.values(this.host.triggers.newest).flatMap(
      ({ contentHash }) => this.host.triggers.documents[contentHash] ?? [],
    );
    const result = this.input.publish(document, others);
    if (result.ok) {
      const published = result.document;
      this.attempt(() => this.host.trigger({ type: "publish", document: published }));
    }
    const [status, codes] = result.ok ? [201, []] : [result.status, result.codes];
    if (expect?.status !== undefined && !isSameClass(expect.status, status)) {
      fail(`expected status ${expect.status}, got ${status} [${codes.join(", ")}].`);
    }
    const wanted = expect?.codes ? [...new Set(expect.codes)].sort().join() : null;
    if (wanted !== null && wanted !== [...new Set(codes)].sort().join()) {
      fail(`expected codes [${wanted}], got [${codes.join(", ")}].`);
    }
  }

  private goDown(untilMs: number, fail: (message: string) => void): void {
    if (untilMs < this.clock.nowMs) {
      fail("`until` is in the past.");
      return;
    }
    this.clock.nowMs = untilMs;
    this.restart();
  }

  private expectState(
    expected: NonNullable<ScriptStep["expectState"]>,
    fail: (message: string) => void,
  ): void {
    const runId = this.targetRunId;
    if (runId === null) {
      fail("There is no run to look at.");
      return;
    }
    const view = this.host.view(runId);
    if (expected.status !== undefined && expected.status !== view.status) {
      fail(`expected status ${expected.status}, got ${view.status}.`);
    }
    if (expected.step !== undefined && !view.currentSteps.includes(expected.step)) {
      fail(`expected the run at ${expected.step}, it is at [${view.currentSteps.join(", ")}].`);
    }
    const open = view.gates.filter((gate) => gate.open).map(({ gate }) => gate);
    if (expected.gate !== undefined && !open.includes(expected.gate)) {
      fail(`expected the gate ${expected.gate} open, open are [${open.join(", ")}].`);
    }
  }
}
