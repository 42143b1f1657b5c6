/** How far an aggregation has come, as a share and in words. Pure. */
import type { Operation } from "../../aggregation/operations-store";
import type { VersionOverview } from "../../aggregation/overview-store";
import { faultInWords } from "../fault-words";
import { plural } from "../parts";

export interface OperationProgress {
  done: number;
  /** Never 0. */
  total: number;
  tone: "good" | "bad" | "warn" | undefined;
  words: string;
}

/** Rules that a run still has before it. */
const leftOf = (backlog: Pick<VersionOverview, "untouched" | "fresh"> | undefined): number =>
  backlog === undefined ? 0 : backlog.untouched + backlog.fresh;

function countsInWords({ counts }: Pick<Operation, "counts">): string {
  if (counts === null) return "";
  const parts = [
    `${plural(counts.user_playbooks_processed, "rule")} looked at`,
    `${plural(counts.clusters_found, "cluster")} found`,
    `${plural(counts.playbooks_generated, "agent playbook")} written`,
    `${plural(counts.attachments, "rule")} joined a cluster`,
    ...(counts.retryable_failures > 0 ? [`${plural(counts.retryable_failures, "cluster")} put off`] : []),
  ];
  return parts.join(", ");
}

/** @param backlog of the operation's version */
export function progressOf(
  operation: Pick<Operation, "status" | "counts" | "error" | "attempts">,
  backlog: Pick<VersionOverview, "untouched" | "fresh"> | undefined,
): OperationProgress {
  const { status, counts, error, attempts } = operation;
  const done = counts?.user_playbooks_processed ?? 0;
  const counted = countsInWords(operation);
  switch (status) {
    case "succeeded":
      return { done: 1, total: 1, tone: "good", words: counted };
    case "failed": {
      const reason = `Failed: ${faultInWords(error ?? "execution_failed")}.`;
      const total = done + Math.max(1, leftOf(backlog));
      return {
        done,
        total,
        tone: "bad",
        words: counted === "" ? reason : `${reason} Until then: ${counted}.`,
      };
    }
    case "queued": {
      const total = Math.max(1, done + leftOf(backlog));
      const words =
        attempts === 0 || error === null
          ? "Waits for its first turn."
          : `Tried ${plural(attempts, "time")}, and will be again: ${faultInWords(error)}.`;
      return { done, total, tone: attempts === 0 ? undefined : "warn", words };
    }
    case "running": {
      // What is left shrinks and grows while users teach, so the bar is never full before the end.
      const total = done + Math.max(1, leftOf(backlog));
      return {
        done,
        total,
        tone: undefined,
        words: counted === "" ? "Its first turn is under way." : counted,
      };
    }
  }
}
