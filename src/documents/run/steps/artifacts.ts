/** Artifacts: hashed when they come, and recorded when they are allowed to be. */

import type { Json } from "../../model";
import { artifactNeedsApproval, isArtifactCovered } from "../gates/coverage";
import { hashOf } from "../identity";
import type { Artifact, Cell } from "../state";
import type { Turn } from "../turn";

export const artifactOf = ({ type, body }: { type: string; body: Json }): Artifact => ({
  type,
  body,
  sha256: hashOf(body),
});

/**
 * Whether something a step has made must be approved before it counts. An approval step that follows at once and shows
 * everything is that approval: then no second gate is put in.
 */
export function artifactsNeedGate(turn: Turn, cell: Cell, artifacts: readonly Artifact[]): boolean {
  if (isShownNext(turn, cell)) return false;
  return artifacts.some(
    (artifact) =>
      artifactNeedsApproval(turn.program, artifact.type) && !isArtifactCovered(turn.state, artifact),
  );
}

function isShownNext({ program }: Turn, cell: Cell): boolean {
  const next = program.steps.get(cell.map ? cell.map.id : cell.stepId)?.next;
  const following = next == null ? undefined : program.steps.get(next);
  return following?.kind === "approval" && following.subject === null;
}

/** The artifacts exist from now on. */
export function emitArtifacts(turn: Turn, cell: Cell, artifacts: Artifact[]): void {
  cell.artifacts = artifacts;
  artifacts.forEach(({ type, sha256 }, index) => {
    turn.record("artifact.created", {
      subject: type,
      stepKey: cell.key,
      data: { step: cell.key, index, sha256 },
    });
  });
}
