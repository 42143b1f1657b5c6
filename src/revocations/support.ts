/** What an agent playbook says of its support once sources of it are revoked. Pure. */
import * as z from "zod";
import type { AgentPlaybook, Flag } from "../playbooks/model";

export interface Remaining {
  /** CURRENT sources, and the distinct users behind them. */
  sources: number;
  users: number;
  /** The rule's flags as the review gate counts them now. */
  flags: readonly Flag[];
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

const isSame = (left: readonly Flag[], right: readonly Flag[]): boolean =>
  left.length === right.length && left.every((flag) => right.includes(flag));

/** The rule's flags and metadata with what remains of its support; null where they say so already. */
export function supportAfter(
  rule: Pick<AgentPlaybook, "flags" | "playbookMetadata">,
  remaining: Remaining,
): { flags: readonly Flag[]; metadata: string } | null {
  const metadata = metadataAfter(rule.playbookMetadata, remaining);
  const { flags } = remaining;
  return metadata === rule.playbookMetadata && isSame(flags, rule.flags) ? null : { flags, metadata };
}
