/** States and outcomes of user playbooks in the words of somebody at the desk. */
import type { LifecycleStatus } from "../../playbooks/model";
import type { LifecycleView } from "../../playbooks/user-list-store";
import type { Tone } from "../parts";

const stateText: Record<LifecycleStatus, { label: string; tone?: Tone }> = {
  pending: { label: "in review", tone: "warn" },
  archived: { label: "archived" },
  archive_in_progress: { label: "being archived" },
  merged: { label: "merged" },
  superseded: { label: "replaced" },
};

/** Where a rule stands; null is in use. */
export const stateOf = (status: LifecycleStatus | null): { label: string; tone?: Tone } =>
  status === null ? { label: "in use", tone: "good" } : stateText[status];

export const viewText: Record<LifecycleView, string> = {
  kept: "not replaced",
  current: "in use",
  pending: "in review",
  archived: "archived",
  replaced: "replaced",
  all: "all",
};

/** What a form did; closed words, so that no link can put others on the page. */
export const outcomes = ["saved", "archived", "restored", "deleted", "kept"] as const;
export type Outcome = (typeof outcomes)[number];

export const outcomeText: Record<Outcome, string> = {
  saved: "is saved.",
  archived: "is archived: it serves nobody and teaches nothing until it is taken back into use.",
  restored: "is in use again.",
  deleted: "is deleted for good.",
  kept: "stays: it is in use again.",
};

/** The kind of evidence that a rule rests on. */
export const angleText: Record<string, string> = {
  correction: "a correction",
  preference: "a preference",
  "observed-failure": "a failure that was seen",
  "rejected-approach": "an approach that was rejected",
  "verified-success": "a success that was confirmed",
  "expert-gap": "an expert's answer",
};
