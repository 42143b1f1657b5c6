/** What is revoked, how far a revocation has come, and what callers see of both. */
import * as z from "zod";
import { identifier } from "../interactions/model";
import { approvalStatuses, lifecycleStatuses } from "../playbooks/model";

export const revocationKinds = ["interaction", "user"] as const;
export type RevocationKind = (typeof revocationKinds)[number];

export const revocationStates = ["running", "done", "lifted"] as const;
export type RevocationState = (typeof revocationStates)[number];

/** Some turns of a user, or all of the user's. */
export interface RevocationTarget {
  kind: RevocationKind;
  userId: string;
  /** Distinct and ascending; empty where the whole user is meant. */
  interactionIds: readonly number[];
}

/** Counts of what a revocation has sent back so far. */
export const touchedSchema = z.object({
  /** Turns that were there when it began. */
  turns: z.int(),
  /** Unfinished windows that showed one of them and were dropped. */
  windows: z.int(),
  user_playbooks: z.int(),
  agent_playbooks: z.int(),
});
export type Touched = z.output<typeof touchedSchema>;

export interface Revocation extends RevocationTarget {
  revocationId: string;
  reason: string;
  principalId: string;
  /** Seconds. */
  createdAt: number;
  state: RevocationState;
  touched: Touched;
}

const MAX_TURNS = 1_000;
const MAX_REASON_CHARS = 1_000;

const turnIds = z.array(z.int().min(1)).min(1).max(MAX_TURNS);
const interactionTarget = { kind: z.literal("interaction"), user_id: identifier, interaction_ids: turnIds };
const userTarget = { kind: z.literal("user"), user_id: identifier };

/** Line ends stay; other controls and marks that turn the reading direction have no place in a reason. */
const cleanReason = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, " ")
    .trim();

/** Why something is revoked; reviewers read it beside every rule that is sent back. */
export const reasonSchema = z
  .string()
  .max(MAX_REASON_CHARS)
  .transform(cleanReason)
  .refine((text) => text !== "", {
    error: "must not be blank",
    params: { expected: "1 to 1000 characters, at least one of them visible" },
  });

const order = { reason: reasonSchema, token: z.string().min(1).max(100) };

/** The body of a preview. */
export const targetBody = z.discriminatedUnion("kind", [
  z.strictObject(interactionTarget),
  z.strictObject(userTarget),
]);

/** The body of a revocation: the same target, why, and the token of the preview that was read. */
export const revokeBody = z.discriminatedUnion("kind", [
  z.strictObject({ ...interactionTarget, ...order }),
  z.strictObject({ ...userTarget, ...order }),
]);

type TargetBody = z.output<typeof targetBody>;

/** The target in its one form: the same turns in another order are the same target. */
export const targetOf = (body: TargetBody): RevocationTarget => ({
  kind: body.kind,
  userId: body.user_id,
  interactionIds:
    body.kind === "interaction" ? [...new Set(body.interaction_ids)].sort((left, right) => left - right) : [],
});

const totalsSchema = z.object({ user_playbooks: z.int(), agent_playbooks: z.int() });
export type Totals = z.output<typeof totalsSchema>;

/** What a revocation would touch. Lists end after 500 rows of a kind; the totals and the token cover all. */
export const previewSchema = z.object({
  turns: z.int(),
  windows: z.int(),
  user_playbooks: z.array(
    z.object({
      user_playbook_id: z.int(),
      trigger: z.string().nullable(),
      /** At most 300 characters. */
      content: z.string(),
      /** Null is CURRENT: it leaves service. Others are marked where they are. */
      status: z.enum(lifecycleStatuses).nullable(),
    }),
  ),
  agent_playbooks: z.array(
    z.object({
      agent_playbook_id: z.int(),
      agent_version: z.string(),
      trigger: z.string().nullable(),
      content: z.string(),
      /** Approved ones go back to pending; others are marked where they are. */
      playbook_status: z.enum(approvalStatuses),
      /** CURRENT sources that the revocation leaves, and the distinct users behind them. */
      remaining_sources: z.int(),
      remaining_users: z.int(),
    }),
  ),
  totals: totalsSchema,
  /** Proves to the revocation that this list was read. */
  token: z.string(),
  /** Revocations of exactly this target that are in force already. */
  in_force: z.array(z.string()),
});
export type Preview = z.output<typeof previewSchema>;

/** A revocation on the wire. */
export const revocationView = z.object({
  revocation_id: z.string(),
  kind: z.enum(revocationKinds),
  user_id: z.string(),
  /** Null where all of the user's turns are meant. */
  interaction_ids: z.array(z.int()).nullable(),
  reason: z.string(),
  principal_id: z.string(),
  created_at: z.int(),
  state: z.enum(revocationStates),
  touched: touchedSchema,
});
export type RevocationView = z.output<typeof revocationView>;

export const viewOf = (revocation: Revocation): RevocationView => ({
  revocation_id: revocation.revocationId,
  kind: revocation.kind,
  user_id: revocation.userId,
  interaction_ids: revocation.kind === "user" ? null : [...revocation.interactionIds],
  reason: revocation.reason,
  principal_id: revocation.principalId,
  created_at: revocation.createdAt,
  state: revocation.state,
  touched: revocation.touched,
});
