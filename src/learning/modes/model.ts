/** Generation that somebody asks for: a rerun to look at beside the rules in use, or one by hand (specification 7.2). */

export const modes = ["rerun", "manual"] as const;
export type Mode = (typeof modes)[number];

/** Services whose progress can be asked for. Profiles have none yet. */
export const serviceNames = ["playbook_generation", "profile_generation"] as const;
export type ServiceName = (typeof serviceNames)[number];
export const PLAYBOOK_SERVICE: ServiceName = "playbook_generation";

export const generationStatuses = ["in_progress", "completed", "failed", "cancelled"] as const;
export type GenerationStatus = (typeof generationStatuses)[number];

export const unitStates = ["waiting", "running", "done", "failed", "cancelled"] as const;
export type UnitState = (typeof unitStates)[number];

/** An operation that has done nothing for so long is given up, so that no org is locked out (trap 36). */
export const STALE_MS = 600_000;

/** What an operation looks at. */
export interface GenerationScope {
  /** Of the rules it makes; a rerun reads turns of this version only. */
  agentVersion: string;
  /** The source that was asked for. */
  source: string | null;
  /** Inclusive bounds of publishes, seconds. */
  startSec: number | null;
  endSec: number | null;
}

export interface GenerationOperation extends GenerationScope {
  orgId: string;
  operationId: string;
  serviceName: ServiceName;
  mode: Mode;
  status: GenerationStatus;
  /** Sources whose turns a window may show; null shows all. */
  windowSources: string[] | null;
  configHash: string;
  /** What its rules carry as their request. */
  requestId: string;
  principalId: string;
  startedAt: number;
  progressedAtMs: number;
  completedAt: number | null;
  totalUsers: number;
  processedUsers: number;
  failedUsers: number;
  currentUserId: string | null;
  /** Turns that its windows showed, and rules that they taught. */
  turns: number;
  rules: number;
  errorMessage: string | null;
  /** Somebody asked to cancel it. */
  isCancelled: boolean;
}

export interface GenerationUnit {
  orgId: string;
  operationId: string;
  position: number;
  userId: string;
  state: UnitState;
  windowId: string | null;
  attempts: number;
  error: string | null;
}

/** Successes alone count until the operation is complete. */
export const percentOf = ({
  status,
  processedUsers,
  totalUsers,
}: Pick<GenerationOperation, "status" | "processedUsers" | "totalUsers">): number => {
  if (status === "completed") return 100;
  return totalUsers === 0 ? 0 : Math.min(100, (100 * processedUsers) / totalUsers);
};

export const isStale = (
  { status, progressedAtMs }: Pick<GenerationOperation, "status" | "progressedAtMs">,
  nowMs: number,
): boolean => status === "in_progress" && nowMs - progressedAtMs > STALE_MS;

/** Which sources users are found by, and which a window shows; null is all of them. */
export interface Sources {
  users: string[] | null;
  window: string[] | null;
}

/**
 * What a source means (specification 5.5): an org that names its sources learns from those alone; where it names
 * none, a source narrows a rerun's windows and only finds the users of a generation by hand.
 * @returns null where the source is not learned from
 */
export function sourcesOf(
  mode: Mode,
  enabled: readonly string[] | null,
  source: string | null,
): Sources | null {
  const named = enabled === null || enabled.length === 0 ? null : [...enabled];
  if (source === null) return { users: named, window: named };
  if (named === null) return { users: [source], window: mode === "rerun" ? [source] : null };
  return named.includes(source) ? { users: [source], window: [source] } : null;
}
