/** The page that shows a new key, once, with what to do with it; and the one for a form that came twice. */
import type { Reply, RequestScope } from "../../http/route";
import type { NewKeyView } from "../../orgs/key-management";
import type { KeyRow } from "../../orgs/store";
import { Copyable } from "../copy";
import { page } from "../frame";
import { hrefOf, Time } from "../parts";
import { visible } from "../visible";
import { KEYS_PATH } from "./path";

const Facts = ({ keyView }: { keyView: NewKeyView }) => (
  <dl class="wrapping">
    <dt>Name</dt>
    <dd>{visible(keyView.name)}</dd>
    <dt>Stands for</dt>
    <dd>{visible(keyView.principal_id)}</dd>
    <dt>Roles</dt>
    <dd>{keyView.roles.join(", ")}</dd>
    <dt>May</dt>
    <dd>{keyView.scopes.join(", ")}</dd>
    <dt>Expires</dt>
    <dd>{keyView.expires_at === null ? "never" : <Time sec={keyView.expires_at} />}</dd>
  </dl>
);

const isForPeople = ({ scopes }: NewKeyView): boolean => scopes.includes("review");

export const newKeyPage = (scope: RequestScope, keyView: NewKeyView): Reply =>
  page(scope, {
    title: "The new key",
    current: KEYS_PATH,
    intro: "This is the only time it is shown: only its hash is kept. Copy it now to where it will be used.",
    status: 201,
    children: (
      <>
        <section class="card" aria-labelledby="key-heading">
          <h2 id="key-heading">Key</h2>
          <Copyable id="new-key" label="Copy the key" text={keyView.key} />
          <Facts keyView={keyView} />
        </section>
        <section class="card" aria-labelledby="use-heading">
          <h2 id="use-heading">What to do with it</h2>
          {isForPeople(keyView) ? (
            <p>
              Give it to the person it stands for over a channel that only the two of you read. They sign in
              at <a href="/sign-in">/sign-in</a> with it and can then decide on rules.
            </p>
          ) : (
            <p>
              Put it into the secrets of the program it stands for; never into its code, its prompt or a chat.
            </p>
          )}
          <p>A program sends it with every call:</p>
          <Copyable
            id="new-key-header"
            label="Copy the header"
            text={`Authorization: Bearer ${keyView.key}`}
          />
          <p>
            If somebody else may have seen it,{" "}
            <a href={hrefOf(`${KEYS_PATH}/revoke`, { key: keyView.key_id })}>revoke it</a> and make another
            one. What to call is in the <a href="/docs">API's pages</a>.
          </p>
          <div class="actions">
            <a class="button" href={KEYS_PATH}>
              I have copied it
            </a>
          </div>
        </section>
      </>
    ),
  });

/** The form came a second time, as when a browser reloads the page that showed the key. */
export const shownBeforePage = (scope: RequestScope, row: KeyRow): Reply =>
  page(scope, {
    title: "This key was made already",
    current: KEYS_PATH,
    status: 409,
    children: (
      <section class="card">
        <p>
          This form was sent before and made the key <strong>{visible(row.name)}</strong> (
          <code>{visible(row.key_id)}</code>) <Time sec={row.created_at} />. A key is shown once and cannot be
          shown again.
        </p>
        <p>If you did not copy it, revoke it and make another one.</p>
        <div class="actions">
          <a class="button" href={KEYS_PATH}>
            All keys
          </a>
          <a class="button" href={hrefOf(`${KEYS_PATH}/revoke`, { key: row.key_id })}>
            Revoke it…
          </a>
        </div>
      </section>
    ),
  });
