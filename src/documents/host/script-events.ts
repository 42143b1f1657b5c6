/** The steps of a script as the events that a host takes. */
import type { PlaybookDocument } from "../model";
import type { Principal, RunEvent, RunStart } from "../run/model";
import type { TriggerEvent } from "../triggers/model";
import type { Durable } from "./durable";
import type { Delivery, ScriptStep, Start, StartTrigger } from "./script";
import type { VirtualHost } from "./virtual-host";

/** A vector that only has documents and a start is started by hand. */
const BY_HAND: StartTrigger = { kind: "manual", payload: {} };

/** The start of a vector's own run. */
export function startEvent(document: PlaybookDocument, start: Start): TriggerEvent {
  const trigger = start.trigger ?? BY_HAND;
  const told: RunStart["trigger"] =
    trigger.kind === "webhook"
      ? {
          kind: trigger.kind,
          source: trigger.source,
          event: trigger.event,
          ...(trigger.deliveryId === undefined ? {} : { deliveryId: trigger.deliveryId }),
        }
      : { kind: trigger.kind };
  const { payload } = trigger;
  return { type: "start", document, trigger: told, payload, config: start.config, by: start.by };
}

/** A delivery as the host takes it; a start by hand is by the vector's own starter unless it says otherwise. */
export function deliveryEvent(delivery: Delivery, starter: Principal): TriggerEvent {
  const { payload } = delivery;
  switch (delivery.kind) {
    case "webhook": {
      const { source, event, signature, deliveryId } = delivery;
      const id = deliveryId === undefined ? {} : { deliveryId };
      return { type: "webhook", source, event, payload, signature, ...id };
    }
    case "manual": {
      const target = delivery.playbookId === undefined ? {} : { playbookId: delivery.playbookId };
      return { type: "manual", payload, by: delivery.by === undefined ? starter : delivery.by, ...target };
    }
    case "dependency":
      return { type: "dependency", playbookId: delivery.playbookId, payload };
    case "agent_finding": {
      const role = delivery.role === undefined ? {} : { role: delivery.role };
      return { type: "agent_finding", agent: delivery.agent, payload, ...role };
    }
  }
}

interface FoundGate {
  runId: string;
  gateId: string;
  subjectHash: string;
  /** Of the gate that the run opened before. */
  previousHash: string | null;
}

/**
 * The newest gate of this name, an open one before a closed one: in the run that the script speaks to, else in the
 * runs of its items.
 */
export function findGate(
  host: VirtualHost,
  durable: Durable,
  targetRunId: string | null,
  name: string,
): FoundGate | null {
  const others = durable.runs.map((log) => log.runId).filter((runId) => runId !== targetRunId);
  const runIds = [...(targetRunId === null ? [] : [targetRunId]), ...others.reverse()];
  let closed: FoundGate | null = null;
  for (const runId of runIds) {
    const { gates } = host.view(runId);
    const named = gates.flatMap((gate, index) => (gate.gate === name ? [{ ...gate, index }] : []));
    const gate = named.findLast(({ open }) => open) ?? named.at(-1);
    if (!gate) continue;
    const previousHash = gates[gate.index - 1]?.subjectHash ?? null;
    const found = { runId, gateId: gate.gateId, subjectHash: gate.subjectHash, previousHash };
    if (gate.open) return found;
    closed ??= found;
  }
  return closed;
}

/** A decision for a gate that never opened names an instance that does not exist (ruling 13). */
export function decisionEvent(
  decide: NonNullable<ScriptStep["decide"]>,
  gate: FoundGate | null,
  index: number,
): RunEvent {
  const hashes = { current: gate?.subjectHash, stale: gate?.previousHash ?? "0".repeat(64) };
  const subjectHash = decide.subjectHash === undefined ? undefined : hashes[decide.subjectHash];
  return {
    type: "gate.decide",
    gateId: gate?.gateId ?? `gate_that_never_opened_${index}`,
    decision: decide.decision,
    by: decide.by,
    ...(decide.comment === undefined ? {} : { comment: decide.comment }),
    ...(subjectHash === undefined ? {} : { subjectHash }),
    key: decide.key ?? `step-${index}`,
  };
}
