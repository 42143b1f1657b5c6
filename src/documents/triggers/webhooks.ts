/**
 * Webhooks (section c.9): the sender is proven first, a repeated delivery id gets the first answer again, then each
 * playbook that listens to this source and event runs once or says why it does not.
 */
import { LIMITS } from "../spec";
import { meetsFilters } from "./filters";
import { type Listener, startListeners } from "./listeners";
import type { TriggerApplied, TriggerContext, TriggerEvent, TriggerReply, TriggerState } from "./model";
import { systemPrincipal } from "./plan";
import { isEnabled, newestPlaybooks, triggersOf } from "./playbooks";
import { withInput } from "./starting";

type Webhook = Extract<TriggerEvent, { type: "webhook" }>;

export function receiveWebhook(
  state: TriggerState,
  delivery: Webhook,
  nowMs: number,
  context: TriggerContext,
): TriggerApplied {
  if (delivery.signature !== "valid") {
    const reply: TriggerReply = {
      status: 401,
      code: `signature_${delivery.signature}`,
      runs: [],
      ignored: [],
    };
    return { state, starts: [], records: [], reply };
  }
  const { source, event, deliveryId } = delivery;
  const deliveryKey = deliveryId === undefined ? null : JSON.stringify([source, deliveryId]);
  const earlier = deliveryKey === null ? undefined : state.deliveries[deliveryKey];
  if (earlier && nowMs - earlier.atMs < LIMITS.dedupeSeconds * 1000) {
    return { state, starts: [], records: [], reply: earlier.reply };
  }

  const applied = startListeners(state, listenersTo(state, delivery), nowMs, context, {
    // Without an id of the sender's every delivery is an event of its own; bodies are never compared.
    identity: ["webhook", source, deliveryId ?? `#${state.sequence}`],
    trigger: { kind: "webhook", source, event, ...(deliveryId === undefined ? {} : { deliveryId }) },
    payload: delivery.payload,
    by: systemPrincipal(`webhook:${source}`),
  });
  const reply: TriggerReply = { status: 202, ...applied.told };
  const deliveries =
    deliveryKey === null ? state.deliveries : { ...state.deliveries, [deliveryKey]: { atMs: nowMs, reply } };
  return { ...applied, state: { ...applied.state, deliveries }, reply };
}

function listenersTo(state: TriggerState, { source, event, payload }: Webhook): Listener[] {
  const listeners: Listener[] = [];
  for (const known of newestPlaybooks(state)) {
    const triggers = triggersOf(known.document, "webhook").filter(
      (trigger) => trigger.source === source && trigger.event === event,
    );
    if (triggers.length === 0) continue;
    const enabled = triggers.filter(isEnabled);
    const met = enabled.find((trigger) => meetsFilters(trigger.filters, payload));
    if (met) listeners.push({ known, payload: withInput(met.input, payload) });
    else listeners.push({ known, why: enabled.length === 0 ? "disabled" : "filter_mismatch" });
  }
  return listeners;
}
