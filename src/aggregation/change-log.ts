/** The change log of aggregation, told from lineage: what each run added and removed. */
import { sha256Bytes } from "../platform/ids";
import type { ChangeEvent } from "./change-log-store";

export type RuleSnapshot = ChangeEvent["rule"] & { blocking_issue: null };

export interface ChangeLog {
  id: number;
  created_at: number;
  playbook_name: string;
  agent_version: string;
  run_mode: "full_archive" | "incremental";
  added_agent_playbooks: RuleSnapshot[];
  removed_agent_playbooks: RuleSnapshot[];
  /** A run replaces rules and never edits one: always empty (trap 74). */
  updated_agent_playbooks: never[];
}

/** The first 48 bits of a hash: stable, and tells nothing of other orgs' runs. */
async function numberOf(orgId: string, runId: string): Promise<number> {
  const bytes = await sha256Bytes(JSON.stringify([orgId, runId]));
  return bytes.slice(0, 6).reduce((sum, byte) => sum * 256 + byte, 0);
}

/**
 * One log per run, newest first, each rule in the order of its id.
 * @param events newest first
 * @param isCut whether older events are missing: the oldest run may then be told in part, and is left out
 */
export async function changeLogsOf(
  orgId: string,
  events: readonly ChangeEvent[],
  isCut: boolean,
): Promise<ChangeLog[]> {
  const runs = [...Map.groupBy(events, ({ runId }) => runId)];
  const whole = isCut && runs.length > 1 ? runs.slice(0, -1) : runs;
  return Promise.all(
    whole.map(async ([runId, ofRun]): Promise<ChangeLog> => {
      const snapshots = (change: ChangeEvent["change"]): RuleSnapshot[] =>
        ofRun
          .filter((event) => event.change === change)
          .map(({ rule }) => ({ ...rule, blocking_issue: null }))
          .sort((left, right) => left.agent_playbook_id - right.agent_playbook_id);
      const [newest] = ofRun;
      return {
        id: await numberOf(orgId, runId),
        created_at: newest?.createdAt ?? 0,
        playbook_name: newest?.rule.playbook_name ?? "",
        agent_version: newest?.rule.agent_version ?? "",
        run_mode: ofRun.some(({ reason }) => reason === "full_archive") ? "full_archive" : "incremental",
        added_agent_playbooks: snapshots("added"),
        removed_agent_playbooks: snapshots("removed"),
        updated_agent_playbooks: [],
      };
    }),
  );
}
