/** The org's webhook: where it is told what, its signing secret, and what became of each message. */
import type { Reply, RequestScope } from "../../http/route";
import { type Endpoint, type WebhookMessage, webhookEvents } from "../../orgs/webhooks/model";
import type { Issue } from "../../platform/failure";
import { Copyable } from "../copy";
import { CheckField, Form, faultOf, TextField } from "../fields";
import { page } from "../frame";
import { Badge, Empty, Notice, plural, Refused, Table, Time } from "../parts";
import { visible } from "../visible";
import { disabledText, eventText, type MessageState, stateOf } from "./words";

export const WEBHOOK_PATH = "/desk/webhook";

const doneText = {
  saved: "The webhook is saved.",
  removed: "The webhook is removed; nothing is told any more.",
  delivered: "The message was delivered.",
  pending: "The message was not taken yet; it is tried again by its schedule.",
  failed: "The message could not be delivered.",
} as const;
export const webhookOutcomes = ["saved", "removed", "delivered", "pending", "failed"] as const;
export type WebhookOutcome = (typeof webhookOutcomes)[number];

export interface WebhookPageProps {
  endpoint: Endpoint | null;
  messages: readonly WebhookMessage[];
  done: WebhookOutcome | null;
  /** A new secret; this page is the only one that ever shows it. */
  secret: string | null;
  typed: Readonly<Record<string, string>> | null;
  refused: { message: string; issues: readonly Issue[]; status: number } | null;
}

const State = ({ endpoint }: { endpoint: Endpoint }) => {
  if (endpoint.disabledAt !== null) {
    return (
      <div class="card notice bad" role="alert">
        <p>
          Disabled since <Time sec={endpoint.disabledAt} />:{" "}
          {endpoint.disabledReason === null ? "" : disabledText[endpoint.disabledReason]}. Saving it enables
          it again.
        </p>
      </div>
    );
  }
  return endpoint.failingSince === null ? null : (
    <div class="card notice warn">
      <p>
        Nothing has been delivered since <Time sec={endpoint.failingSince} />. Messages are tried again for
        two days.
      </p>
    </div>
  );
};

const Secret = ({ secret }: { secret: string }) => (
  <section class="card" aria-labelledby="secret-heading">
    <h2 id="secret-heading">The signing secret</h2>
    <p>
      It is shown this once. Keep it where your receiver checks signatures, with any Standard Webhooks
      library.
    </p>
    <Copyable id="secret" label="Copy the secret" text={secret} />
  </section>
);

const Settings = ({ endpoint, typed, refused }: Pick<WebhookPageProps, "endpoint" | "typed" | "refused">) => {
  const issues = refused?.issues ?? [];
  const eventsFault = faultOf(issues, "events");
  return (
    <Form action={WEBHOOK_PATH} class="card">
      <h2>{endpoint === null ? "Be told what happens" : "Where and what"}</h2>
      <TextField
        name="url"
        label="Address"
        type="url"
        value={typed?.url ?? endpoint?.url}
        placeholder="https://example.com/playmaker"
        hint="It is sent a signed POST for each event, as Standard Webhooks has it: ids and counts, no content."
        fault={faultOf(issues, "url")}
        required
      />
      <fieldset aria-describedby={eventsFault === undefined ? undefined : "events-fault"}>
        <legend>Events</legend>
        {webhookEvents.map((event) => (
          <CheckField
            name={event}
            label={
              <>
                {eventText[event]} <code>{event}</code>
              </>
            }
            isChecked={typed === null ? (endpoint?.events.includes(event) ?? true) : typed[event] === "on"}
          />
        ))}
        {eventsFault === undefined ? null : (
          <p class="fault" id="events-fault">
            {eventsFault}
          </p>
        )}
      </fieldset>
      <div class="actions">
        <button type="submit" class="main">
          Save
        </button>
      </div>
    </Form>
  );
};

const Actions = ({ endpoint }: { endpoint: Endpoint }) => (
  <section class="card" aria-labelledby="actions-heading">
    <h2 id="actions-heading">Try it, or change its secret</h2>
    {endpoint.previousUntil === null ? null : (
      <p class="soft">
        The secret before signs as well until <Time sec={endpoint.previousUntil} />.
      </p>
    )}
    <div class="actions">
      {endpoint.disabledAt === null ? (
        <Form action={`${WEBHOOK_PATH}/test`}>
          <button type="submit">Send a test message</button>
        </Form>
      ) : null}
      <Form action={`${WEBHOOK_PATH}/rotate`}>
        <button type="submit">Make a new secret</button>
      </Form>
      <Form action={`${WEBHOOK_PATH}/remove`}>
        <button type="submit" class="bad">
          Remove the webhook
        </button>
      </Form>
    </div>
    <p class="hint">After a new secret both sign for a day, so that your receiver can change over.</p>
  </section>
);

const tones: Record<MessageState, "good" | "bad" | undefined> = {
  delivered: "good",
  failed: "bad",
  pending: undefined,
};

const Fate = ({ message }: { message: WebhookMessage }) => {
  const state = stateOf(message);
  return (
    <>
      <Badge tone={tones[state]}>{state}</Badge>{" "}
      <span class="soft">
        {message.attempts === 0 ? "not tried yet" : plural(message.attempts, "attempt")}
        {message.lastStatus === null ? "" : `, answered ${message.lastStatus}`}
        {message.lastError === null ? "" : `, ${visible(message.lastError)}`}
      </span>
    </>
  );
};

const Messages = ({ messages, mayResend }: { messages: readonly WebhookMessage[]; mayResend: boolean }) =>
  messages.length === 0 ? (
    <Empty title="Nothing was told yet">
      <p>
        Messages of the last 30 days stand here with what became of them. A test message is a good first one.
      </p>
    </Empty>
  ) : (
    <section class="card" aria-labelledby="messages-heading">
      <h2 id="messages-heading">Messages of the last 30 days</h2>
      <Table
        caption="Messages, newest first"
        rows={messages}
        columns={[
          { heading: "When", cell: ({ createdAtMs }) => <Time sec={Math.floor(createdAtMs / 1000)} /> },
          { heading: "Event", cell: ({ type }) => <code>{visible(type)}</code> },
          {
            heading: "About",
            isText: true,
            cell: ({ data }) => <code>{visible(JSON.stringify(data))}</code>,
          },
          { heading: "What became of it", isText: true, cell: (message) => <Fate message={message} /> },
          {
            heading: "Again",
            cell: (message) =>
              mayResend ? (
                <Form action={`${WEBHOOK_PATH}/resend`}>
                  <input type="hidden" name="message_id" value={message.messageId} />
                  <button type="submit" class="small" aria-label={`Send message ${message.messageId} again`}>
                    Send again
                  </button>
                </Form>
              ) : null,
          },
        ]}
      />
    </section>
  );

export const webhookPage = (scope: RequestScope, props: WebhookPageProps): Reply =>
  page(scope, {
    title: "Webhook",
    current: WEBHOOK_PATH,
    intro: "Playmaker can tell one address of yours when something needs a person.",
    status: props.refused?.status ?? 200,
    children: (
      <>
        {props.refused === null ? null : <Refused message={props.refused.message} />}
        {props.done === null ? null : (
          <Notice>
            <p>{doneText[props.done]}</p>
          </Notice>
        )}
        {props.endpoint === null ? null : <State endpoint={props.endpoint} />}
        {props.secret === null ? null : <Secret secret={props.secret} />}
        <Settings endpoint={props.endpoint} typed={props.typed} refused={props.refused} />
        {props.endpoint === null ? null : <Actions endpoint={props.endpoint} />}
        <Messages
          messages={props.messages}
          mayResend={props.endpoint !== null && props.endpoint.disabledAt === null}
        />
      </>
    ),
  });
