/**
 * What needs a person's approval by `requiresApprovalFor`, and whether a gate of this run has already given it (c.5).
 * It is the effect that is matched, not the step: another tool with the same permission is no way around.
 */

import type { Json } from "../../model";
import { selectsArtifact, selectsTool } from "../../selectors";
import { artifactHashOf, toolHashOf } from "../identity";
import type { Program } from "../program";
import type { Artifact, RunState } from "../state";

/** Whether a call of this tool waits for a person. */
export function toolNeedsApproval({ document, tools }: Program, tool: string): boolean {
  const permissions = tools.get(tool)?.permissions ?? [];
  return document.playbook.guardrails.requiresApprovalFor.some((selector) =>
    selectsTool(selector, tool, permissions),
  );
}

/** Whether an artifact of this type waits for a person. */
export const artifactNeedsApproval = ({ document }: Program, type: string): boolean =>
  document.playbook.guardrails.requiresApprovalFor.some((selector) => selectsArtifact(selector, type));

/** Whether a person has approved this tool with this input. */
export const isToolCovered = (state: RunState, tool: string, input: Json): boolean =>
  isCovered(state, toolHashOf(tool, input));

/** Whether a person has approved this content. */
export const isArtifactCovered = (state: RunState, artifact: Artifact): boolean =>
  isCovered(state, artifactHashOf(artifact));

const isCovered = ({ gates }: RunState, hash: string): boolean =>
  Object.values(gates).some((gate) => gate.decision === "approve" && gate.covers.includes(hash));
