/** Rows of rules with nothing special about them. */
import type { NewAgentPlaybook, NewUserPlaybook } from "../../../src/playbooks/model";
import { VERSION, VICTIM } from "./support";

const AT_SEC = 1_800_000_000;

export const userRow = (
  orgId: string,
  userPlaybookId: number,
  more: Partial<NewUserPlaybook> = {},
): NewUserPlaybook => ({
  ...{
    orgId,
    userPlaybookId,
    userId: VICTIM,
    agentVersion: VERSION,
    requestId: "r",
    playbookName: "playbook",
  },
  ...{
    createdAt: AT_SEC,
    updatedAtMs: AT_SEC * 1000,
    content: "Say it.",
    trigger: "When asked",
    rationale: null,
  },
  ...{ status: null, source: null, sourceInteractionIds: [], sourceSpan: null, tags: null, notes: null },
  ...{ readerAngle: null, expandedTerms: null, flags: [], windowId: null },
  ...more,
});

export const agentRow = (
  orgId: string,
  agentPlaybookId: number,
  more: Partial<NewAgentPlaybook> = {},
): NewAgentPlaybook => ({
  ...{ orgId, agentPlaybookId, agentVersion: VERSION, playbookName: "playbook", createdAt: AT_SEC },
  ...{ updatedAtMs: AT_SEC * 1000, content: "Say it.", trigger: "When asked", rationale: null },
  ...{ playbookStatus: "approved", playbookMetadata: "", status: null, tags: null, expandedTerms: null },
  ...{ flags: [], decidedBy: null, decidedAt: null, replaces: null },
  ...more,
});
