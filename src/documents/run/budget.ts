/**
 * The pot of a run: what is spent, what is reserved for calls in flight, and whether one more fits (c.6, rulings 11, 20
 * and 39). Money is reserved before it is spent, so parallel calls cannot overshoot. A cap of 0 lets free calls pass.
 */
import type { JsonObject } from "../model";
import { reportSpent } from "./abort";
import { trip } from "./guardrails";
import type { Amount, Cell } from "./state";
import type { Turn } from "./turn";

/** An amount as a host names it. What is no amount counts as more than any cap. */
export const amountOf = (microCents: number, credits: number | undefined): Amount => ({
  microCents: Math.ceil(moneyOf(microCents)),
  credits: moneyOf(credits ?? 0),
});

const moneyOf = (value: number): number =>
  value <= 0 ? 0 : Number.isFinite(value) ? value : Number.MAX_SAFE_INTEGER;

/**
 * Sets money aside for a call; ends the run when it does not fit.
 * @returns whether it fitted
 */
export function reserve(turn: Turn, callId: string, estimate: Amount, cell: Cell): boolean {
  const { state } = turn;
  const held = reservedIn(turn);
  const total: Amount = {
    microCents: state.spent.microCents + held.microCents + estimate.microCents,
    credits: state.spent.credits + held.credits + estimate.credits,
  };
  const step = turn.stepOf(cell);
  const stepCap = step.kind === "agent" ? step.capMicroCents : null;
  const pastStepCap = stepCap !== null && cell.spentMicroCents + estimate.microCents > stepCap;
  if (!isOver(turn, total) && !pastStepCap) {
    state.reserved[callId] = estimate;
    return true;
  }
  trip(turn, "guardrail_llm_cost", {
    cell,
    reason: pastStepCap
      ? `A model call of "${cell.key}" would exceed the step's own cost cap.`
      : `A model call of "${cell.key}" would exceed the cost cap.`,
    data: {
      ...figures(turn),
      estimateMicroCents: estimate.microCents,
      reservedMicroCents: held.microCents,
      ...(estimate.credits > 0 ? { estimateCredits: estimate.credits } : {}),
      ...(pastStepCap && stepCap !== null ? { stepCapMicroCents: stepCap } : {}),
    },
  });
  return false;
}

/** Books what a call has cost, in place of what was reserved for it. */
export function book(turn: Turn, callId: string, cost: Amount, cell: Cell | undefined): void {
  const { state } = turn;
  delete state.reserved[callId];
  state.spent.microCents += cost.microCents;
  state.spent.credits += cost.credits;
  if (cell) cell.spentMicroCents += cost.microCents;
  reportSpent(turn, callId, cost);
}

/** Whether more is spent than may be; a cap that is reached exactly is kept. */
export function isOverspent(turn: Turn, cell?: Cell): boolean {
  const step = cell ? turn.stepOf(cell) : undefined;
  const stepCap = step?.kind === "agent" ? step.capMicroCents : null;
  return isOver(turn, turn.state.spent) || (stepCap !== null && (cell?.spentMicroCents ?? 0) > stepCap);
}

/** Ends the run for what it has spent. */
export const overspent = (turn: Turn): void =>
  trip(turn, "guardrail_llm_cost", {
    reason: "Model calls have cost more than the cost cap.",
    data: figures(turn),
  });

const isOver = ({ program, start }: Turn, { microCents, credits }: Amount): boolean =>
  microCents > program.capMicroCents || (start.creditCap !== undefined && credits > start.creditCap);

function reservedIn({ state }: Turn): Amount {
  const total = { microCents: 0, credits: 0 };
  for (const { microCents, credits } of Object.values(state.reserved)) {
    total.microCents += microCents;
    total.credits += credits;
  }
  return total;
}

/** Both denominations, whichever of them it was. */
const figures = ({ state, program, start }: Turn): JsonObject => ({
  spentMicroCents: state.spent.microCents,
  capMicroCents: program.capMicroCents,
  ...(start.creditCap === undefined ? {} : { spentCredits: state.spent.credits, creditCap: start.creditCap }),
});
