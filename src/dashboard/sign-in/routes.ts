/** Signing in with a key and out again. */
import * as z from "zod";
import { cookieOf } from "../../http/browser";
import { defineRoute } from "../../http/define";
import type { Route } from "../../http/route";
import { signIn, signOut } from "../../orgs/sessions";
import { Failure } from "../../platform/failure";
import { seeOther } from "../frame";
import { html, ownPath } from "../html";
import { signInPage } from "./page";

const show = defineRoute({
  dialect: "page",
  method: "get",
  path: "/sign-in",
  tag: "Review desk",
  summary: "Sign in with a key",
  scope: "public",
  limit: "none",
  query: z.object({ next: z.string().max(4_000).optional(), out: z.string().max(1).optional() }),
  response: html,
  handler: async (scope, { query }) =>
    signInPage(scope, {
      next: ownPath(query.next),
      ...(query.out !== undefined && { notice: "You are signed out." }),
    }),
});

const enter = defineRoute({
  dialect: "page",
  method: "post",
  path: "/sign-in",
  tag: "Review desk",
  summary: "Exchange a key for a cookie",
  scope: "public",
  limit: "none",
  bodyType: "form",
  body: z.object({
    csrf: z.string(),
    next: z.string().max(4_000).optional(),
    key: z.string().max(1_000).regex(/\S/, { error: "Type or paste a key." }),
  }),
  response: html,
  refused: async (scope, { failure, typed }) =>
    failure.kind === "invalid"
      ? signInPage(scope, {
          next: ownPath(typed.next),
          fault: failure.issues[0]?.message ?? "Type or paste a key.",
        })
      : null,
  async handler(scope, { body }) {
    const browser = await signIn(scope, body.key, scope.browser?.token ?? null);
    if (browser === null) {
      return signInPage(scope, {
        next: ownPath(body.next),
        fault: "This key is unknown, revoked or expired. Check that it was copied whole: it begins with pm_.",
      });
    }
    return seeOther(ownPath(body.next), { "set-cookie": cookieOf(scope.services.settings, browser) });
  },
});

const leave = defineRoute({
  dialect: "page",
  method: "post",
  path: "/sign-out",
  tag: "Review desk",
  summary: "Sign out",
  scope: "read",
  limit: "write",
  bodyType: "form",
  body: z.object({ csrf: z.string() }),
  response: html,
  async handler(scope) {
    if (scope.browser === null) throw new Failure("forbidden", "Only a browser signs out.");
    const browser = await signOut(scope, scope.principal, scope.browser.token);
    return seeOther("/sign-in?out=1", { "set-cookie": cookieOf(scope.services.settings, browser) });
  },
});

export const signInRoutes: Route[] = [show, enter, leave];
