/** Joins what two searches looked at, the one asked for and the block's, to one list of explained rules. Pure. */
import * as z from "zod";
import { json, textList } from "./hits";
import { type PlaybookKind, tagOf } from "./kinds";
import type { Seen } from "./look-further";
import type { Place } from "./ranking";
import type { Why } from "./why";

/** How a search came to a rule, and why it left it out. */
export interface Trail extends Omit<Place, "lostAs"> {
  why: Why | null;
}

export interface Explained extends Trail {
  id: number;
  trigger: string | null;
  content: string;
  agentVersion: string;
  /** Null for user playbooks. */
  playbookStatus: string | null;
  /** Null for agent playbooks, and where users are not named. */
  userId: string | null;
  flags: string[];
  returned: boolean;
  /** The same for the prompt's block, whose search is one of its own; null where no block is made. */
  block: (Trail & { tag: string | null }) | null;
}

/** What a search saw of one kind. */
export interface SeenBy {
  seen: readonly Seen[];
  /** By citation tag, for rules among the best. */
  whys: ReadonlyMap<string, Why>;
}

export interface BlockSeenBy extends SeenBy {
  /** Tags of the rules in the block. */
  cited: ReadonlySet<string>;
  /** What to say of a rule that the block's search did not look at. */
  otherwise: Why;
}

const rowSchema = z.object({
  id: z.int(),
  trigger: z.string().nullable(),
  content: z.string(),
  agent_version: z.string(),
  playbook_status: z.string().nullish(),
  user_id: z.string().nullish(),
  flags: json(textList),
});

const UNSEEN = {
  ...{ wordRank: null, wordScore: null, meaningRank: null, cosine: null },
  ...{ fusedRank: null, fusedScore: null },
} as const;

/**
 * The returned rules in the order of the answer, then those of the block, then the others by how well they
 * stand.
 */
export function explained(
  kind: PlaybookKind,
  search: SeenBy,
  block: BlockSeenBy | null,
  { mayNameUsers }: { mayNameUsers: boolean },
): Explained[] {
  const inSearch = byId(search.seen);
  const inBlock = byId(block?.seen ?? []);
  const standing = (seen: Seen | undefined): number => seen?.standing ?? Infinity;
  const placeIn = ({ id, returned, fusedRank }: Explained): number =>
    returned ? (fusedRank ?? 0) : Math.min(standing(inSearch.get(id)), standing(inBlock.get(id)));
  return [...new Map([...inBlock, ...inSearch]).values()]
    .map(({ row }): Explained => {
      const { id, trigger, content, agent_version, playbook_status, user_id, flags } = rowSchema.parse(row);
      const tag = tagOf(kind, id);
      const trail = trailOf(inSearch.get(id), search.whys.get(tag), { code: "not_found" });
      return {
        ...{ id, trigger, content, flags, agentVersion: agent_version },
        playbookStatus: playbook_status ?? null,
        userId: mayNameUsers ? (user_id ?? null) : null,
        ...trail,
        returned: trail.why === null,
        block: block && {
          tag: block.cited.has(tag) ? tag : null,
          ...trailOf(inBlock.get(id), block.whys.get(tag), block.otherwise),
        },
      };
    })
    .sort(
      (left, right) =>
        groupOf(left) - groupOf(right) ||
        // Two that never stood anywhere give NaN and so go by likeness.
        placeIn(left) - placeIn(right) ||
        (right.cosine ?? -1) - (left.cosine ?? -1) ||
        left.id - right.id,
    );
}

function trailOf(seen: Seen | undefined, why: Why | undefined, otherwise: Why): Trail {
  if (seen === undefined) return { ...UNSEEN, why: otherwise };
  const { row: _row, lostAs, hiddenAs, standing: _standing, ...place } = seen;
  return { ...place, why: whyLost(lostAs, hiddenAs) ?? why ?? null };
}

/** A hidden rule that is too far off would not have been returned without the filter either. */
function whyLost(lostAs: Seen["lostAs"], hiddenAs: Seen["hiddenAs"]): Why | null {
  const code = lostAs === "below_threshold" ? lostAs : (hiddenAs ?? lostAs);
  return code === null ? null : { code };
}

const byId = (seen: readonly Seen[]): Map<number, Seen> => new Map(seen.map((each) => [each.row.id, each]));

const groupOf = ({ returned, block }: Explained): number => (returned ? 0 : block?.tag != null ? 1 : 2);
