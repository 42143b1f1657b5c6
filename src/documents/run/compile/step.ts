/** Compiles one step: what its kind needs at run time, and nothing that has to be read again. */
import type {
  AgentStep,
  DecisionStep,
  FailureMode,
  ItemStep,
  MapStep,
  Retry,
  Step,
  ToolStep,
  WaitStep,
} from "../../model";
import { DEFAULTS, LIMITS, MICRO_CENTS_PER_CENT } from "../../spec";
import { parseInstant } from "../../text/instant";
import { compileUserSchema } from "../../user-schema";
import type {
  Attempted,
  Compiled,
  DecisionProgram,
  MapProgram,
  RetryPolicy,
  StepProgram,
  WaitProgram,
} from "../program";
import { expression, milliseconds, template, UnrunnableDocument } from "./parts";

/** Where a step stands. */
export interface Place {
  position: number;
  path: string;
  /** The map whose item step it is. */
  map: MapStep | undefined;
}

/** @throws UnrunnableDocument when the validator would have found an error in the step */
export function compileStep(step: Step | ItemStep, place: Place): StepProgram {
  const common: Compiled = {
    id: step.id,
    position: place.position,
    mapId: place.map?.id ?? null,
    next: !place.map && "next" in step ? step.next : null,
    purpose: step.purpose ?? "",
  };
  switch (step.kind) {
    case "agent":
      return {
        ...common,
        ...attempted(step, place, step.failureMode),
        kind: "agent",
        source: step,
        output: step.outputSchema ? compileUserSchema(step.outputSchema) : null,
        capMicroCents: step.maxCostCents === undefined ? null : step.maxCostCents * MICRO_CENTS_PER_CENT,
        holdsOutput: step.approvalPolicy.mode !== "auto",
      };
    case "tool":
      return {
        ...common,
        ...attempted(step, place, step.failureMode ?? DEFAULTS.toolFailureMode),
        kind: "tool",
        tool: step.tool,
        saveAs: step.saveAs ?? null,
      };
    case "decision":
      return { ...common, ...decision(step, place), kind: "decision" };
    case "wait":
      return { ...common, ...wait(step, place), kind: "wait" };
    case "map":
      return { ...common, ...map(step, place), kind: "map" };
    case "approval":
      return {
        ...common,
        kind: "approval",
        source: step,
        timeoutMs: milliseconds(step.timeout, `${place.path}/timeout`),
        onReject: place.map ? null : (step.onReject ?? null),
        subject:
          step.subject === undefined
            ? null
            : expression(step.subject, "value", `${place.path}/subject`, place.map),
      };
    case "terminator":
      return {
        ...common,
        kind: "terminator",
        source: step,
        output: template(step.output, "refused", `${place.path}/output`, place.map),
      };
  }
}

function attempted(
  step: Omit<AgentStep, "next"> | Omit<ToolStep, "next">,
  place: Place,
  failureMode: FailureMode,
): Omit<Attempted, keyof Compiled> {
  return {
    input: template(
      step.input,
      step.kind === "tool" ? "allowed" : "refused",
      `${place.path}/input`,
      place.map,
    ),
    failureMode,
    retry: step.retry ? retryPolicy(step.retry, `${place.path}/retry`) : null,
    timeoutMs: step.timeout === undefined ? null : milliseconds(step.timeout, `${place.path}/timeout`),
  };
}

const retryPolicy = (retry: Retry, path: string): RetryPolicy => ({
  maxAttempts: retry.maxAttempts,
  delayMs: retry.delay === undefined ? 0 : milliseconds(retry.delay, `${path}/delay`),
  backoff: retry.backoff ?? DEFAULTS.retryBackoff,
  maxDelayMs: retry.maxDelay === undefined ? null : milliseconds(retry.maxDelay, `${path}/maxDelay`),
});

const decision = (step: DecisionStep, { path }: Place): Pick<DecisionProgram, "branches" | "otherwise"> => ({
  branches: step.branches.map(({ when, next, label }, index) => ({
    when: expression(when, "boolean", `${path}/branches/${index}/when`, undefined),
    next,
    label: label ?? null,
  })),
  otherwise: step.default,
});

function wait(step: Omit<WaitStep, "next">, place: Place): Pick<WaitProgram, "until" | "onTimeout"> {
  const { path } = place;
  const onTimeout = step.onTimeout ?? DEFAULTS.waitOnTimeout;
  if (step.duration !== undefined)
    return { until: { kind: "duration", ms: milliseconds(step.duration, `${path}/duration`) }, onTimeout };
  if (step.until !== undefined) {
    const atMs = parseInstant(step.until);
    if (atMs !== null) return { until: { kind: "instant", atMs }, onTimeout };
    const compiled = expression(step.until, "instant", `${path}/until`, place.map);
    return { until: { kind: "expression", expression: compiled }, onTimeout };
  }
  if (step.condition === undefined || step.timeout === undefined)
    throw new UnrunnableDocument(path, "a wait has a duration, an instant, or a condition with a timeout");
  const compiled = expression(step.condition, "boolean", `${path}/condition`, place.map);
  const timeoutMs = milliseconds(step.timeout, `${path}/timeout`);
  return { until: { kind: "condition", expression: compiled, timeoutMs }, onTimeout };
}

function map(step: MapStep, { path }: Place): Omit<MapProgram, keyof Compiled | "kind"> {
  const itemStepId = typeof step.itemStep === "object" ? step.itemStep.id : step.itemStep;
  if ((itemStepId === undefined) === (step.itemPlaybook === undefined))
    throw new UnrunnableDocument(path, "a map has an item step or a sub-playbook, and not both");
  return {
    items: expression(step.items, "list", `${path}/items`, undefined),
    itemName: step.as ?? DEFAULTS.mapAs,
    concurrency: Math.min(step.concurrency ?? DEFAULTS.mapConcurrency, LIMITS.mapConcurrency),
    maxItems: Math.min(step.maxItems ?? DEFAULTS.mapMaxItems, LIMITS.mapItems),
    maxFailures: step.maxFailures ?? DEFAULTS.mapMaxFailures,
    failureMode: step.failureMode ?? DEFAULTS.mapFailureMode,
    target:
      itemStepId === undefined
        ? { kind: "playbook", playbook: step.itemPlaybook ?? "" }
        : { kind: "step", id: itemStepId },
  };
}
