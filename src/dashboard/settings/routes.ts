/** Pages of settings: the form, the whole document, and going back to an earlier version. */
import * as z from "zod";
import { PUBLISH_MAX_BODY_BYTES, parseJson } from "../../http/body";
import { defineRoute } from "../../http/define";
import type { RefusedForm, Reply, RequestScope, Route } from "../../http/route";
import { setConfig } from "../../orgs/config-change";
import { findConfig } from "../../orgs/config-store";
import { Failure, invalid } from "../../platform/failure";
import { seeOther } from "../frame";
import { html } from "../html";
import { hrefOf } from "../parts";
import { configOf, formOf, rebased, type Typed, typedOf } from "./form";
import { differences } from "./json";
import { type DONE, type FormState, SETTINGS_PATH, settingsPage } from "./page";
import { defaultDocument, documentOf, type SettingsView, settingsView } from "./view";

const configHash = z.string().regex(/^[0-9a-f]{64}$/, { error: "is not of this form; reload the page" });

const NOBODY: FormState["meanwhile"] = new Map();

/** The fields as the current Config fills them. */
const freshForm = (view: SettingsView): FormState => ({
  hash: view.hash,
  typed: formOf(view.document, defaultDocument()),
  issues: [],
  meanwhile: NOBODY,
});

const freshDocument = (view: SettingsView) => ({
  hash: view.hash,
  text: JSON.stringify(view.document, null, 2),
  issues: [],
  meanwhile: [],
  isOpen: false,
});

const show = defineRoute({
  dialect: "page",
  method: "get",
  path: SETTINGS_PATH,
  tag: "Review desk",
  summary: "The org's settings",
  scope: "admin",
  limit: "read",
  query: z.object({ done: z.enum(["saved", "unchanged", "restored"]).optional() }),
  response: html,
  async handler(scope, { query }) {
    const view = await settingsView(scope);
    return settingsPage(scope, {
      view,
      form: freshForm(view),
      advanced: freshDocument(view),
      done: query.done ?? null,
      refusal: null,
    });
  },
});

const saved = (done: keyof typeof DONE): Reply => seeOther(hrefOf(SETTINGS_PATH, { done }));

/** The Config that a form was opened over, as a JSON value; null for a hash that the org never had. */
async function documentOfHash({ db, orgId }: RequestScope, hash: string | undefined): Promise<unknown> {
  const parsed = configHash.safeParse(hash);
  const config = parsed.success ? await findConfig(db, orgId, parsed.data) : null;
  return config === null ? null : documentOf(config);
}

/** What was typed is kept. Where somebody else was faster, it is carried over to their settings. */
async function refusedForm(
  scope: RequestScope,
  { failure, typed: fields }: RefusedForm,
): Promise<Reply | null> {
  const isConflict = failure.kind === "conflict";
  if (!isConflict && failure.kind !== "invalid") return null;
  const [view, base] = await Promise.all([settingsView(scope), documentOfHash(scope, fields.hash)]);
  const typed = typedOf(fields);
  const defaults = defaultDocument();
  const carried = isConflict
    ? rebased(formOf(base ?? view.document, defaults), typed, formOf(view.document, defaults))
    : { typed, meanwhile: NOBODY };
  const message = isConflict
    ? `${failure.message} Look at the fields that are marked, then save again.`
    : "Nothing was saved: see beside the fields.";
  const form = {
    ...carried,
    issues: failure.issues,
    hash: isConflict || base === null ? view.hash : (fields.hash ?? view.hash),
  };
  return settingsPage(
    scope,
    { view, form, advanced: freshDocument(view), done: null, refusal: message },
    failure.status,
  );
}

const save = defineRoute({
  dialect: "page",
  method: "post",
  path: SETTINGS_PATH,
  tag: "Review desk",
  summary: "Change the settings",
  scope: "admin",
  limit: "config",
  bodyType: "form",
  maxBodyBytes: PUBLISH_MAX_BODY_BYTES,
  body: z
    .record(z.string(), z.string())
    .transform((fields) => ({ csrf: fields.csrf, hash: fields.hash, typed: typedOf(fields) }))
    .pipe(z.object({ csrf: z.string(), hash: configHash, typed: z.custom<Typed>() })),
  response: html,
  refused: refusedForm,
  async handler(scope, { body: { hash, typed } }) {
    const base = await documentOfHash(scope, hash);
    if (base === null)
      throw invalid("/hash", "names settings that this org never had", "the page's own form");
    const { isChanged } = await setConfig(scope, configOf(base, typed, defaultDocument()), hash);
    return saved(isChanged ? "saved" : "unchanged");
  },
});

/** The document as JSON, with the place of a fault in its syntax. */
function documentFrom(text: string): unknown {
  try {
    JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it cannot be read";
    throw invalid("", `This is not JSON: ${reason}.`, "a JSON object", "json_invalid");
  }
  return parseJson(text);
}

async function refusedDocument(scope: RequestScope, { failure, typed }: RefusedForm): Promise<Reply | null> {
  const isConflict = failure.kind === "conflict";
  if (!isConflict && failure.kind !== "invalid") return null;
  const [view, base] = await Promise.all([settingsView(scope), documentOfHash(scope, typed.hash)]);
  const message = isConflict
    ? `${failure.message} What they changed stands above the document, which is as you typed it.`
    : "Nothing was saved: see below the document.";
  const advanced = {
    hash: isConflict || base === null ? view.hash : (typed.hash ?? view.hash),
    text: typed.document ?? "",
    issues: failure.issues,
    meanwhile: isConflict && base !== null ? differences(base, view.document) : [],
    isOpen: true,
  };
  return settingsPage(
    scope,
    { view, form: freshForm(view), advanced, done: null, refusal: message },
    failure.status,
  );
}

const saveDocument = defineRoute({
  dialect: "page",
  method: "post",
  path: `${SETTINGS_PATH}/document`,
  tag: "Review desk",
  summary: "Replace the settings by a JSON document",
  scope: "admin",
  limit: "config",
  bodyType: "form",
  maxBodyBytes: PUBLISH_MAX_BODY_BYTES,
  body: z.object({ csrf: z.string(), hash: configHash, document: z.string() }),
  response: html,
  refused: refusedDocument,
  async handler(scope, { body: { hash, document } }) {
    const { isChanged } = await setConfig(scope, documentFrom(document), hash);
    return saved(isChanged ? "saved" : "unchanged");
  },
});

const restore = defineRoute({
  dialect: "page",
  method: "post",
  path: `${SETTINGS_PATH}/restore`,
  tag: "Review desk",
  summary: "Use an earlier version of the settings again",
  scope: "admin",
  limit: "config",
  bodyType: "form",
  body: z.object({ csrf: z.string(), hash: configHash, version: configHash }),
  response: html,
  async refused(scope, { failure }) {
    if (failure.kind !== "conflict") return null;
    const view = await settingsView(scope);
    const message = `${failure.message} Look at the versions again before you choose one.`;
    const props = {
      view,
      form: freshForm(view),
      advanced: freshDocument(view),
      done: null,
      refusal: message,
    };
    return settingsPage(scope, props, failure.status);
  },
  async handler(scope, { body: { hash, version } }) {
    const document = await documentOfHash(scope, version);
    if (document === null) throw new Failure("not_found", "There is no such version of the settings.");
    const { isChanged } = await setConfig(scope, document, hash);
    return saved(isChanged ? "restored" : "unchanged");
  },
});

export const settingsRoutes: Route[] = [show, save, saveDocument, restore];
