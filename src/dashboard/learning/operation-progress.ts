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

/**
 * Once it is planned, an operation counts its clusters and the commit, so the bar is full only at the end.
 * @param backlog of the operation's version: the measure before it is planned
 */
export function progressOf(
  operation: Pick<Operation, "status" | "counts" | "error" | "attempts" | "progress" | "skipped">,
  backlog: Pick<VersionOverview, "untouched" | "fresh"> | undefined,
): OperationProgress {
  const { status, error, attempts } = operation;
  const looked = operation.counts?.user_playbooks_processed ?? 0;
  const { done, total } = operation.progress ?? {
    done: looked,
    total: looked + Math.max(1, leftOf(backlog)),
  };
  const counted = countsInWords(operation);
  switch (status) {
    case "succeeded":
      return operation.skipped === null
        ? { done: 1, total: 1, tone: "good", words: counted }
        : { done: 1, total: 1, tone: undefined, words: "There were too few rules to merge." };
    case "failed": {
      const reason = `Failed: ${faultInWords(error ?? "execution_failed")}.`;
      return {
        done,
        total,
        tone: "bad",
        words: counted === "" ? reason : `${reason} Until then: ${counted}.`,
      };
    }
    case "queued": {
      const words =
        attempts === 0 || error === null
          ? "Waits for its first turn."
          : `Tried ${plural(attempts, "time")}, and will be again: ${faultInWords(error)}.`;
      return { done, total, tone: attempts === 0 ? undefined : "warn", words };
    }
    case "running": {
      return {
        done,
        total,
        tone: undefined,
        words: counted === "" ? "Its first turn is under way." : counted,
      };
    }
  }
}
