/** The pages of dead letters, and the forms that replay them. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import type { RequestScope, Route } from "../../http/route";
import {
  countOpenByReason,
  openLettersOf,
  pageOfDeadLetters,
  placeOfLetter,
} from "../../learning/dead-letter-store";
import { seeOther } from "../frame";
import { html } from "../html";
import { hrefOf } from "../parts";
import { confirmPage, deadLettersPage, MAX_REPLAYED } from "./page";
import { replayAll } from "./replay";
import { withSubjects } from "./subject";

const PATH = "/desk/dead-letters";
const TAG = "Review desk";
const PAGE_LETTERS = 25;

const count = z.coerce.number().int().min(0).max(MAX_REPLAYED);
const deadLetterId = z.string().min(1).max(200);

const list = defineRoute({
  dialect: "page",
  method: "get",
  path: PATH,
  tag: TAG,
  summary: "Work that was given up, and why",
  scope: "admin",
  limit: "read",
  query: z.object({
    state: z.enum(["open", "replayed"]).default("open"),
    before: z.coerce.number().int().min(0).optional(),
    before_id: deadLetterId.optional(),
    replayed: count.optional(),
    outdated: count.optional(),
    missing: count.optional(),
  }),
  response: html,
  async handler(scope, { query }) {
    const { db, orgId } = scope;
    const { state, before: at, before_id: id } = query;
    const [found, reasons] = await Promise.all([
      pageOfDeadLetters(db, orgId, {
        state,
        before: at === undefined || id === undefined ? null : { at, deadLetterId: id },
        limit: PAGE_LETTERS + 1,
      }),
      countOpenByReason(db, orgId),
    ]);
    const letters = found.slice(0, PAGE_LETTERS);
    const last = letters.at(-1);
    const { replayed, outdated, missing } = query;
    const isResult = [replayed, outdated, missing].some((given) => given !== undefined);
    return deadLettersPage(scope, {
      state,
      letters: await withSubjects(scope, letters),
      next: found.length > PAGE_LETTERS && last !== undefined ? placeOfLetter(last) : null,
      reasons,
      result: isResult ? { replayed: replayed ?? 0, outdated: outdated ?? 0, missing: missing ?? 0 } : null,
    });
  },
});

const confirm = defineRoute({
  dialect: "page",
  method: "get",
  path: `${PATH}/replay`,
  tag: TAG,
  summary: "What replaying all letters of one reason would take up again",
  scope: "admin",
  limit: "read",
  query: z.object({ reason: z.string().min(1).max(200) }),
  response: html,
  async handler(scope, { query: { reason } }) {
    const found = await openLettersOf(scope.db, scope.orgId, reason, MAX_REPLAYED + 1);
    return confirmPage(scope, {
      reason,
      letters: await withSubjects(scope, found.slice(0, MAX_REPLAYED)),
      hasMore: found.length > MAX_REPLAYED,
    });
  },
});

async function replayAndTell(scope: RequestScope, ids: readonly string[]) {
  const { replayed, outdated, missing } = await replayAll(scope, ids);
  return seeOther(
    hrefOf(PATH, {
      replayed,
      outdated: outdated === 0 ? undefined : outdated,
      missing: missing === 0 ? undefined : missing,
    }),
  );
}

const replayOne = defineRoute({
  dialect: "page",
  method: "post",
  path: `${PATH}/replay`,
  tag: TAG,
  summary: "Take one dead letter up again",
  scope: "admin",
  limit: "write",
  bodyType: "form",
  body: z.object({ csrf: z.string(), id: deadLetterId }),
  response: html,
  handler: (scope, { body }) => replayAndTell(scope, [body.id]),
});

/** What was listed when the person confirmed, and nothing that died since. */
const listedIds = z.string().transform((text, context) => {
  const refuse = () => {
    context.addIssue({
      code: "custom",
      message: `must be a JSON array of 1 to ${MAX_REPLAYED} ids of dead letters`,
    });
    return z.NEVER;
  };
  try {
    const ids = z.array(deadLetterId).min(1).max(MAX_REPLAYED).safeParse(JSON.parse(text));
    return ids.success ? [...new Set(ids.data)] : refuse();
  } catch {
    return refuse();
  }
});

const replayListed = defineRoute({
  dialect: "page",
  method: "post",
  path: `${PATH}/replay-all`,
  tag: TAG,
  summary: "Take the dead letters that were listed up again",
  scope: "admin",
  limit: "bulk",
  bodyType: "form",
  body: z.object({ csrf: z.string(), ids: listedIds }),
  response: html,
  handler: (scope, { body }) => replayAndTell(scope, body.ids),
});

export const deadLetterRoutes: Route[] = [list, confirm, replayOne, replayListed];
