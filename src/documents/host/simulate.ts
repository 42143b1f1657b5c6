/** Runs documents on the virtual clock by a script, once, and says what happened. */
import type { Json, PlaybookDocument } from "../model";
import { validateDocument } from "../validate";
import { type Observed, observe } from "./observe";
import { Play, type Publication } from "./play";
import { compiler } from "./reducer";
import type { Simulation } from "./script";

export interface SimulationInput extends Simulation {
  /**
   * In canonical names. With `start.trigger` the run is of the first one and the others are published before it;
   * without, all are published and the script starts runs.
   */
  documents: readonly PlaybookDocument[];
}

export interface SimulationResult extends Observed {
  /** Where the clock stood at the end, in milliseconds since 1970. */
  endedAtMs: number;
}

/** @throws HostFault when host or reducer break a rule that no script can allow */
export function simulate(input: SimulationInput): SimulationResult {
  const [first, ...others] = input.documents;
  const main = input.start.trigger === undefined ? null : (first ?? null);
  const published = main ? others : input.documents;
  const play = new Play(
    { ...input, main, published, publish: publishDocument },
    { compile: compiler(), crashes: null, strict: false },
  ).run();
  return { ...observe(play), endedAtMs: play.clock.nowMs };
}

/** Publishes a document that is given as a value or as text. */
export function publishDocument(document: Json, others: readonly PlaybookDocument[]): Publication {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  return publishText(text, others);
}

/** What the validator says decides: 409 for a version that exists with other content, 422 for all else. */
export function publishText(text: string, others: readonly PlaybookDocument[]): Publication {
  const { valid, findings, document } = validateDocument({ text }, { mode: "publish", others });
  if (valid && document) return { ok: true, document };
  const codes = findings.filter(({ severity }) => severity === "error").map(({ code }) => code);
  const isOnlyImmutable = codes.every((code) => code === "D211");
  return { ok: false, status: isOnlyImmutable ? 409 : 422, codes };
}
