/** Pages of keys: the list, making one, revoking one. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import type { RefusedForm, Reply, RequestScope, Route } from "../../http/route";
import { createKey, revokeKey } from "../../orgs/key-management";
import { keyName, MAX_KEY_DAYS, principalId } from "../../orgs/key-schema";
import { type KeyPlace, keyOfId, otherManagers } from "../../orgs/keys-store";
import { countSessions } from "../../orgs/sessions-store";
import type { KeyRow } from "../../orgs/store";
import { nowSec } from "../../platform/clock";
import { Failure } from "../../platform/failure";
import { derivedId } from "../../platform/ids";
import { roles } from "../../platform/principal";
import { seeOther } from "../frame";
import { html } from "../html";
import { hrefOf } from "../parts";
import type { KeyFormProps } from "./key-form";
import { keyState, listedKeys } from "./list";
import { newKeyPage, shownBeforePage } from "./new-key";
import { keysPageOf } from "./page";
import { KEYS_PATH } from "./path";
import { alreadyRevokedPage, revokePage } from "./revoke-page";
import { roleField } from "./roles";

const keyId = z.string().regex(/^[\w-]{1,100}$/, { error: "is not the id of a key" });
const place = z
  .string()
  .regex(/^\d{1,12}\.[\w-]{1,100}$/, { error: "is not a place in the list" })
  .transform((text): KeyPlace => {
    const dot = text.indexOf(".");
    return { createdAt: Number(text.slice(0, dot)), keyId: text.slice(dot + 1) };
  });

interface Shown {
  isLiving?: boolean;
  after?: KeyPlace | undefined;
  revoked?: string | undefined;
  form?: Pick<KeyFormProps, "typed" | "refusal"> & { once: string | undefined };
}

async function keysPage(
  scope: RequestScope,
  { isLiving = true, after, revoked, form }: Shown,
  status = 200,
): Promise<Reply> {
  return keysPageOf(
    scope,
    {
      ...(await listedKeys(scope, { isLiving, after })),
      isLiving,
      isFirstPage: after === undefined,
      revoked: revoked ?? null,
      form: {
        once: form?.once ?? scope.services.ids.random("once"),
        typed: form?.typed ?? {},
        refusal: form?.refusal ?? null,
      },
    },
    status,
  );
}

const show = defineRoute({
  dialect: "page",
  method: "get",
  path: KEYS_PATH,
  tag: "Review desk",
  summary: "The org's keys",
  scope: "admin",
  limit: "read",
  query: z.object({
    show: z.enum(["living", "ended"]).default("living"),
    after: place.optional(),
    revoked: keyId.optional(),
  }),
  response: html,
  handler: (scope, { query: { show: shown, after, revoked } }) =>
    keysPage(scope, { isLiving: shown === "living", after, revoked }),
});

const once = z.string().regex(/^once_[a-z2-7]{26}$/, { error: "is not of this form" });
const days = z
  .string()
  .trim()
  .refine(
    (text) => text === "" || (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_KEY_DAYS),
    {
      error: "is not a number of days",
      params: { expected: `a whole number from 1 to ${MAX_KEY_DAYS}, or nothing` },
    },
  )
  .transform((text) => (text === "" ? undefined : Number(text)));

/** The form with its ticked boxes as the list they stand for, so that all its faults are found at once. */
const keyForm = z
  .record(z.string(), z.string())
  .transform((fields) => ({
    ...fields,
    roles: roles.filter((role) => fields[roleField(role)] === "on"),
  }))
  .pipe(
    z.object({
      csrf: z.string(),
      once,
      name: keyName,
      principal_id: principalId,
      roles: z.array(z.enum(roles)).min(1, { error: "Tick at least one role." }),
      expires_in_days: days.optional(),
    }),
  );

async function refusedKey(scope: RequestScope, { failure, typed }: RefusedForm): Promise<Reply | null> {
  if (failure.kind !== "invalid") return null;
  const form = {
    typed,
    once: once.safeParse(typed.once).data,
    refusal: { message: "No key was made: see beside the fields.", issues: failure.issues },
  };
  return keysPage(scope, { form }, failure.status);
}

const make = defineRoute({
  dialect: "page",
  method: "post",
  path: KEYS_PATH,
  tag: "Review desk",
  summary: "Make a key and show it once",
  scope: "admin",
  limit: "write",
  bodyType: "form",
  body: keyForm,
  response: html,
  refused: refusedKey,
  async handler(scope, { body }) {
    const { once: form, csrf: _, ...asked } = body;
    // The id follows from the form, so that a form that comes twice cannot make a second key.
    const id = await derivedId("key", [scope.orgId, form]);
    try {
      return newKeyPage(scope, await createKey(scope, asked, id));
    } catch (error) {
      const made = await keyOfId(scope.db, scope.orgId, id);
      if (made === null) throw error;
      return shownBeforePage(scope, made);
    }
  },
});

async function confirmPage(scope: RequestScope, row: KeyRow, status = 200): Promise<Reply> {
  const { db, orgId, principal, services } = scope;
  const atSec = nowSec(services.clock);
  if (row.revoked_at !== null) return alreadyRevokedPage(scope, row);
  const [others, browsers] = await Promise.all([
    otherManagers(db, orgId, row.key_id, atSec),
    countSessions(db, orgId, atSec),
  ]);
  const manages = row.scopes.includes("admin") && keyState(row, atSec) === "works";
  return revokePage(
    scope,
    {
      row,
      browsers: browsers.get(row.key_id) ?? 0,
      isMine: row.key_id === principal.keyId,
      isLast: manages && others.length === 0,
      othersExpireAtSec: manages ? (others[0]?.expires_at ?? null) : null,
    },
    status,
  );
}

async function keyOrFail({ db, orgId }: RequestScope, id: string): Promise<KeyRow> {
  const row = await keyOfId(db, orgId, id);
  if (row === null) throw new Failure("not_found", "There is no such key.");
  return row;
}

const confirm = defineRoute({
  dialect: "page",
  method: "get",
  path: `${KEYS_PATH}/revoke`,
  tag: "Review desk",
  summary: "What revoking a key would end",
  scope: "admin",
  limit: "read",
  query: z.object({ key: keyId }),
  response: html,
  handler: async (scope, { query }) => confirmPage(scope, await keyOrFail(scope, query.key)),
});

const revoke = defineRoute({
  dialect: "page",
  method: "post",
  path: `${KEYS_PATH}/revoke`,
  tag: "Review desk",
  summary: "Revoke a key",
  scope: "admin",
  limit: "write",
  bodyType: "form",
  body: z.object({ csrf: z.string(), key: keyId }),
  response: html,
  /** The last owner's key stays, and its page says why. */
  async refused(scope, { failure, typed }) {
    if (failure.kind !== "conflict") return null;
    return confirmPage(scope, await keyOrFail(scope, typed.key ?? ""), failure.status);
  },
  async handler(scope, { body }) {
    await revokeKey(scope, body.key);
    return body.key === scope.principal.keyId
      ? seeOther("/sign-in?out=1")
      : seeOther(hrefOf(KEYS_PATH, { revoked: body.key }));
  },
});

export const keyRoutes: Route[] = [show, make, confirm, revoke];
