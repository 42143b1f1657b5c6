/** Tells the org that rules of agents wait for a person. */
import * as z from "zod";
import { announce, type Told } from "../orgs/webhooks/announce";
import { flagsOfRule } from "./flags";
import { type AgentPlaybook, flags } from "./model";

type Waiting = Pick<
  AgentPlaybook,
  | "orgId"
  | "agentPlaybookId"
  | "agentVersion"
  | "trigger"
  | "content"
  | "rationale"
  | "flags"
  | "playbookMetadata"
>;

/** What aggregation writes into a rule's metadata; whoever adds a rule by hand may write anything there. */
const support = z.object({ source_count: z.int().min(0), distinct_users: z.int().min(0) });

function supportOf({ playbookMetadata }: Waiting): z.output<typeof support> {
  try {
    return support.parse(JSON.parse(playbookMetadata));
  } catch {
    return { source_count: 0, distinct_users: 0 };
  }
}

/**
 * Statements for the batch that makes the rules pending; null where none of them is. Several rules of one call
 * are one message, which names the first and says how many they are.
 * @param version of the first rule once the batch is in: with its id, it makes the event itself
 */
export async function announcePending(
  rules: readonly Waiting[],
  version: number,
  nowMs: number,
): Promise<Told | null> {
  const [first] = rules;
  if (first === undefined) return null;
  const { orgId, agentPlaybookId } = first;
  const isAlone = rules.length === 1;
  const known = isAlone ? supportOf(first) : { source_count: 0, distinct_users: 0 };
  const found = new Set(rules.flatMap((rule) => flagsOfRule(rule, rule.flags)));
  const data = {
    agent_playbook_id: agentPlaybookId,
    agent_version: first.agentVersion,
    count: rules.length,
    flags: flags.filter((flag) => found.has(flag)),
    sources: known.source_count,
    distinct_users: known.distinct_users,
    url: isAlone ? `/?rule=${agentPlaybookId}` : "/",
  };
  return announce(orgId, { type: "rule.pending", key: [agentPlaybookId, version], data }, nowMs);
}
