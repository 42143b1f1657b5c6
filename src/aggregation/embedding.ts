/** Joint vectors of rules: their stored trigger vector beside that of their content, made when it is needed. */
import type { Services } from "../services";
import { jointVector } from "./clustering/joint";

/** Texts of one call to the embedder. */
const EMBED_PAGE = 100;

/**
 * Adds `joint` to rules; those without a direction are left out.
 * @throws EmbedderError
 */
export async function withJointVectors<Rule extends { content: string; vector: Float32Array }>(
  services: Pick<Services, "embedder">,
  rules: readonly Rule[],
): Promise<(Rule & { joint: Float32Array })[]> {
  const joined: (Rule & { joint: Float32Array })[] = [];
  for (let first = 0; first < rules.length; first += EMBED_PAGE) {
    const page = rules.slice(first, first + EMBED_PAGE);
    const instructions = await services.embedder.embed(
      page.map(({ content }) => content),
      "document",
    );
    for (const [index, rule] of page.entries()) {
      const joint = jointVector(rule.vector, instructions[index] ?? rule.vector);
      if (joint !== null) joined.push({ ...rule, joint });
    }
  }
  return joined;
}
