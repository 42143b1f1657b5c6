/** What a chain of runs may not do: go deeper than ten, or come back to a playbook that is already in it. */
import { LIMITS } from "../spec";

/**
 * Whether another run may follow.
 * @param depth the depth that the next run would have
 * @param chain the playbooks of the runs before it
 */
export const mayChain = (playbookId: string, depth: number, chain: readonly string[]): boolean =>
  depth <= LIMITS.chainDepth && !chain.includes(playbookId);
