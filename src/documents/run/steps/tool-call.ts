/** One request to a tool, from a tool step or from a model: what it may do, and how it is sent (c.3, c.5). */
import type { SecretLeaf } from "../../expressions/templates";
import type { Json } from "../../model";
import { toolEffect } from "../call-effects";
import { isToolCovered, toolNeedsApproval } from "../gates/coverage";
import { countToolCall } from "../guardrails";
import { callIdOf, effectIdOf, hashOf } from "../identity";
import type { Cell, SentEffect, ToolCall } from "../state";
import { arm, orderOf, timerKey } from "../timers";
import type { Turn } from "../turn";

export interface ToolRequestAt {
  tool: string;
  input: Json;
  ordinal: number;
  secretLeaves: SecretLeaf[];
  /** Of the call alone; the step's own clock is another. */
  timeoutMs: number | null;
}

/** Permissions that the tool needs and the document was not granted. */
export const missingPermissions = ({ program }: Turn, tool: string): string[] =>
  (program.tools.get(tool)?.permissions ?? []).filter((permission) => !program.granted.has(permission));

/** Whether a person must approve this call first. */
export const needsGate = ({ program, state }: Turn, tool: string, input: Json): boolean =>
  toolNeedsApproval(program, tool) && !isToolCovered(state, tool, input);

/**
 * The first ordinal from `from` on under which this request may be sent: one that is free, or under which the very same
 * request was sent before, in an attempt that failed.
 */
export function ordinalFor(cell: Cell, from: number, tool: string, input: Json): number {
  const inputHash = hashOf(input);
  let ordinal = from;
  for (let sent = cell.effects[ordinal]; sent; sent = cell.effects[ordinal]) {
    if (sent.tool === tool && sent.inputHash === inputHash) break;
    ordinal += 1;
  }
  return ordinal;
}

/** What the tool gave for this effect before; null when it has to be asked. */
export const recordedResult = (cell: Cell, ordinal: number): SentEffect["result"] =>
  cell.effects[ordinal]?.result ?? null;

/**
 * Sends the request; a guardrail may end the run instead.
 * @returns whether it was sent
 */
export function sendToolCall(turn: Turn, cell: Cell, request: ToolRequestAt): boolean {
  const { tool, input, ordinal, secretLeaves, timeoutMs } = request;
  const effectId = effectIdOf(turn.start, cell.key, ordinal, tool);
  if (!cell.effects[ordinal]) {
    if (!countToolCall(turn, cell)) return false;
    cell.effects = [...cell.effects, { effectId, tool, inputHash: hashOf(input), result: null }];
  }
  const call: ToolCall = {
    kind: "tool",
    stage: "called",
    callId: callIdOf(turn.start, "tool", cell.key, ordinal, cell.attempt),
    cellKey: cell.key,
    ordinal,
    attempt: cell.attempt,
    seq: turn.nextSeq(),
    tool,
    input,
    secretLeaves,
    effectId,
  };
  turn.state.calls[call.callId] = call;
  turn.record("tool.requested", {
    subject: tool,
    stepKey: cell.key,
    data: {
      step: cell.key,
      ordinal,
      attempt: cell.attempt,
      effectId,
      inputHash: hashOf(input),
    },
  });
  if (timeoutMs !== null) arm(turn, timerKey.call(call.callId), turn.nowMs + timeoutMs, orderOf(turn, cell));
  turn.emit(toolEffect(turn, call));
  return true;
}
