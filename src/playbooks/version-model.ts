/** Upgrades and downgrades of user playbooks: which rules move where, phase by phase. Pure. */
import type { LifecycleStatus } from "./model";

export const versionKinds = ["upgrade", "downgrade"] as const;
export type VersionKind = (typeof versionKinds)[number];

/** Where a phase takes its rules from, and where to. Null is CURRENT. */
export interface Move {
  from: LifecycleStatus | null;
  to: LifecycleStatus | null | "deleted";
}

/**
 * The moves in order. An upgrade deletes what was archived before it archives what is CURRENT; a downgrade
 * swaps two states by way of a third (specification 7.3, trap 34).
 */
export function movesOf(kind: VersionKind, archiveCurrent: boolean): readonly Move[] {
  if (kind === "downgrade") {
    return [
      { from: null, to: "archive_in_progress" },
      { from: "archived", to: null },
      { from: "archive_in_progress", to: "archived" },
    ];
  }
  const promote: Move = { from: "pending", to: null };
  return archiveCurrent
    ? [{ from: "archived", to: "deleted" }, { from: null, to: "archived" }, promote]
    : [promote];
}

/** Whether a move changes what aggregation reads: CURRENT rules alone. */
export const touchesCurrent = ({ from, to }: Move): boolean => from === null || to === null;

/** Rules moved, by what became of them. */
export interface MovedRules {
  deleted: number;
  /** CURRENT rules that were taken out of use. */
  archived: number;
  /** Rules that became CURRENT. */
  promoted: number;
}

/** @param counts rules moved, by phase */
export function movedRules(moves: readonly Move[], counts: readonly number[]): MovedRules {
  const sumOf = (belongs: (move: Move) => boolean): number =>
    moves.reduce((sum, move, phase) => sum + (belongs(move) ? (counts[phase] ?? 0) : 0), 0);
  return {
    deleted: sumOf(({ to }) => to === "deleted"),
    archived: sumOf(({ from }) => from === null),
    promoted: sumOf(({ to }) => to === null),
  };
}
