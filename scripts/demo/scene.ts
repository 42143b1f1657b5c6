/** The demo's scene: four people talk to an assistant, and Playmaker learns from it. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import * as api from "./api";

/** The agent version that the conversations were held with. */
export const AGENT_VERSION = "data-assistant-1";

const LEARNING_MS = 30_000;
const POLL_MS = 700;

const conversationSchema = z.array(
  z.looseObject({ user_id: z.string(), interaction_data_list: z.array(z.unknown()) }),
);

/** @returns the ids of the publish calls */
export async function publishConversations(
  call: api.Call,
  onPublished: (userId: string, turns: number) => void = () => {},
): Promise<string[]> {
  const file = resolve(import.meta.dirname, "conversations.json");
  const conversations = conversationSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  const requestIds: string[] = [];
  for (const conversation of conversations) {
    const { request_id } = await call(api.published, "POST", "/api/publish_interaction", {
      ...conversation,
      force_extraction: true,
    });
    requestIds.push(request_id);
    onPublished(conversation.user_id, conversation.interaction_data_list.length);
  }
  return requestIds;
}

/** @throws Error when learning fails or takes longer than `patienceMs` */
export async function waitForLearning(
  call: api.Call,
  requestIds: readonly string[],
  {
    onProgress = () => {},
    patienceMs = LEARNING_MS,
  }: { onProgress?: (done: number) => void; patienceMs?: number } = {},
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  // One after the other: a key may ask so many times a minute.
  for (const [done, requestId] of requestIds.entries()) {
    onProgress(done);
    for (;;) {
      const { status } = await call(
        api.learningStatus,
        "GET",
        `/api/learning_status?request_id=${requestId}`,
      );
      if (status === "done") break;
      if (status === "failed") throw new Error("Learning failed; see /api/dead_letters.");
      if (Date.now() > deadline) throw new Error(`Learning took longer than ${patienceMs / 1000} s.`);
      await new Promise((wake) => setTimeout(wake, POLL_MS));
    }
  }
  onProgress(requestIds.length);
}

/** @returns what aggregation says it did */
export const aggregate = async (call: api.Call): Promise<string> =>
  (await call(api.outcome, "POST", "/api/run_playbook_aggregation", { agent_version: AGENT_VERSION }))
    .message ?? "";
