/**
 * A real HTTP server on loopback that speaks two wire formats of model providers: chat completions with
 * `response_format: json_schema`, and Anthropic messages. Replies are scripted, faults included.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import * as z from "zod";
import { strictSchemaFaults } from "./strict-schema";

export type StubReply =
  | { kind: "text"; text: string; finish?: "stop" | "length" | "content_filter" }
  | { kind: "status"; status: number; headers?: Record<string, string>; body?: string }
  /** Repeats the system and user messages in place of an answer. */
  | { kind: "echo" }
  /** Never answers; `onHang` tells when the request is in. */
  | { kind: "hang" }
  | { kind: "reset" }
  | { kind: "empty" }
  | { kind: "html" };

export interface StubRequest {
  wire: "chat" | "messages";
  headers: Record<string, string>;
  model: string;
  system: string;
  messages: { role: string; content: string }[];
  /** The JSON schema that the answer was asked to fit; null for a free answer. */
  schema: unknown;
  maxTokens: number | null;
}

export interface LlmStub {
  /** With `/v1`; for `baseUrl` of any provider. */
  baseUrl: string;
  requests: StubRequest[];
  /** Queues replies, one a request. */
  script(...replies: StubReply[]): void;
  /** Called once for the next request that hangs. */
  onHang(listener: () => void): void;
  /** Forgets requests and unused replies. */
  reset(): void;
  close(): Promise<void>;
}

const contentSchema = z.union([
  z.string(),
  z
    .array(z.object({ type: z.string(), text: z.string() }))
    .transform((parts) => parts.map((part) => part.text).join("")),
]);
const messageSchema = z.object({ role: z.string(), content: contentSchema });

const chatBodySchema = z.object({
  model: z.string(),
  messages: z.array(messageSchema),
  max_tokens: z.number().optional(),
  max_completion_tokens: z.number().optional(),
  response_format: z
    .object({
      type: z.literal("json_schema"),
      json_schema: z.object({
        name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
        strict: z.literal(true),
        schema: z.unknown(),
      }),
    })
    .optional(),
});

const messagesBodySchema = z.object({
  model: z.string(),
  max_tokens: z.number(),
  system: z
    .array(z.object({ type: z.literal("text"), text: z.string(), cache_control: z.unknown() }))
    .optional(),
  messages: z.array(messageSchema),
  output_config: z
    .object({ format: z.object({ type: z.literal("json_schema"), schema: z.unknown() }).optional() })
    .optional(),
  tools: z.array(z.object({ name: z.string(), input_schema: z.unknown() })).optional(),
});

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

/** The request as both formats tell it. @throws ZodError when the body is not of its format */
function readRequest(path: string, headers: Record<string, string>, body: unknown): StubRequest {
  if (path.endsWith("/chat/completions")) {
    const chat = chatBodySchema.parse(body);
    const isSystem = (message: { role: string }): boolean =>
      message.role === "system" || message.role === "developer";
    return {
      wire: "chat",
      headers,
      model: chat.model,
      system: chat.messages
        .filter(isSystem)
        .map((message) => message.content)
        .join("\n"),
      messages: chat.messages.filter((message) => !isSystem(message)),
      schema: chat.response_format?.json_schema.schema ?? null,
      maxTokens: chat.max_tokens ?? chat.max_completion_tokens ?? null,
    };
  }
  const message = messagesBodySchema.parse(body);
  return {
    wire: "messages",
    headers,
    model: message.model,
    system: (message.system ?? []).map((part) => part.text).join("\n"),
    messages: message.messages,
    schema: message.output_config?.format?.schema ?? message.tools?.[0]?.input_schema ?? null,
    maxTokens: message.max_tokens,
  };
}

const stopReasons = { stop: "end_turn", length: "max_tokens", content_filter: "refusal" } as const;

function completion(
  request: StubRequest,
  text: string,
  finish: "stop" | "length" | "content_filter",
): unknown {
  if (request.wire === "chat") {
    return {
      id: "chatcmpl-stub",
      object: "chat.completion",
      created: 1_700_000_000,
      model: request.model,
      choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: finish }],
      usage: { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 },
    };
  }
  return {
    id: "msg_stub",
    type: "message",
    role: "assistant",
    model: request.model,
    content: [{ type: "text", text }],
    stop_reason: stopReasons[finish],
    stop_sequence: null,
    usage: { input_tokens: 120, output_tokens: 30 },
  };
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** An error body as the provider of the wire format writes it. */
function errorBody(wire: StubRequest["wire"], message: string): unknown {
  return wire === "chat"
    ? { error: { message, type: "stub_error", param: null, code: null } }
    : { type: "error", error: { type: "stub_error", message } };
}

export async function startLlmStub(): Promise<LlmStub> {
  const requests: StubRequest[] = [];
  const script: StubReply[] = [];
  let hangListener: (() => void) | undefined;

  function answer(request: StubRequest, reply: StubReply, response: ServerResponse): void {
    switch (reply.kind) {
      case "text":
        sendJson(response, 200, completion(request, reply.text, reply.finish ?? "stop"));
        return;
      case "echo": {
        const shown = request.messages.map((message) => message.content).join("\n");
        sendJson(response, 200, completion(request, `${request.system}\n${shown}`, "stop"));
        return;
      }
      case "status": {
        const body = reply.body ?? JSON.stringify(errorBody(request.wire, `scripted ${reply.status}`));
        response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
        response.end(body);
        return;
      }
      case "hang":
        hangListener?.();
        return;
      case "reset":
        response.socket?.resetAndDestroy();
        return;
      case "empty":
        response.writeHead(200, { "content-type": "application/json" });
        response.end();
        return;
      case "html":
        response.writeHead(200, { "content-type": "text/html" });
        response.end("<!doctype html><title>Gateway</title><p>Please sign in.</p>");
        return;
    }
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).flatMap(([name, value]) =>
        typeof value === "string" ? [[name, value]] : [],
      ),
    );
    const path = incoming.url ?? "/";
    const wire = path.endsWith("/messages") ? "messages" : "chat";
    let request: StubRequest;
    try {
      request = readRequest(path, headers, await bodyOf(incoming));
      const faults = request.schema === null ? [] : strictSchemaFaults(request.schema);
      if (faults.length > 0) return sendJson(response, 400, errorBody(wire, `schema: ${faults.join("; ")}`));
    } catch (error) {
      return sendJson(response, 400, errorBody(wire, String(error)));
    }
    requests.push(request);
    const reply = script.shift();
    if (reply === undefined) return sendJson(response, 500, errorBody(wire, "no reply is scripted"));
    answer(request, reply, response);
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the stub has no port");

  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    requests,
    script: (...replies) => {
      script.push(...replies);
    },
    onHang: (listener) => {
      hangListener = listener;
    },
    reset: () => {
      requests.length = 0;
      script.length = 0;
      hangListener = undefined;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
