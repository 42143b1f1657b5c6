/** Other rules in use near the one under review, as they are or as earlier decisions of a report would leave them. */
import type { Database } from "../../db/client";
import type { TaskInput } from "../../platform/reasoner/port";
import { retrievalText, type UserPlaybook } from "../../playbooks/model";
import { loadUserPlaybooks } from "../../playbooks/store";
import { unitVectorOf } from "../../playbooks/vectors";
import { type EmbeddingMemory, hexOf } from "../compare";
import { loadComparables } from "../comparison-store";
import { existingLabel } from "../labels";
import type { RuleText } from "../model";
import { nearest, type RetrievalPolicy, type Stored } from "../retrieval";

/** What earlier decisions would have changed, had they been applied. */
export interface Simulation {
  /** Rejected and edited rules: they are out of use. */
  gone: ReadonlySet<number>;
  /** Edited rules as they would be. */
  proposed: readonly { userId: string; agentVersion: string; rule: RuleText }[];
}

export const nothingSimulated: Simulation = { gone: new Set(), proposed: [] };

const unitOf = (vector: { bytes: Uint8Array; dimension: number; scale: number } | undefined) =>
  vector === undefined ? null : unitVectorOf({ ...vector, hexBytes: hexOf(vector.bytes) });

/** The rules that a proposed one or a stored one stands for; a proposed one's id is below zero. */
const proposedId = (position: number): number => -1 - position;

/** Best first, without the rule itself. @throws EmbedderError */
export async function otherRules(
  db: Database,
  row: UserPlaybook & { userId: string },
  simulation: Simulation,
  { memory, model, policy }: { memory: EmbeddingMemory; model: string; policy: RetrievalPolicy },
): Promise<TaskInput<"reviewStored">["existing"]> {
  const comparables = (await loadComparables(db, row, model)).filter(
    ({ userPlaybookId }) => userPlaybookId !== row.userPlaybookId && !simulation.gone.has(userPlaybookId),
  );
  const proposed = simulation.proposed
    .filter(({ userId, agentVersion }) => userId === row.userId && agentVersion === row.agentVersion)
    .map(({ rule }) => rule);
  if (comparables.length + proposed.length === 0) return [];
  const [own, ...made] = await memory.vectorsOf([
    { trigger: row.trigger ?? "", content: row.content },
    ...proposed,
  ]);
  const stored: Stored[] = [
    ...comparables.map(({ userPlaybookId, trigger, content, vector }) => ({
      id: userPlaybookId,
      text: `${trigger}\n${content}`,
      vector: vector === null ? null : unitVectorOf(vector),
    })),
    ...proposed.map(({ trigger, content }, position) => ({
      id: proposedId(position),
      text: `${trigger}\n${content}`,
      vector: unitOf(made[position]),
    })),
  ];
  const ids = nearest([{ text: retrievalText(row), vector: unitOf(own) }], stored, policy);
  const texts = new Map<number, RuleText>(proposed.map((rule, position) => [proposedId(position), rule]));
  for (const found of await loadUserPlaybooks(
    db,
    row.orgId,
    ids.filter((id) => id > 0),
  )) {
    const { userPlaybookId, trigger, content, rationale, status } = found;
    if (status === null)
      texts.set(userPlaybookId, { trigger: trigger ?? "", content, rationale: rationale ?? "" });
  }
  return ids
    .flatMap((id) => texts.get(id) ?? [])
    .map(({ trigger, content, rationale }, index) => ({
      label: existingLabel(index),
      trigger,
      content,
      rationale,
    }));
}
