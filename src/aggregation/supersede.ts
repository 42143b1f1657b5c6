/** Takes an agent playbook out of service that its cluster no longer stands for. */
import { recordLineage } from "../db/lineage";
import type { WorkMessage } from "../db/outbox";
import type { Statement } from "../db/sql";
import type { AgentPlaybook } from "../playbooks/model";
import { retireAgentPlaybooks } from "../playbooks/store";
import { enqueueVector } from "../playbooks/vectors";
import type { CommitContext } from "./draft";

/** The statements that supersede a rule; none where a person approved it (trap 43). Its cluster must have left it. */
export async function supersede(
  { orgId, runId }: CommitContext,
  old: AgentPlaybook,
  successorId: number | null,
  nowMs: number,
): Promise<{ statements: Statement[]; messages: WorkMessage[] }> {
  if (old.playbookStatus === "approved") return { statements: [], messages: [] };
  const copy = await enqueueVector(orgId, "agent_playbook", old.agentPlaybookId, nowMs);
  return {
    messages: [copy.message],
    statements: [
      retireAgentPlaybooks({
        orgId,
        ids: [old.agentPlaybookId],
        status: "superseded",
        successorId,
        nowMs,
      }),
      await recordLineage({
        orgId,
        entityType: "agent_playbook",
        entityId: old.agentPlaybookId,
        op: "status_change",
        sourceIds: successorId === null ? [] : [successorId],
        actor: "aggregation",
        requestId: runId,
        createdAt: Math.floor(nowMs / 1000),
        fromStatus: null,
        toStatus: "superseded",
        statusNamespace: "lifecycle",
      }),
      copy.statement,
    ],
  };
}
