/** A tool step: one call with a fixed input, no model in the loop (c.3). */
import type { Json } from "../../model";
import type { ToolAnswer } from "../agenda";
import { fail, failureOf, reportedFailure } from "../failure";
import { openForCall, release } from "../gates/open";
import type { ToolProgram } from "../program";
import type { Cell } from "../state";
import type { Turn } from "../turn";
import { artifactOf } from "./artifacts";
import { inputOf, startClock } from "./attempt";
import { offerResult } from "./finish";
import { missingPermissions, needsGate, recordedResult, sendToolCall } from "./tool-call";
import { inputFault } from "./tool-input";

/** A tool step makes one call; it has this ordinal in every attempt, and so one effect. */
const ORDINAL = 0;

export function beginTool(turn: Turn, cell: Cell, step: ToolProgram): void {
  const input = inputOf(turn, cell, step, {});
  if (!input) return;
  const secretLeaves = [...(step.input?.secrets ?? [])];
  const [missing] = missingPermissions(turn, step.tool);
  if (missing !== undefined) {
    turn.record("tool.denied", {
      subject: step.tool,
      stepKey: cell.key,
      data: { step: cell.key, why: "permission_denied" },
    });
    const message = `The tool ${step.tool} needs the permission ${missing}, which the document was not granted.`;
    fail(turn, cell, failureOf("permission_denied", message, "permission_denied"));
    return;
  }
  const unbound = secretLeaves.find(({ name }) => !turn.start.secrets.includes(name));
  if (unbound) {
    const message = `"${cell.key}" needs the secret ${unbound.name}, which is not bound.`;
    fail(turn, cell, failureOf("secret_missing", message));
    return;
  }
  const fault = inputFault(turn.program, step.tool, input.value, secretLeaves);
  if (fault !== null) {
    const message = `The input of "${cell.key}" does not fit the schema of ${step.tool}: ${fault}`;
    fail(turn, cell, failureOf("input_schema_violation", message));
    return;
  }
  const recorded = recordedResult(cell, ORDINAL);
  if (recorded) offerResult(turn, cell, recorded);
  else if (needsGate(turn, step.tool, input.value)) openForCall(turn, cell, step.tool, input.value);
  else send(turn, cell, step, input.value);
}

/** The call was approved. */
export function resumeTool(turn: Turn, cell: Cell, step: ToolProgram): void {
  release(turn, cell);
  send(turn, cell, step, cell.input?.value ?? {});
}

function send(turn: Turn, cell: Cell, step: ToolProgram, input: Json): void {
  startClock(turn, cell, step.timeoutMs ?? turn.program.tools.get(step.tool)?.timeoutMs ?? null);
  sendToolCall(turn, cell, {
    tool: step.tool,
    input,
    ordinal: ORDINAL,
    secretLeaves: [...(step.input?.secrets ?? [])],
    timeoutMs: null,
  });
}

/** The tool has answered. */
export function settleTool(turn: Turn, cell: Cell, step: ToolProgram, answer: ToolAnswer): void {
  if (answer.error) {
    fail(turn, cell, reportedFailure(answer.error));
    return;
  }
  const [fault] = turn.program.tools.get(step.tool)?.output?.validate(answer.output) ?? [];
  if (fault) {
    const message = `${step.tool} has answered what its schema does not allow at "${fault.pointer}": ${fault.message}`;
    fail(turn, cell, failureOf("output_schema_violation", message, "output_schema_violation"));
    return;
  }
  const saved = step.saveAs === null ? [] : [{ type: step.saveAs, body: answer.output }];
  const result = { output: answer.output, artifacts: [...answer.artifacts, ...saved].map(artifactOf) };
  cell.effects = cell.effects.map((sent, ordinal) => (ordinal === ORDINAL ? { ...sent, result } : sent));
  offerResult(turn, cell, result);
}
