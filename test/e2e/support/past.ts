/** What no call of a test can bring about: model calls of other days, work that was given up. */
import { inject } from "vitest";
import { runWrangler } from "../../../scripts/local/process";
import type { Org } from "./org";

const DAYS = 30;

/** Rows as a month of model calls leaves them, and two dead letters, written into the local database. */
export async function giveItAPast({ orgId }: Org): Promise<void> {
  const usage = Array.from({ length: DAYS }, (_, ago) => {
    const day = `date('now', '-${ago} days')`;
    const row = (task: string, model: string, calls: number) =>
      `('${orgId}', ${day}, '${task}', 'openai', '${model}', ${calls}, ${calls * 2_100}, ${calls * 190})`;
    return [
      row("extract", "large-model", 40 + ((ago * 7) % 23)),
      row("shouldExtract", "small-model", 90 + ((ago * 11) % 31)),
      row("synthesise", "large-model", 3 + (ago % 5)),
    ].join(", ");
  });
  const letter = (name: string, reason: string, ago: number) =>
    `('${orgId}', '${name}', 'extraction', '["amara","playbook","win_${name}"]', '${reason}', 'The model did not answer.', 4, unixepoch() - ${ago}, NULL)`;
  const command = [
    `INSERT INTO usage_days (org_id, day, task, provider, model, calls, input_tokens, output_tokens) VALUES ${usage.join(", ")};`,
    `INSERT INTO dead_letters (org_id, dead_letter_id, topic, key, reason, message, attempts, created_at, replayed_at) VALUES ${letter("dead_a", "truncated_json", 3_000)}, ${letter("dead_b", "embedding_refused", 90_000)};`,
  ].join(" ");
  const stateDir = inject("stateDir");
  const run = runWrangler(
    ["d1", "execute", "DB", "--local", "--persist-to", stateDir, "--command", command],
    stateDir,
  );
  if ((await run.ended) !== 0) throw new Error(`The past could not be written:\n${run.output()}`);
}
