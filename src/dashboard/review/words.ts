/** Flags and events of a rule in the words of somebody at the desk. */
import type { Flag } from "../../playbooks/model";

export const flagText: Record<Flag, string> = {
  instruction_like: "reads like an instruction to the model",
  secret: "holds something like a secret",
  personal_detail: "holds personal detail",
  link: "holds a link",
  invisible_characters: "holds invisible characters",
  look_alike: "holds look-alike letters",
  redirects: "sends money, data or people somewhere",
  delayed_trigger: "waits for a code word or a later time",
  few_distinct_users: "rests on too few users",
  thin_support: "rests on little evidence",
  contradicts_approved: "contradicts an approved rule",
  tainted: "rests on something that was revoked",
  harmful: "did more harm than good, as callers say",
};

const opText: Record<string, string> = {
  create: "written",
  aggregate: "made from user playbooks",
  revise: "edited",
  merge: "merged",
  archive: "archived",
  soft_delete: "retired",
  hard_delete: "deleted",
  purge: "purged",
};

export interface HistoryEvent {
  op: string;
  actor: string;
  reason: string | null;
  created_at: number;
  from_status: string | null;
  to_status: string | null;
}

/** What an event was: `pending → approved`, `edited`. */
export function eventText({ op, from_status, to_status }: HistoryEvent): string {
  if (op !== "status_change") return opText[op] ?? op;
  return `${from_status ?? "current"} → ${to_status ?? "current"}`;
}
