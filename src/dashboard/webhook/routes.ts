/** The webhook on the desk: set it, try it, give it a new secret, send a message again. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import type { RefusedForm, RequestScope, Route } from "../../http/route";
import { removeEndpoint, rotateEndpointSecret, setEndpoint } from "../../orgs/webhooks/endpoint";
import { findEndpoint } from "../../orgs/webhooks/endpoint-store";
import { MAX_URL_CHARACTERS } from "../../orgs/webhooks/endpoint-url";
import { listMessages } from "../../orgs/webhooks/message-store";
import { webhookEvents } from "../../orgs/webhooks/model";
import { resend, sendTest } from "../../orgs/webhooks/send-now";
import { invalid } from "../../platform/failure";
import { seeOther } from "../frame";
import { html, withQuery } from "../html";
import {
  WEBHOOK_PATH,
  type WebhookOutcome,
  type WebhookPageProps,
  webhookOutcomes,
  webhookPage,
} from "./page";
import { stateOf } from "./words";

const common = { dialect: "page", tag: "Review desk", scope: "admin", response: html } as const;

const MESSAGES = 50;

async function render(scope: RequestScope, props: Partial<WebhookPageProps>) {
  const [endpoint, messages] = await Promise.all([
    findEndpoint(scope.db, scope.orgId),
    listMessages(scope.db, scope.orgId, MESSAGES),
  ]);
  return webhookPage(scope, {
    endpoint,
    messages,
    done: null,
    secret: null,
    typed: null,
    refused: null,
    ...props,
  });
}

const led = (done: WebhookOutcome) => seeOther(withQuery(WEBHOOK_PATH, { done }));

/** The page with why a form was not taken; a server's own fault has a page of its own. */
const refused = async (scope: RequestScope, { failure, typed }: RefusedForm) =>
  failure.kind === "internal"
    ? null
    : render(scope, {
        ...(typed.url !== undefined && { typed }),
        refused: {
          message:
            failure.kind === "invalid"
              ? "Nothing was saved: something in the form is not right."
              : failure.message,
          issues: failure.issues,
          status: failure.status,
        },
      });

const form = { ...common, method: "post", bodyType: "form", limit: "config", refused } as const;
const csrf = { csrf: z.string() };

const show = defineRoute({
  ...common,
  method: "get",
  path: WEBHOOK_PATH,
  summary: "The org's webhook and its messages",
  limit: "read",
  query: z.object({ done: z.enum(webhookOutcomes).optional() }),
  handler: (scope, { query }) => render(scope, { done: query.done ?? null }),
});

const save = defineRoute({
  ...form,
  path: WEBHOOK_PATH,
  summary: "Set the webhook",
  body: z.object({ ...csrf, url: z.string().trim().max(MAX_URL_CHARACTERS) }).catchall(z.string().max(100)),
  async handler(scope, { body }) {
    const events = webhookEvents.filter((event) => body[event] === "on");
    if (events.length === 0) throw invalid("/events", "Choose at least one event.", "one or more events");
    const { secret } = await setEndpoint(scope, { url: body.url, events });
    // The secret is shown on this very answer and nowhere else.
    return secret === null ? led("saved") : render(scope, { secret, done: "saved" });
  },
});

const rotate = defineRoute({
  ...form,
  path: `${WEBHOOK_PATH}/rotate`,
  summary: "Make a new signing secret",
  body: z.object(csrf),
  handler: async (scope) => render(scope, { secret: (await rotateEndpointSecret(scope)).secret }),
});

const remove = defineRoute({
  ...form,
  path: `${WEBHOOK_PATH}/remove`,
  summary: "Remove the webhook",
  body: z.object(csrf),
  async handler(scope) {
    await removeEndpoint(scope);
    return led("removed");
  },
});

const test = defineRoute({
  ...form,
  path: `${WEBHOOK_PATH}/test`,
  summary: "Send a test message",
  body: z.object(csrf),
  handler: async (scope) => led(stateOf(await sendTest(scope))),
});

const again = defineRoute({
  ...form,
  path: `${WEBHOOK_PATH}/resend`,
  summary: "Send a message again",
  body: z.object({ ...csrf, message_id: z.string().min(1).max(200) }),
  handler: async (scope, { body }) => led(stateOf(await resend(scope, body.message_id))),
});

export const webhookPages: Route[] = [show, save, rotate, remove, test, again];
