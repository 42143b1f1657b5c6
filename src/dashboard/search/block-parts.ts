/** A block cut at its citations, so that each can be a link. Pure. */
import type { Citation } from "../../search/context";

export interface BlockPart {
  text: string;
  /** Of the rule whose tag `text` is; null between tags. */
  citation: Citation | null;
}

/**
 * Joined, the parts are the block. A tag counts where a rule's line begins only: no text of a rule can begin a
 * line, so none can pass for a citation.
 *
 * @param block as markdown
 * @param citations in the order of the block
 */
export function partsOf(block: string, citations: readonly Citation[]): BlockPart[] {
  const parts: BlockPart[] = [];
  let from = 0;
  for (const citation of citations) {
    const lead = "\n- [";
    const at = block.indexOf(`${lead}${citation.tag}] `, from);
    if (at === -1) continue;
    const start = at + lead.length;
    parts.push({ text: block.slice(from, start), citation: null });
    from = start + citation.tag.length;
    parts.push({ text: citation.tag, citation });
  }
  if (from < block.length) parts.push({ text: block.slice(from), citation: null });
  return parts;
}
