/** The few calls the demo makes, over HTTP like any agent's. */
import { randomUUID } from "node:crypto";
import * as z from "zod";

/** No call of the demo waits longer. */
const CALL_MS = 60_000;

export class ApiError extends Error {
  override readonly name = "ApiError";
}

/** Tries of one call; a local Worker may begin anew under it. */
const TRIES = 3;
const PAUSE_MS = 500;

/** A client of one running server; without a key it is the laptop's owner. */
export function createApi(baseUrl: string, key?: string) {
  return async function call<Schema extends z.ZodType>(
    schema: Schema,
    method: "GET" | "POST" | "PUT",
    path: string,
    body?: unknown,
  ): Promise<z.output<Schema>> {
    const init = {
      method,
      headers: {
        // The same key makes a call that is sent twice happen once.
        "idempotency-key": randomUUID(),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(`${baseUrl}${path}`, { ...init, signal: AbortSignal.timeout(CALL_MS) });
      const text = await response.text();
      if (response.ok) return schema.parse(JSON.parse(text));
      const mayPass = response.status === 503 || response.status === 429;
      if (!mayPass || tries === TRIES)
        throw new ApiError(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
      const askedSec = Number(response.headers.get("retry-after") ?? 0);
      await new Promise((wake) => setTimeout(wake, Math.max(askedSec * 1000, PAUSE_MS * tries)));
    }
  };
}

export type Call = ReturnType<typeof createApi>;

export const userPlaybooks = z.object({
  user_playbooks: z.array(
    z.object({
      user_playbook_id: z.int(),
      user_id: z.string().optional(),
      trigger: z.string().optional(),
      content: z.string(),
      source_interaction_ids: z.array(z.int()),
      source_span: z.string().optional(),
    }),
  ),
});
export const interactions = z.object({
  interactions: z.array(z.object({ interaction_id: z.int(), role: z.string(), content: z.string() })),
});
export const agentPlaybooks = z.object({
  agent_playbooks: z.array(
    z.object({
      agent_playbook_id: z.int(),
      trigger: z.string().optional(),
      content: z.string(),
      playbook_status: z.string(),
    }),
  ),
});
export const published = z.object({ success: z.boolean(), request_id: z.string() });
export const learningStatus = z.object({ status: z.enum(["pending", "processing", "done", "failed"]) });
export const outcome = z.object({
  success: z.boolean(),
  message: z.string().optional(),
  msg: z.string().optional(),
});
export const evidence = z.object({ user_count: z.int(), source_count: z.int() });
export const context = z.object({
  context: z.string(),
  tokens: z.int(),
  citations: z.array(z.object({ tag: z.string() })),
});
