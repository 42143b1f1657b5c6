/** Which rules the turns of a publish call say they applied. Pure. */
import type { PublishedTurn } from "./model";

/** A turn, by its place among those that are stored, and a rule that it cites. */
export interface CitedRule {
  ordinal: number;
  kind: "user_playbook" | "agent_playbook";
  id: number;
}

/** Rules that one call may apply: what is cited beyond them is stored with its turn and not counted. */
export const MAX_APPLICATIONS = 1_000;

/** Tags as the context block gives them: `ap-12` and `up-7`. */
const kindOfTag = { ap: "agent_playbook", up: "user_playbook" } as const;

/** Both kinds of rule count from one, so a citation of the old kind `playbook` needs its tag to tell them apart. */
function kindOf({ kind, real_id, tag }: PublishedTurn["citations"][number]): CitedRule["kind"] | null {
  if (kind === "user_playbook" || kind === "agent_playbook") return kind;
  if (kind !== "playbook") return null;
  for (const prefix of ["ap", "up"] as const) if (tag === `${prefix}-${real_id}`) return kindOfTag[prefix];
  return null;
}

/** An id as a rule's is written; anything else names none of ours. */
const idOf = (real_id: string): number | null => (/^[1-9]\d{0,14}$/.test(real_id) ? Number(real_id) : null);

/**
 * The cited rules in order of their turns, each once a turn. What a turn was merely shown
 * (`retrieved_learnings`) it did not apply.
 */
export function citedRules(turns: readonly Pick<PublishedTurn, "citations">[]): CitedRule[] {
  const cited = new Map<string, CitedRule>();
  for (const [ordinal, { citations }] of turns.entries()) {
    for (const citation of citations) {
      const [kind, id] = [kindOf(citation), idOf(citation.real_id)];
      if (kind === null || id === null) continue;
      cited.set(`${ordinal} ${kind} ${id}`, { ordinal, kind, id });
      if (cited.size === MAX_APPLICATIONS) return [...cited.values()];
    }
  }
  return [...cited.values()];
}
