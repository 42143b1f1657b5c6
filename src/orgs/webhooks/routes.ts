/** The org's webhook over HTTP. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import { Reply, type Route } from "../../http/route";
import { needEndpoint, removeEndpoint, rotateEndpointSecret, setEndpoint } from "./endpoint";
import { MAX_URL_CHARACTERS } from "./endpoint-url";
import { listMessages } from "./message-store";
import { disabledReasons, type Endpoint, type WebhookMessage, webhookEvents } from "./model";
import { resend, sendTest } from "./send-now";

const endpointView = z.object({
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  created_at: z.int(),
  updated_at: z.int(),
  previous_secret_until: z.int().nullable().meta({ description: "Until then the secret before signs too." }),
  failing_since: z.int().nullable(),
  disabled_at: z.int().nullable(),
  disabled_reason: z.enum(disabledReasons).nullable(),
});

const viewOf = (endpoint: Endpoint): z.output<typeof endpointView> => ({
  url: endpoint.url,
  events: endpoint.events,
  created_at: endpoint.createdAt,
  updated_at: endpoint.updatedAt,
  previous_secret_until: endpoint.previousUntil,
  failing_since: endpoint.failingSince,
  disabled_at: endpoint.disabledAt,
  disabled_reason: endpoint.disabledReason,
});

const messageView = z.object({
  message_id: z.string().meta({ description: "The `webhook-id` of every attempt." }),
  type: z.string(),
  data: z.record(z.string(), z.unknown()),
  state: z.enum(["pending", "delivered", "failed"]),
  attempts: z.int(),
  last_status: z.int().nullable(),
  last_error: z.string().nullable(),
  created_at: z.int(),
  next_attempt_at: z.int().nullable(),
  delivered_at: z.int().nullable(),
  failed_at: z.int().nullable(),
});

const secOf = (ms: number | null): number | null => (ms === null ? null : Math.floor(ms / 1000));

function messageViewOf(message: WebhookMessage): z.output<typeof messageView> {
  const { deliveredAtMs, failedAtMs, nextAttemptAtMs, createdAtMs } = message;
  const state = deliveredAtMs !== null ? "delivered" : failedAtMs !== null ? "failed" : "pending";
  return {
    message_id: message.messageId,
    type: message.type,
    data: message.data,
    state,
    attempts: message.attempts,
    last_status: message.lastStatus,
    last_error: message.lastError,
    created_at: Math.floor(createdAtMs / 1000),
    next_attempt_at: state === "pending" ? secOf(Math.max(nextAttemptAtMs, createdAtMs)) : null,
    delivered_at: secOf(deliveredAtMs),
    failed_at: secOf(failedAtMs),
  };
}

const secretOnce = { description: "The signing secret (`whsec_…`), shown once." };
const TAG = "Webhook";
const NOT_SET = "No webhook is set";
const NO_KEYS = "SECRETS_KEYS is not set";

const getWebhook = defineRoute({
  dialect: "own",
  method: "get",
  path: "/api/webhook",
  tag: TAG,
  summary: "Where the org is told what happened",
  scope: "admin",
  limit: "read",
  example: { after: "put /api/webhook" },
  response: endpointView,
  otherAnswers: { 404: NOT_SET },
  handler: async (scope) => viewOf(await needEndpoint(scope)),
});

const putWebhook = defineRoute({
  dialect: "own",
  method: "put",
  path: "/api/webhook",
  tag: TAG,
  summary: "Set where the org is told what happened, and of what",
  description:
    "Messages are signed as Standard Webhooks has it. The first call makes the secret and shows it once; later " +
    "ones keep it. Setting a webhook that was disabled enables it again.",
  scope: "admin",
  limit: "config",
  body: z.strictObject({
    url: z.string().min(1).max(MAX_URL_CHARACTERS),
    events: z.array(z.enum(webhookEvents)).min(1).max(webhookEvents.length),
  }),
  example: {
    body: { url: "https://hooks.example.com/playmaker", events: ["rule.pending", "dead_letter.added"] },
  },
  response: endpointView.extend({ secret: z.string().nullable().meta(secretOnce) }),
  answerHoldsSecret: true,
  otherAnswers: { 201: "The webhook was made", 409: "Somebody else changed it meanwhile", 503: NO_KEYS },
  async handler(scope, { body }) {
    const { endpoint, secret } = await setEndpoint(scope, body);
    return new Reply(secret === null ? 200 : 201, { ...viewOf(endpoint), secret });
  },
});

const deleteWebhook = defineRoute({
  dialect: "own",
  method: "delete",
  path: "/api/webhook",
  tag: TAG,
  summary: "Tell the org nothing any more",
  scope: "admin",
  limit: "write",
  example: {},
  response: z.object({ deleted: z.literal(true) }),
  async handler(scope) {
    await removeEndpoint(scope);
    return { deleted: true };
  },
});

const rotateRoute = defineRoute({
  dialect: "own",
  method: "post",
  path: "/api/webhook/rotate_secret",
  tag: TAG,
  summary: "Make a new signing secret",
  description: "For 24 hours every message carries two signatures, of the new secret and of the one before.",
  scope: "admin",
  limit: "config",
  example: { after: "put /api/webhook" },
  response: endpointView.extend({ secret: z.string().meta(secretOnce) }),
  answerHoldsSecret: true,
  otherAnswers: { 404: NOT_SET, 409: "Somebody else changed it meanwhile", 503: NO_KEYS },
  async handler(scope) {
    const { endpoint, secret } = await rotateEndpointSecret(scope);
    return { ...viewOf(endpoint), secret };
  },
});

const testRoute = defineRoute({
  dialect: "own",
  method: "post",
  path: "/api/webhook/test",
  tag: TAG,
  summary: "Send a message of type webhook.test now, and see what became of it",
  scope: "admin",
  limit: "config",
  example: {
    after: "put /api/webhook",
    yields: { message_id: { pointer: "/message_id", sample: "msg_h3u6qz5n2xv7ck4tay2wmr6j3e" } },
  },
  response: messageView,
  otherAnswers: { 404: NOT_SET, 409: "The webhook is disabled", 503: NO_KEYS },
  handler: async (scope) => messageViewOf(await sendTest(scope)),
});

const listRoute = defineRoute({
  dialect: "own",
  method: "get",
  path: "/api/webhook/messages",
  tag: TAG,
  summary: "What the org was told in the last 30 days, newest first, with the fate of each message",
  scope: "admin",
  limit: "read",
  query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(50) }),
  example: { query: { limit: "20" } },
  response: z.object({ messages: z.array(messageView) }),
  async handler({ db, orgId }, { query }) {
    return { messages: (await listMessages(db, orgId, query.limit)).map(messageViewOf) };
  },
});

const resendRoute = defineRoute({
  dialect: "own",
  method: "post",
  path: "/api/webhook/messages/{id}/resend",
  tag: TAG,
  summary: "Send a message again, under the id it had",
  scope: "admin",
  limit: "config",
  params: z.object({ id: z.string().min(1).max(200) }),
  example: { params: { id: "{{message_id}}" } },
  response: messageView,
  otherAnswers: {
    404: "There is no such message, or no webhook",
    409: "The webhook is disabled",
    503: NO_KEYS,
  },
  handler: async (scope, { params }) => messageViewOf(await resend(scope, params.id)),
});

export const webhookRoutes: Route[] = [
  getWebhook,
  putWebhook,
  deleteWebhook,
  rotateRoute,
  testRoute,
  listRoute,
  resendRoute,
];
