/** Before a key is revoked: what that ends, and whether it would lock the reader or everybody out. */
import type { Reply, RequestScope } from "../../http/route";
import { LAST_OWNER } from "../../orgs/key-management";
import type { KeyRow } from "../../orgs/store";
import { Form } from "../fields";
import { page } from "../frame";
import { Notice, plural, Time } from "../parts";
import { visible } from "../visible";
import { KEYS_PATH } from "./path";

export interface RevokeProps {
  row: KeyRow;
  browsers: number;
  isMine: boolean;
  /** No other key works and may manage keys: it cannot be revoked. */
  isLast: boolean;
  /** When the last of the other keys that may manage keys expires, where none lives for good. */
  othersExpireAtSec: number | null;
}

const Warnings = ({ row, isMine, isLast, othersExpireAtSec }: RevokeProps) => (
  <>
    {isLast ? (
      <div class="card notice bad" role="alert">
        <p>{LAST_OWNER}</p>
      </div>
    ) : null}
    {isMine && !isLast ? (
      <div class="card notice warn" role="alert">
        <p>
          <strong>You are signed in with this key.</strong> Revoking it signs you out at once; to come back
          you need another key.
        </p>
      </div>
    ) : null}
    {othersExpireAtSec !== null && row.scopes.includes("admin") ? (
      <div class="card notice warn" role="alert">
        <p>
          Every other owner's key expires; the last one <Time sec={othersExpireAtSec} />. After that nobody
          could make keys.
        </p>
      </div>
    ) : null}
  </>
);

export const revokePage = (scope: RequestScope, props: RevokeProps, status = 200): Reply => {
  const { row, browsers, isLast } = props;
  return page(scope, {
    title: `Revoke “${visible(row.name)}”?`,
    current: KEYS_PATH,
    status,
    children: (
      <>
        <Warnings {...props} />
        <section class="card">
          <dl class="wrapping">
            <dt>Key</dt>
            <dd>
              <code>{visible(row.key_id)}</code>
            </dd>
            <dt>Stands for</dt>
            <dd>
              {visible(row.principal_id)} ({visible(row.roles.join(", "))})
            </dd>
            <dt>Made</dt>
            <dd>
              <Time sec={row.created_at} />
            </dd>
            <dt>Signed in</dt>
            <dd>{plural(browsers, "browser")}</dd>
          </dl>
          {isLast ? null : (
            <p>
              Calls with it are refused here at once and everywhere within 30 seconds, and{" "}
              {plural(browsers, "browser")} {browsers === 1 ? "is" : "are"} signed out. This cannot be taken
              back; what was done with the key stays.
            </p>
          )}
          <Form action={`${KEYS_PATH}/revoke`}>
            <input type="hidden" name="key" value={row.key_id} />
            <div class="actions">
              {isLast ? null : (
                <button type="submit" class="bad">
                  Revoke the key
                </button>
              )}
              <a class="button" href={KEYS_PATH}>
                {isLast ? "Back to the keys" : "Keep it"}
              </a>
            </div>
          </Form>
        </section>
      </>
    ),
  });
};

export const alreadyRevokedPage = (scope: RequestScope, row: KeyRow): Reply =>
  page(scope, {
    title: "This key is revoked",
    current: KEYS_PATH,
    children: (
      <Notice>
        <p>
          <strong>{visible(row.name)}</strong> was revoked{" "}
          {row.revoked_at === null ? null : <Time sec={row.revoked_at} />}.
        </p>
        <a href={KEYS_PATH}>All keys</a>
      </Notice>
    ),
  });
