/** What an agent playbook says of its support once sources of it are revoked. Pure. */
import * as z from "zod";
import { type AgentPlaybook, type Flag, flags } from "../playbooks/model";

export interface Remaining {
  /** CURRENT sources, and the distinct users behind them. */
  sources: number;
  users: number;
  /** Users that the org asks for. */
  neededUsers: number;
}

/** What aggregation writes into a rule's metadata; whoever adds a rule by hand may write anything there. */
const counted = z.looseObject({ source_count: z.int(), distinct_users: z.int() });

function metadataAfter(metadata: string, { sources, users }: Remaining): string {
  try {
    const known = counted.parse(JSON.parse(metadata));
    return JSON.stringify({ ...known, source_count: sources, distinct_users: users });
  } catch {
    return metadata;
  }
}

/** The rule's flags and metadata with what remains of its support; null where they say so already. */
export function supportAfter(
  rule: Pick<AgentPlaybook, "flags" | "playbookMetadata">,
  remaining: Remaining,
): { flags: Flag[]; metadata: string } | null {
  const metadata = metadataAfter(rule.playbookMetadata, remaining);
  const found = new Set<Flag>(rule.flags);
  if (remaining.users < remaining.neededUsers) found.add("few_distinct_users");
  if (metadata === rule.playbookMetadata && found.size === rule.flags.length) return null;
  return { flags: flags.filter((flag) => found.has(flag)), metadata };
}
