/**
 * Random valid documents: graphs of all seven kinds with joins, gates and maps, in any document order. They validate
 * without a finding. Choices are plain numbers, so that fast-check shrinks them to small documents.
 */
import fc from "fast-check";
import type {
  ApprovalStep,
  DecisionStep,
  ItemStep,
  MapStep,
  PlaybookDocument,
  Step,
  ToolDefinition,
} from "../../../../src/documents/model";

export interface GraphOptions {
  /** Steps of the main path; default 12. */
  maxSteps?: number;
  /** Selectors for `guardrails.requiresApprovalFor`; default none. */
  requiresApprovalFor?: string[];
}

/** What is decided for one step. */
interface Choice {
  kind: number;
  variant: number;
  targets: number[];
  shuffle: number;
}

const KINDS = ["agent", "tool", "decision", "wait", "map", "approval", "terminator"] as const;
export const TOOLS: ToolDefinition[] = [
  { name: "lookup", sideEffect: "read", permissions: ["crm.read"] },
  { name: "send", sideEffect: "irreversible", permissions: ["email.send"], idempotent: true },
  { name: "note", sideEffect: "write", idempotent: true },
];

export const documents = (options: GraphOptions = {}): fc.Arbitrary<PlaybookDocument> =>
  fc
    .array(
      fc.record<Choice>({
        kind: fc.nat(KINDS.length - 1),
        variant: fc.nat(999),
        targets: fc.array(fc.nat(99), { minLength: 3, maxLength: 5 }),
        shuffle: fc.nat(999),
      }),
      { minLength: 1, maxLength: options.maxSteps ?? 12 },
    )
    .map((choices) => documentOf(stepsOf(choices), options));

export function documentOf(steps: Step[], options: GraphOptions = {}): PlaybookDocument {
  return {
    opbVersion: "1.6",
    requires: { connections: [], mcpServers: [], secrets: [] },
    playbook: {
      id: "pvr_D17KJBXF1JN52X4RR9XXQQ8825",
      playbookId: "plb_429B94127Y0TRRXKVC2FQ9RR25",
      opbVersion: "1.6",
      version: "1.0.0",
      status: "published",
      manifest: {
        id: "plb_429B94127Y0TRRXKVC2FQ9RR25",
        slug: "random-graph",
        name: "Random graph",
        author: { type: "user", id: "tests" },
        category: "operations",
        requiredConnectors: [],
        requiredPermissions: ["crm.read", "email.send"],
        visibility: "private",
        pricingTier: "free",
        premiumPriceCents: null,
      },
      instructions: "Do what the steps say.",
      configSchema: {},
      tools: TOOLS,
      triggers: [{ kind: "manual" }],
      steps,
      guardrails: {
        maxRunDurationSeconds: 3600,
        maxLlmCostCents: 100,
        requiresApprovalFor: options.requiresApprovalFor ?? [],
      },
    },
  };
}

/**
 * Edges lead to later choices only, so that there is no circle; the first edge of a step leads to the one after it
 * when nothing else does, so that every step is reached; a terminator stands only where that is not needed.
 */
function stepsOf(choices: Choice[]): Step[] {
  const last = choices.length;
  const led = new Set<number>();
  const steps: Step[] = [];
  const items: Step[] = [];
  for (const [place, choice] of choices.entries()) {
    const mustLead = !led.has(place + 1);
    const kind = kindOf(choice, place, mustLead);
    const targets = choice.targets.map((target, index) =>
      mustLead && index === 0 ? place + 1 : place + 1 + (target % (last - place)),
    );
    const { step, used, item } = stepOf(kind, place, choice, targets);
    for (const target of used) led.add(target);
    steps.push(step);
    if (item) items.push(item);
  }
  steps.push({ id: `s${last}`, kind: "terminator", reason: "The end of the path." });
  return shuffled([...steps, ...items], choices);
}

function kindOf({ kind }: Choice, place: number, mustLead: boolean): (typeof KINDS)[number] {
  const wanted = KINDS[kind] ?? "agent";
  if (wanted === "terminator" && mustLead) return "tool";
  // A run that begins by standing still is worth a warning (G507).
  if (place === 0 && (wanted === "approval" || wanted === "wait")) return "agent";
  return wanted;
}

function pick<const Words extends readonly unknown[]>(words: Words, variant: number): Words[number] {
  return words[variant % words.length];
}

/** A leaf of a template. */
const leaf = (source: string): string => `\${{ ${source} }}`;

function stepOf(
  kind: (typeof KINDS)[number],
  place: number,
  choice: Choice,
  targets: number[],
): { step: Step; used: number[]; item?: Step } {
  const { variant } = choice;
  const id = `s${place}`;
  const next = `s${targets[0]}`;
  const used = targets.slice(0, 1);
  switch (kind) {
    case "agent":
    case "tool":
    case "wait":
      return { step: { ...workOf(kind, id, variant), next }, used };
    case "approval": {
      const rejects = variant % 2 === 0;
      const step: ApprovalStep = { ...gateOf(id, variant), next };
      return rejects
        ? { step: { ...step, onReject: `s${targets[1]}` }, used: targets.slice(0, 2) }
        : { step, used };
    }
    case "decision": {
      const [fallback, ...others] = targets;
      const branches = others.map((target, index) => ({
        when: conditionOf(variant + index, index),
        next: `s${target}`,
      }));
      const step: DecisionStep = { id, kind, branches, default: `s${fallback}` };
      return { step, used: targets };
    }
    case "map": {
      const item = itemOf(`${id}_item`, variant);
      const isNamed = variant % 3 === 0;
      const step: MapStep = { ...mapOf(id, variant), itemStep: isNamed ? item.id : item, next };
      // A named item step has no next, unlike the steps of the main path that the type describes.
      return isNamed ? { step, used, item: item as Step } : { step, used };
    }
    case "terminator":
      return {
        step: {
          id,
          kind,
          reason: `Ends at ${id}.`,
          outcome: pick(["completed", "failed", "cancelled"], variant),
          output: { first: leaf("steps.?s0.?output.orValue(null)") },
        },
        used: [],
      };
  }
}

/** Distinct for each branch; sometimes about a step that may not have run, which `has()` guards. */
const conditionOf = (variant: number, branch: number): string =>
  pick(
    [
      `has(trigger.n) && trigger.n > ${branch}.0`,
      `has(trigger.kind) && trigger.kind == "k${branch}"`,
      `has(trigger.list) && trigger.list.size() > ${branch}`,
    ],
    variant,
  );

const failureModeOf = (variant: number) =>
  pick(["halt_run", "continue", "halt_run", "escalate"], variant >> 2);

function workOf(
  kind: "agent" | "tool" | "wait",
  id: string,
  variant: number,
): Exclude<ItemStep, { kind: "approval" }> {
  switch (kind) {
    case "agent":
      return {
        id,
        kind,
        role: "support",
        purpose: "Look at the case and decide.",
        allowedTools: TOOLS.slice(0, variant % 4).map(({ name }) => name),
        approvalPolicy: { mode: variant % 7 === 0 ? "required" : "auto" },
        failureMode: failureModeOf(variant),
        input: { n: leaf("has(trigger.n) ? trigger.n : null") },
      };
    case "tool": {
      const retry = { maxAttempts: 1 + (variant % 3), delay: "10s", backoff: "exponential" as const };
      const tool = pick(["lookup", "send", "note"], variant);
      return {
        id,
        kind,
        tool,
        input: { at: leaf("run.startedAt") },
        failureMode: failureModeOf(variant),
        retry,
      };
    }
    case "wait":
      switch (variant % 3) {
        case 0:
          return { id, kind, duration: "90m" };
        case 1:
          return { id, kind, until: "2026-01-02T00:00:00Z" };
        default: {
          const onTimeout = pick(["cancel", "fail", "continue"], variant >> 2);
          return { id, kind, condition: "has(signals.go)", timeout: "6h", onTimeout };
        }
      }
  }
}

const gateOf = (id: string, variant: number): Omit<ApprovalStep, "next"> => ({
  id,
  kind: "approval",
  approver: "operator",
  timeout: pick(["1h", "7d"], variant >> 1),
  onTimeout: pick(["cancel", "fail"], variant >> 2),
  purpose: "Someone looks at it.",
});

const itemOf = (id: string, variant: number): ItemStep => {
  const kind = pick(["agent", "tool", "wait", "approval"], variant >> 2);
  return kind === "approval" ? gateOf(id, variant) : workOf(kind, id, variant);
};

const mapOf = (id: string, variant: number): Omit<MapStep, "next"> => ({
  id,
  kind: "map",
  items: pick(["[1, 2, 3]", "has(trigger.list) ? trigger.list : []", "[]"], variant),
  concurrency: 1 + (variant % 4),
  maxItems: 10,
  maxFailures: variant % 2,
  failureMode: failureModeOf(variant),
});

/** Everything but the entry in another order, by the choices. */
function shuffled(steps: Step[], choices: Choice[]): Step[] {
  const [entry, ...rest] = steps;
  if (!entry) return [];
  const key = (index: number): number => choices[index % choices.length]?.shuffle ?? 0;
  const ranked = rest.map((step, index) => ({ step, rank: key(index) + (index % 3) * 50, index }));
  if (key(0) % 2 === 0) ranked.sort((a, b) => a.rank - b.rank || a.index - b.index);
  return [entry, ...ranked.map(({ step }) => step)];
}
