/** Documents that tests of the validator begin with, and short ways to edit them and to say what was found. */
import approvalExpiry from "../../../../src/documents/conformance/approval-expiry.json" with { type: "json" };
import type { Json, JsonObject, PlaybookDocument } from "../../../../src/documents/model";
import { parsePointer, pointerOf, valueAt } from "../../../../src/documents/text/pointer";
import { type ValidateOptions, validateDocument } from "../../../../src/documents/validate";

/** The user's example, as a value of its own. */
export const example = (): JsonObject => JSON.parse(JSON.stringify(approvalExpiry));

/** A string of a template that is one expression. */
export const leaf = (source: string): string => `\${{ ${source} }}`;

/** All seven kinds and all five triggers, gates of both forms, a map, every guardrail. */
export const SEVEN_KINDS = {
  opbVersion: "1.6",
  requires: {
    connections: [{ id: "crm", provider: "acme", scopes: ["read"] }],
    mcpServers: [{ name: "mail", transport: "sse", tools: ["mail_search"] }],
    secrets: [{ name: "CRM_TOKEN", description: "Of the CRM." }],
  },
  playbook: {
    id: "pvr_D17KJBXF1JN52X4RR9XXQQ8825",
    playbookId: "plb_429B94127Y0TRRXKVC2FQ9RR25",
    opbVersion: "1.6",
    version: "2.1.0",
    status: "published",
    manifest: {
      id: "plb_429B94127Y0TRRXKVC2FQ9RR25",
      slug: "refund-round",
      name: "Refund round",
      author: { type: "user", id: "ada", displayName: "Ada" },
      category: "operations",
      requiredConnectors: ["crm"],
      requiredPermissions: ["crm.read", "email.draft", "email.send"],
      visibility: "organization",
      pricingTier: "premium",
      premiumPriceCents: 900,
    },
    instructions: "Look the customer up, write, wait, ask, send.",
    configSchema: { type: "object", properties: { floor: { type: "integer", minimum: 1 } } },
    config: { floor: 5 },
    tools: [
      {
        name: "lookup",
        inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
        permissions: ["crm.read"],
        connector: "crm",
        sideEffect: "read",
        timeout: "30s",
      },
      {
        name: "send",
        permissions: ["email.send"],
        sideEffect: "irreversible",
        idempotent: true,
        costCents: 1,
      },
    ],
    triggers: [
      { kind: "schedule", cron: "30 9 * * 1", timezone: "Europe/London", overlap: "skip" },
      {
        kind: "webhook",
        source: "payments",
        event: "charge.failed",
        filters: [{ path: "/amount", type: "number", op: "gt", value: 100 }],
      },
      { kind: "manual", inputSchema: { type: "object" }, roles: ["operator"] },
      { kind: "dependency", playbookId: "ledger-close", on: ["completed"] },
      { kind: "agent_finding", role: "support", minSeverity: "high" },
    ],
    steps: [
      {
        id: "find",
        kind: "tool",
        tool: "lookup",
        input: { id: leaf("trigger.customer"), token: { $secret: "CRM_TOKEN" } },
        retry: { maxAttempts: 3, delay: "10s", backoff: "exponential", maxDelay: "1m" },
        next: "draft",
      },
      {
        id: "draft",
        kind: "agent",
        agent: "writer",
        role: "support",
        purpose: "Draft an apology.",
        allowedTools: ["lookup"],
        outputSchema: { type: "object", properties: { subject: { type: "string" } } },
        approvalPolicy: { mode: "required" },
        failureMode: "halt_run",
        maxCostCents: 5,
        next: "size",
      },
      {
        id: "size",
        kind: "decision",
        branches: [{ when: "trigger.amount > 1000.0", next: "gate", label: "large" }],
        default: "cool",
      },
      { id: "cool", kind: "wait", duration: "2h", next: "gate" },
      {
        id: "gate",
        kind: "approval",
        approver: { roles: ["operator"], users: ["ada", "bob"], count: 2 },
        timeout: "2d",
        onTimeout: "cancel",
        requireComment: true,
        allowSelfApproval: false,
        onReject: "dropped",
        next: "each",
      },
      {
        id: "each",
        kind: "map",
        items: "trigger.items",
        concurrency: 2,
        maxItems: 20,
        itemStep: { id: "ask", kind: "approval", approver: "operator", timeout: "1h", onTimeout: "fail" },
        next: "mail",
      },
      { id: "mail", kind: "tool", tool: "send", input: { to: leaf("trigger.email") }, next: "done" },
      { id: "done", kind: "terminator", reason: "Sent.", output: { sent: true } },
      { id: "dropped", kind: "terminator", reason: "Rejected.", outcome: "cancelled" },
    ],
    guardrails: {
      maxRunDurationSeconds: 600,
      maxLlmCostCents: 50,
      requiresApprovalFor: ["email.send", "tool:send"],
      maxToolCalls: 40,
      maxStepExecutions: 60,
      maxMapItems: 20,
      maxConcurrentRuns: 3,
    },
  },
  provenance: { source: "desk", tool: "editor", toolVersion: "1" },
} satisfies PlaybookDocument;

export const sevenKinds = (): JsonObject => JSON.parse(JSON.stringify(SEVEN_KINDS));

/**
 * The example with members set: `{"/playbook/steps/0/next": "gate"}`; `undefined` removes one, `-` adds to a list.
 */
export function edited(edits: Readonly<Record<string, unknown>>, base: JsonObject = example()): JsonObject {
  for (const [pointer, value] of Object.entries(edits)) {
    const tokens = parsePointer(pointer) ?? [];
    const last = tokens.pop() ?? "";
    const owner = valueAt(base, pointerOf(tokens));
    const json: Json | undefined = value === undefined ? undefined : JSON.parse(JSON.stringify(value));
    if (Array.isArray(owner)) {
      if (json === undefined) owner.splice(Number(last), 1);
      else owner[last === "-" ? owner.length : Number(last)] = json;
    } else if (typeof owner === "object" && owner !== null) {
      if (json === undefined) delete owner[last];
      else owner[last] = json;
    } else throw new Error(`There is nothing at ${pointerOf(tokens)}.`);
  }
  return base;
}

/** `S403 /playbook/steps/0`, warnings with a `?` before the code, in the order of the findings. */
export function findingsIn(document: unknown, options: Partial<ValidateOptions> = {}): string[] {
  const { findings } = validateDocument({ value: document }, { mode: "publish", ...options });
  return findings.map(({ code, path, severity }) => `${severity === "warning" ? "?" : ""}${code} ${path}`);
}

/** What is found in the example with some edits. */
export const findingsWith = (
  edits: Readonly<Record<string, unknown>>,
  options?: Partial<ValidateOptions>,
): string[] => findingsIn(edited(edits), options);
