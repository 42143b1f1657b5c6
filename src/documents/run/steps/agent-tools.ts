/** Tools that a model asks for (c.3): what it may not call is not called, and what fails is told to the model. */
import type { Json, JsonObject } from "../../model";
import type { ToolAnswer } from "../agenda";
import { fail, failureOf } from "../failure";
import { openForCall, release } from "../gates/open";
import type { CallError, ToolRequest } from "../model";
import type { AgentProgram } from "../program";
import type { Cell } from "../state";
import type { Turn } from "../turn";
import { workOf } from "./agent-work";
import { artifactOf } from "./artifacts";
import { missingPermissions, needsGate, ordinalFor, recordedResult, sendToolCall } from "./tool-call";
import { inputFault } from "./tool-input";

/**
 * Deals with the first request of the queue.
 * @returns `waits` when something else must happen before the step goes on, or the step is over
 */
export function runNextTool(turn: Turn, cell: Cell, step: AgentProgram): "goes_on" | "waits" {
  const work = workOf(cell);
  const [request, ...rest] = work.queue;
  if (!request) return "goes_on";
  const denial = denialOf(turn, step, request.tool);
  if (denial) return deny(turn, cell, request, denial);
  const fault = inputFault(turn.program, request.tool, request.input, []);
  if (fault !== null) {
    tell(cell, rest, resultOf(request, { error: { code: "input_schema_violation", message: fault } }));
    return "goes_on";
  }
  const ordinal = ordinalFor(cell, work.nextTool, request.tool, request.input);
  const recorded = recordedResult(cell, ordinal);
  if (recorded) {
    cell.agent = { ...work, nextTool: ordinal + 1 };
    tell(cell, rest, resultOf(request, { output: recorded.output }));
    return "goes_on";
  }
  if (needsGate(turn, request.tool, request.input)) openForCall(turn, cell, request.tool, request.input);
  else send(turn, cell, request, ordinal);
  return "waits";
}

/** A person has approved the first request of the queue. */
export function resumeAgentTool(turn: Turn, cell: Cell): void {
  release(turn, cell);
  const { queue, nextTool } = workOf(cell);
  const [request] = queue;
  if (request) send(turn, cell, request, ordinalFor(cell, nextTool, request.tool, request.input));
}

function send(turn: Turn, cell: Cell, request: ToolRequest, ordinal: number): void {
  cell.agent = { ...workOf(cell), nextTool: ordinal + 1 };
  const timeoutMs = turn.program.tools.get(request.tool)?.timeoutMs ?? null;
  sendToolCall(turn, cell, { ...request, ordinal, secretLeaves: [], timeoutMs });
}

/** The tool that the model asked for has answered. */
export function settleAgentTool(turn: Turn, cell: Cell, ordinal: number, answer: ToolAnswer): void {
  const [request, ...rest] = workOf(cell).queue;
  if (!request) return;
  const error = answer.error ?? outputFault(turn, request.tool, answer.output);
  if (!error) {
    const result = { output: answer.output, artifacts: answer.artifacts.map(artifactOf) };
    cell.effects = cell.effects.map((sent, index) => (index === ordinal ? { ...sent, result } : sent));
  }
  tell(cell, rest, resultOf(request, error ? { error } : { output: answer.output }));
}

function outputFault(turn: Turn, tool: string, output: Json): CallError | undefined {
  const [fault] = turn.program.tools.get(tool)?.output?.validate(output) ?? [];
  return fault && { code: "output_schema_violation", message: `"${fault.pointer}": ${fault.message}` };
}

type Denial = "tool_not_allowed" | "permission_denied";

function denialOf(turn: Turn, step: AgentProgram, tool: string): Denial | null {
  if (!step.source.allowedTools.includes(tool)) return "tool_not_allowed";
  return missingPermissions(turn, tool).length > 0 ? "permission_denied" : null;
}

/** The model is told once; the second time fails the step. */
function deny(turn: Turn, cell: Cell, request: ToolRequest, denial: Denial): "goes_on" | "waits" {
  const work = workOf(cell);
  turn.record("tool.denied", {
    subject: request.tool,
    stepKey: cell.key,
    data: { step: cell.key, why: denial },
  });
  cell.agent = { ...work, denials: work.denials + 1 };
  const message = `The step "${cell.key}" may not call the tool ${request.tool}.`;
  if (work.denials > 0) {
    fail(turn, cell, failureOf(denial, message, denial));
    return "waits";
  }
  tell(cell, work.queue.slice(1), resultOf(request, { error: { code: denial, message } }));
  return "goes_on";
}

/** What the model sees of a request and its outcome. */
const resultOf = (
  { tool, input }: ToolRequest,
  outcome: { output: Json } | { error: CallError },
): JsonObject => ({
  type: "tool_result",
  tool,
  input,
  ...("output" in outcome
    ? { output: outcome.output }
    : {
        error: {
          code: outcome.error.code,
          ...(outcome.error.message === undefined ? {} : { message: outcome.error.message }),
        },
      }),
});

function tell(cell: Cell, queue: ToolRequest[], result: JsonObject): void {
  const work = workOf(cell);
  cell.agent = { ...work, queue, transcript: [...work.transcript, result] };
}
