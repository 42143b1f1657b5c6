/** The least that a document must say: the example of the documentation. */
import type { PlaybookDocument } from "./model";

export const MINIMAL_DOCUMENT: PlaybookDocument = {
  opbVersion: "1.0",
  playbook: {
    id: "pvr_7Z0QK3W9D4V8M2N6B1C5X0G7HJ",
    playbookId: "plb_2R8F6T4Y1P9S3E7A5K0W8Q2MVN",
    opbVersion: "1.0",
    version: "1.0.0",
    status: "draft",
    manifest: {
      id: "plb_2R8F6T4Y1P9S3E7A5K0W8Q2MVN",
      slug: "say-sorry",
      name: "Say sorry",
      author: { type: "user", id: "ada" },
      category: "support",
      requiredConnectors: [],
      requiredPermissions: [],
      visibility: "private",
      pricingTier: "free",
      premiumPriceCents: null,
    },
    instructions: "Write a short apology.",
    tools: [],
    triggers: [{ kind: "manual" }],
    steps: [
      {
        id: "write",
        kind: "agent",
        role: "support",
        purpose: "Write the apology.",
        allowedTools: [],
        approvalPolicy: { mode: "required" },
        failureMode: "halt_run",
        next: "done",
      },
      { id: "done", kind: "terminator", reason: "The apology was approved." },
    ],
    guardrails: { maxRunDurationSeconds: 300, maxLlmCostCents: 10, requiresApprovalFor: [] },
  },
};
