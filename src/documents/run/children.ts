/** What the runs of sub-playbooks say: that they want to spend, have spent, are parked, or have ended (c.3, c.6). */
import { amountOf, book, isOverspent, reserve } from "./budget";
import type { RunEvent } from "./model";
import { type Amount, type Child, entry } from "./state";
import { lookAgain } from "./steps/wait";
import type { Turn } from "./turn";

type Event<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

const TERMINAL: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

/** Its status, which tells whether its element is parked. */
export function receiveChildStatus(turn: Turn, { childKey, status }: Event<"child.status">): void {
  const child = runningChild(turn, childKey);
  if (child && !TERMINAL.has(status)) child.status = status;
}

/** Its end. */
export function receiveChildEnd(turn: Turn, event: Event<"child.ended">): void {
  const child = runningChild(turn, event.childKey);
  if (!child) return;
  child.status = event.status;
  for (const callId of Object.keys(child.asks)) delete turn.state.reserved[callId];
  child.asks = {};
  if (turn.ended) return;
  const { childKey, status, reasonCode, output } = event;
  turn.plan({ do: "child_ended", childKey, status, reasonCode, output });
  lookAgain(turn);
}

/** It wants to call a model. */
export function receiveChildQuote(turn: Turn, event: Event<"child.quoted">): void {
  const { childKey, callId } = event;
  const child = runningChild(turn, childKey);
  if (!child || turn.ended || child.spent.includes(callId)) return;
  const estimate = amountOf(event.estimateMicroCents, event.estimateCredits);
  turn.plan({ do: "child_price", childKey, callId, estimate });
}

/** Reserves it here and, if this run has a parent itself, there too. A pot that is too small ends this run. */
export function priceForChild(turn: Turn, childKey: string, callId: string, estimate: Amount): void {
  const child = runningChild(turn, childKey);
  const cell = child && turn.cell(child.cellKey);
  if (!child || !cell || child.cancelled || child.spent.includes(callId)) return;
  const asked = entry(child.asks, callId);
  if (asked === "granted") turn.emit({ type: "grantChild", childKey, callId });
  if (asked || !reserve(turn, callId, estimate, cell)) return;
  child.asks = { ...child.asks, [callId]: "asking" };
  if (turn.start.parent)
    turn.emit({
      type: "askParent",
      callId,
      estimateMicroCents: estimate.microCents,
      estimateCredits: estimate.credits,
    });
  else grant(turn, child, callId);
}

/** This run's parent has granted what a child of it wants. */
export function grantToChild(turn: Turn, callId: string): void {
  const child = Object.values(turn.state.children).find(({ asks }) => entry(asks, callId) === "asking");
  if (child) grant(turn, child, callId);
}

function grant(turn: Turn, child: Child, callId: string): void {
  child.asks = { ...child.asks, [callId]: "granted" };
  turn.emit({ type: "grantChild", childKey: child.childKey, callId });
}

/** What a call of it has cost. Counted once, however often it is said. */
export function receiveChildSpending(turn: Turn, event: Event<"child.spent">): void {
  const { childKey, callId } = event;
  const child = entry(turn.state.children, childKey);
  if (!child || child.spent.includes(callId)) return;
  const cost = amountOf(event.costMicroCents, event.costCredits);
  const { [callId]: _, ...asks } = child.asks;
  child.asks = asks;
  child.spent = [...child.spent, callId];
  turn.record(turn.ended ? "late_result" : "llm.usage", {
    subject: child.cellKey,
    stepKey: child.cellKey,
    data: { child: childKey, costMicroCents: cost.microCents },
  });
  book(turn, callId, cost, turn.cell(child.cellKey));
  if (!turn.ended && isOverspent(turn)) turn.plan({ do: "overspent" });
}

function runningChild(turn: Turn, childKey: string): Child | undefined {
  const child = entry(turn.state.children, childKey);
  return child && !TERMINAL.has(child.status) ? child : undefined;
}
