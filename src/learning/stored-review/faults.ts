/** What a fault of the ports means for a review. Pure. */
import { EmbedderError } from "../../platform/embedder/port";
import { ReasonerError } from "../../platform/reasoner/port";
import type { StopCode } from "./model";

/** @returns the closed code, or null for a fault that is not the ports' */
export function stopCodeOf(error: unknown): StopCode | null {
  if (error instanceof EmbedderError) return "embedding_failed";
  if (!(error instanceof ReasonerError)) return null;
  if (error.code === "daily_cap") return "daily_cap";
  const byFault = {
    transient: "model_unavailable",
    unusable: "review_invalid",
    refused: "model_refused",
  } as const;
  return byFault[error.fault];
}
