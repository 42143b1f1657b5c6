/** A rule of the map in words. */
import type { ItemReason } from "../../aggregation/model";
import type { MapRule } from "./map";

/** Why a rule stands in no cluster. */
const loneWords: Partial<Record<ItemReason, string>> = {
  new: "was taken in and waits for the next aggregation",
  waiting_for_company: "waits for another rule like it",
  outside_recent_clustering_window: "is older than what aggregation looks at",
  embedding_pending: "waits for its embedding",
  cluster_fence_lost: "waits for the next aggregation: something changed during the last one",
  cluster_retired: "its cluster was given up when the agent playbook was rejected, edited or deleted",
  cluster_invalidated:
    "waits while its cluster is made again: a rule that it rested on has changed or is gone",
  revision_rebuild: "waits while the cluster of the rules that it replaced is made again",
  deferred: "waits for the next turn of a long aggregation",
  llm_retryable_failure: "waits because the model could not answer",
  semantic_null: "holds nothing that others could use, said the model",
  rejected_before: "waits for somebody new to teach it: a rule made of it was rejected",
};

const isReason = (reason: string): reason is keyof typeof loneWords => Object.hasOwn(loneWords, reason);

/** Where the rule stands: `in cluster 3`, or why in none. */
export function standingOf({ cluster, reason }: Pick<MapRule, "cluster" | "reason">): string {
  if (cluster === "other") return "in one of the smaller clusters";
  if (cluster !== null) return `in cluster ${cluster.number}`;
  if (reason === null) return "in no cluster: aggregation has not looked at it yet";
  return isReason(reason) ? `in no cluster: ${loneWords[reason]}` : "in no cluster";
}

/** What a point says: three lines. */
export const tipOf = (rule: MapRule): string =>
  `When ${rule.trigger.trim() === "" ? "always" : rule.trigger}\nDo ${rule.content}\n(#${rule.userPlaybookId}, ${standingOf(rule)})`;
