/** The last stretch of an agent and a tool step: what they made is approved where it must be, and the step succeeds. */
import { succeed } from "../cells";
import { openForOffer } from "../gates/open";
import type { Cell, Offer } from "../state";
import { disarm, timerKey } from "../timers";
import type { Turn } from "../turn";
import { artifactsNeedGate, emitArtifacts } from "./artifacts";

/** The step offers its result. */
export function offerResult(turn: Turn, cell: Cell, offer: Offer): void {
  disarm(turn, timerKey.attempt(cell.key));
  cell.offer = offer;
  if (artifactsNeedGate(turn, cell, offer.artifacts)) openForOffer(turn, cell, "artifact", offer);
  else {
    emitArtifacts(turn, cell, offer.artifacts);
    const step = turn.stepOf(cell);
    if (step.kind === "agent" && step.holdsOutput) openForOffer(turn, cell, "output", offer);
    else succeed(turn, cell, offer.output);
  }
}

/** A person has approved what the step had made, artifacts and output alike. */
export function acceptOffer(turn: Turn, cell: Cell, reason: "artifact" | "output"): void {
  const { offer } = cell;
  if (!offer) throw new Error(`"${cell.key}" has nothing on offer`);
  if (reason === "artifact") emitArtifacts(turn, cell, offer.artifacts);
  succeed(turn, cell, offer.output);
}
