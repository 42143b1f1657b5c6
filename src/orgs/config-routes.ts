/** HTTP for an org's Config, as Reflexio's client speaks it. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { renderFailure } from "../http/dialects";
import { Reply, type RequestScope, type Route } from "../http/route";
import { Failure } from "../platform/failure";
import type { Config } from "./config";
import { currentConfig, setConfig } from "./config-change";
import { mergedConfig, readConfig, replacedConfig, writtenConfig } from "./config-wire";

const common = { dialect: "reflexio", tag: "Config", scope: "admin" } as const;

const document = z.record(z.string(), z.unknown());
const saved = z.object({ success: z.boolean(), msg: z.string() });

/** How often a change is worked out anew that another one overtook. */
const MAX_TRIES = 3;

/** Config routes keep keys whose value is null, which their dialect would drop. */
const whole = (status: number, body: unknown): Reply =>
  new Reply(status, JSON.stringify(body), { "content-type": "application/json" });

/**
 * Saves what a body makes of the Config there is, never over a change that it did not see.
 * @throws Failure("invalid"), Failure("conflict")
 */
async function save(
  scope: RequestScope,
  body: unknown,
  madeOf: (document: unknown, current: Config) => unknown,
): Promise<z.output<typeof saved>> {
  const { document: read, ignored } = readConfig(body);
  for (let tries = 1; ; tries += 1) {
    const { config, hash } = await currentConfig(scope);
    try {
      const { isChanged } = await setConfig(scope, madeOf(read, config), hash);
      const done = isChanged ? "The configuration is saved." : "The configuration was that already.";
      const without = ignored.length === 0 ? "" : ` Without effect here: ${ignored.join(", ")}.`;
      return { success: true, msg: `${done}${without}` };
    } catch (error) {
      const isOvertaken = error instanceof Failure && error.kind === "conflict";
      if (!isOvertaken || tries === MAX_TRIES) throw error;
    }
  }
}

const getConfig = defineRoute({
  ...common,
  method: "get",
  path: "/api/get_config",
  summary: "The org's configuration",
  description:
    "Every default in place, sizes as numbers. It holds no secrets: storage and keys are settings of the deployment, " +
    "so `storage_config` and `api_key_config` are always null.",
  limit: "read",
  example: {},
  response: document,
  async handler(scope) {
    return whole(200, writtenConfig((await currentConfig(scope)).config));
  },
});

const postConfig = defineRoute({
  ...common,
  method: "post",
  path: "/api/set_config",
  summary: "Replace the org's configuration",
  description:
    "What is absent takes its default, except `review_gate` and `user_detail_stripping_config`, which Reflexio's client " +
    "cannot send: without them they stay. Older names of fields are taken, unknown ones refused. Fields of Reflexio " +
    "that have no effect here are left out and named in `msg`. Other isolates follow within 30 seconds.",
  limit: "config",
  body: document,
  example: {
    body: { agent_context_prompt: "A coding assistant in a terminal.", extraction_preset: "standard" },
  },
  response: saved,
  otherAnswers: { 409: "Somebody else kept changing it; nothing was saved." },
  handler: (scope, { body }) => save(scope, body, replacedConfig),
});

const HINT =
  "Only top-level fields are merged: a section replaces the stored one whole. Unknown fields are refused.";

const updateConfig = defineRoute({
  ...common,
  method: "post",
  path: "/api/update_config",
  summary: "Change some fields of the org's configuration",
  description: `${HINT} Null gives a field its default; an extractor it switches off. Otherwise as \`set_config\`.`,
  limit: "config",
  body: document,
  example: { body: { window_size: 12 }, after: "post /api/set_config" },
  response: saved,
  otherAnswers: {
    409: "Somebody else kept changing it; nothing was saved.",
    422: "`error`, `hint` and `validation_errors`; nothing was saved.",
  },
  async handler(scope, { body }) {
    try {
      return await save(scope, body, mergedConfig);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== "invalid") throw error;
      const faults = z.object({ detail: z.unknown() }).parse(renderFailure("reflexio", error).body);
      return whole(422, { error: error.message, hint: HINT, validation_errors: faults.detail, ...faults });
    }
  },
});

export const configRoutes: Route[] = [getConfig, postConfig, updateConfig];
