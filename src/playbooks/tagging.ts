/** When a user's rules are tagged: some time after they were learned or rewritten, together. */
import { enqueue } from "../db/outbox";
import type { Statement } from "../db/sql";
import type { Config } from "../orgs/config";

/** How long tagging waits for more rules of the same user; the sweep then starts it. */
const TAGGING_DELAY_MS = 15_000;

/** What the org says about its tags; "" where it wants none. */
export const taggingDefinition = (config: Config): string =>
  (config.user_playbook_extractor_config?.tagging_definition_prompt ?? "").trim();

/** For the batch that writes untagged rules. Nobody has to send it: whichever row comes first tags for all. */
export async function tagLater(rules: {
  orgId: string;
  userId: string;
  agentVersion: string;
  /** What makes the change itself. */
  cause: string;
  nowMs: number;
  /** A scalar condition that the batch decides. */
  onlyIf?: Statement;
}): Promise<Statement> {
  const { userId, agentVersion, ...rest } = rules;
  const key = [userId, agentVersion];
  return (await enqueue({ ...rest, topic: "tagging", key, delayMs: TAGGING_DELAY_MS })).statement;
}
