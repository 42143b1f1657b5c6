/** What an erasure has deleted, where it stands, and what callers see of it. */
import * as z from "zod";
import type { Work } from "../db/outbox";

/** Rows deleted so far. */
export const countsSchema = z.object({
  interactions: z.int(),
  requests: z.int(),
  user_playbooks: z.int(),
  /** Rules of agents whose wording came of the user's; what stays of their sources is aggregated anew. */
  agent_playbooks: z.int(),
  windows: z.int(),
});
export type Counts = z.output<typeof countsSchema>;

export const noCounts: Counts = {
  interactions: 0,
  requests: 0,
  user_playbooks: 0,
  agent_playbooks: 0,
  windows: 0,
};

/** A user who is being forgotten. */
export interface Erasure {
  erasureId: string;
  userId: string;
  principalId: string;
  counts: Counts;
  /** Seconds. */
  begunAt: number;
}

export const logStates = ["running", "done", "imported"] as const;

/** One line of the log. */
export interface LogEntry {
  erasureId: string;
  salt: string;
  userHash: string;
  state: (typeof logStates)[number];
  counts: Counts;
  begunAt: number;
  finishedAt: number | null;
}

/** The wire form of a line. `salt` and `user_hash` are what a replay knows the user by. */
export const entrySchema = z.object({
  erasure_id: z.string(),
  salt: z.string(),
  user_hash: z.string(),
  state: z.enum(logStates),
  deleted_counts: countsSchema,
  begun_at: z.int(),
  finished_at: z.int().nullable(),
});

export const viewOf = (entry: LogEntry): z.output<typeof entrySchema> => ({
  erasure_id: entry.erasureId,
  salt: entry.salt,
  user_hash: entry.userHash,
  state: entry.state,
  deleted_counts: entry.counts,
  begun_at: entry.begunAt,
  finished_at: entry.finishedAt,
});

/** What is done, in this order. Rules of agents come first: they alone are served to others. */
export const stages = [
  "agents",
  "rules",
  "turns",
  "requests",
  "windows",
  "index",
  "traces",
  "answers",
  "finish",
] as const;
export type Stage = (typeof stages)[number];

/** Where an erasure stands; it is the key of its outbox row, and holds nothing of the user. */
export interface Position {
  erasureId: string;
  stage: Stage;
  /** Of the stage `requests`: the last one that was looked at. */
  afterSeq: number;
}

export const keyOf = ({ erasureId, stage, afterSeq }: Position): Work["key"] => [erasureId, stage, afterSeq];

const positionKey = z.tuple([z.string(), z.enum(stages), z.int()]);

export function positionOf({ key }: Pick<Work, "key">): Position | null {
  const parsed = positionKey.safeParse(key);
  if (!parsed.success) return null;
  const [erasureId, stage, afterSeq] = parsed.data;
  return { erasureId, stage, afterSeq };
}

/** The stage after this one; the last one has none after it. */
export const stageAfter = (stage: Stage): Stage => stages[stages.indexOf(stage) + 1] ?? stage;
