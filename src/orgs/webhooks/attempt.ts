/** One attempt to deliver one message: judged address, signed body, bounded wait, no redirect. */
import { Webhook } from "standardwebhooks";
import { EgressError, type EgressErrorCode } from "../../platform/egress";
import { SecretError } from "../../platform/secrets";
import type { Services } from "../../services";
import { endpointUrl } from "./endpoint-url";
import { type Endpoint, SECRET_NAME, type WebhookMessage } from "./model";
import { retryAfterMs } from "./schedule";

export type Outcome =
  | { kind: "delivered"; status: number }
  /** The endpoint's fault, or the network's; it may be better next time. */
  | { kind: "failed"; status: number | null; error: string; retryAfterMs: number }
  /** Never again to this address. */
  | { kind: "refused"; status: number | null; error: "gone" | "url_refused" }
  /** Nothing could be sent, for a reason on our side. */
  | { kind: "unsent"; error: string };

/** Refusals of the address itself. */
const URL_REFUSED: ReadonlySet<EgressErrorCode> = new Set<EgressErrorCode>([
  "invalid_url",
  "scheme_refused",
  "credentials_in_url",
  "host_refused",
  "port_refused",
]);

/** The same bytes at every attempt. */
const bodyOf = ({ type, createdAtMs, data }: WebhookMessage): string =>
  JSON.stringify({ type, timestamp: new Date(createdAtMs).toISOString(), data });

/** One signature per secret that counts now, as Standard Webhooks has it for rotation. */
async function signatures(
  { secrets }: Pick<Services, "secrets">,
  endpoint: Endpoint,
  message: WebhookMessage,
  body: string,
  nowMs: number,
): Promise<string> {
  const { orgId, secret, previousSecret, previousUntil } = endpoint;
  const isRotating = previousSecret !== null && previousUntil !== null && previousUntil * 1000 > nowMs;
  const sealed = isRotating ? [secret, previousSecret] : [secret];
  if (secrets === null) throw new SecretError("unknown_key", "SECRETS_KEYS is not set.");
  const opened = await Promise.all(sealed.map((each) => secrets.open(orgId, SECRET_NAME, each)));
  return opened.map((each) => new Webhook(each).sign(message.messageId, new Date(nowMs), body)).join(" ");
}

function outcomeOf(response: Response, nowMs: number): Outcome {
  const { status } = response;
  if (status >= 200 && status < 300) return { kind: "delivered", status };
  if (status === 410) return { kind: "refused", status, error: "gone" };
  return {
    kind: "failed",
    status,
    error: status >= 300 && status < 400 ? "redirect_not_followed" : "not_accepted",
    retryAfterMs: retryAfterMs(response.headers.get("retry-after"), nowMs),
  };
}

/** Sends a message once. Never throws: whatever goes wrong is an outcome. */
export async function attempt(
  services: Pick<Services, "secrets" | "webhookEgress" | "settings" | "clock" | "log">,
  endpoint: Endpoint,
  message: WebhookMessage,
): Promise<Outcome> {
  const nowMs = services.clock.nowMs();
  const judged = endpointUrl(endpoint.url, services.settings.ENVIRONMENT === "local");
  if (!("url" in judged)) return { kind: "refused", status: null, error: "url_refused" };
  const body = bodyOf(message);
  let signature: string;
  try {
    signature = await signatures(services, endpoint, message, body, nowMs);
  } catch (error) {
    services.log.error("webhook.not_signed", {
      orgId: endpoint.orgId,
      fault: error instanceof SecretError ? error.fault : "other",
    });
    return { kind: "unsent", error: "secret_not_readable" };
  }
  try {
    const response = await services.webhookEgress(judged.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "playmaker",
        "webhook-id": message.messageId,
        "webhook-timestamp": String(Math.floor(nowMs / 1000)),
        "webhook-signature": signature,
      },
      body,
    });
    // Its status has decided; the body is only taken off the connection, up to the port's bound.
    await response.arrayBuffer().catch(() => undefined);
    return outcomeOf(response, services.clock.nowMs());
  } catch (error) {
    const code = error instanceof EgressError ? error.code : "network";
    if (URL_REFUSED.has(code)) return { kind: "refused", status: null, error: "url_refused" };
    return { kind: "failed", status: null, error: code, retryAfterMs: 0 };
  }
}
