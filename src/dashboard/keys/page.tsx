/** The keys of the org, and below them the form that makes one. */
import type { Reply, RequestScope } from "../../http/route";
import { page } from "../frame";
import { Badge, type Column, Empty, grouped, hrefOf, Notice, Pager, Table, Tabs, Time } from "../parts";
import { visible } from "../visible";
import { KeyForm, type KeyFormProps } from "./key-form";
import type { KeyList, ListedKey } from "./list";
import { KEYS_PATH } from "./path";

export interface KeysProps extends KeyList {
  isLiving: boolean;
  isFirstPage: boolean;
  /** A key that was just revoked. */
  revoked: string | null;
  form: KeyFormProps;
}

const State = ({ listed: { row, state, isMine } }: { listed: ListedKey }) => (
  <>
    {state === "works" ? <Badge tone="good">Works</Badge> : null}
    {state === "revoked" ? <Badge tone="bad">Revoked</Badge> : null}
    {state === "expired" ? <Badge tone="warn">Expired</Badge> : null}
    {isMine ? (
      <>
        {" "}
        <Badge tone="info">Yours</Badge>
      </>
    ) : null}
    {row.revoked_at === null ? null : (
      <div class="soft">
        <Time sec={row.revoked_at} />
      </div>
    )}
  </>
);

const COLUMNS: readonly Column<ListedKey>[] = [
  {
    heading: "Key",
    isText: true,
    cell: ({ row }) => (
      <>
        <strong>{visible(row.name)}</strong>
        <div class="soft">
          <code>{visible(row.key_id)}</code>
        </div>
      </>
    ),
  },
  {
    heading: "Stands for",
    isText: true,
    cell: ({ row }) => (
      <>
        {visible(row.principal_id)}
        <div class="soft">{visible(row.roles.join(", "))}</div>
      </>
    ),
  },
  {
    heading: "Made and expires",
    cell: ({ row }) => (
      <>
        <Time sec={row.created_at} />
        <div class="soft">
          {row.expires_at === null ? (
            "never expires"
          ) : (
            <>
              expires <Time sec={row.expires_at} />
            </>
          )}
        </div>
      </>
    ),
  },
  { heading: "Browsers", isNumber: true, cell: ({ browsers }) => grouped(browsers) },
  {
    heading: "State",
    cell: (listed) => (
      <>
        <State listed={listed} />
        {listed.state === "revoked" ? null : (
          <div>
            <a
              href={hrefOf(`${KEYS_PATH}/revoke`, { key: listed.row.key_id })}
              aria-label={`Revoke ${visible(listed.row.name)}`}
            >
              Revoke…
            </a>
          </div>
        )}
      </>
    ),
  },
];

const NoKeys = ({ isLiving }: { isLiving: boolean }) =>
  isLiving ? (
    <Empty title="No key works yet">
      <p>
        Programs call Playmaker with a key, and people sign in with one. Make an agent's key for your agent
        and a reviewer's key for everybody who decides on rules.
      </p>
      <p>
        <a href="#new">Make the first key</a>
      </p>
    </Empty>
  ) : (
    <Empty title="No key was revoked or has expired">
      <p>
        Revoke a key as soon as it may have been seen by somebody it was not meant for, and make another one
        in its place.
      </p>
      <p>
        <a href={KEYS_PATH}>Keys that work</a>
      </p>
    </Empty>
  );

export const keysPageOf = (scope: RequestScope, props: KeysProps, status = 200): Reply =>
  page(scope, {
    title: "Keys",
    current: KEYS_PATH,
    intro:
      "Who may call and who may sign in. Of a key only its hash is kept: it is shown once, when it is made.",
    aside: (
      <a class="button" href="#new">
        Make a key
      </a>
    ),
    isWide: true,
    status,
    children: (
      <>
        {props.revoked === null ? null : (
          <Notice>
            <p>
              Key <code>{visible(props.revoked)}</code> is revoked. Whoever signed in with it is signed out;
              calls with it are refused everywhere within 30 seconds.
            </p>
          </Notice>
        )}
        <Tabs
          label="Keys"
          tabs={[
            { href: KEYS_PATH, label: "That work", isCurrent: props.isLiving },
            {
              href: hrefOf(KEYS_PATH, { show: "ended" }),
              label: "Revoked or expired",
              isCurrent: !props.isLiving,
            },
          ]}
        />
        {props.keys.length === 0 ? (
          <NoKeys isLiving={props.isLiving} />
        ) : (
          <div class="card">
            <Table
              caption={
                props.isLiving ? "Keys that work, newest first" : "Keys that no longer work, newest first"
              }
              columns={COLUMNS}
              rows={props.keys}
            />
            <Pager
              newer={
                props.isFirstPage ? undefined : hrefOf(KEYS_PATH, { show: props.isLiving ? "" : "ended" })
              }
              older={
                props.next === undefined
                  ? undefined
                  : hrefOf(KEYS_PATH, {
                      show: props.isLiving ? "" : "ended",
                      after: `${props.next.createdAt}.${props.next.keyId}`,
                    })
              }
            />
          </div>
        )}
        <KeyForm {...props.form} />
      </>
    ),
  });
