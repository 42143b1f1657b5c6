/** What every start has to pass, whoever asks: the run's configuration, its secrets, and the run's own id. */

import type { Json, JsonObject, PlaybookDocument } from "../model";
import { canonicalJson } from "../text/canonical-json";
import { sha256Hex } from "../text/hash";
import { compileUserSchema } from "../user-schema";
import type { InputFault } from "./model";

/** Pins a run to exactly this playbook. */
export const contentHashOf = (document: PlaybookDocument): string =>
  // A document is JSON by its making; the type of its interfaces does not say so.
  `sha256:${sha256Hex(canonicalJson(JSON.parse(JSON.stringify(document.playbook))))}`;

/** The same parts give the same run, so that whatever comes twice starts one. */
export const runIdOf = (...parts: readonly (string | number)[]): string =>
  `run_${sha256Hex(canonicalJson([...parts])).slice(0, 32)}`;

/** Names that the document requires and nobody bound. */
export const missingSecrets = (document: PlaybookDocument, bound: readonly string[]): string[] =>
  (document.requires?.secrets ?? [])
    .filter((secret) => typeof secret === "string" || secret.optional !== true)
    .map((secret) => (typeof secret === "string" ? secret : secret.name))
    .filter((name) => !bound.includes(name));

/** The document's configuration with the start's own keys over it (ruling 34). */
export const configOf = (document: PlaybookDocument, own: JsonObject = {}): JsonObject => ({
  ...document.playbook.config,
  ...own,
});

/** What is wrong with a configuration by the document's own schema; `{}` asks for nothing. */
export function configFaults(document: PlaybookDocument, config: JsonObject): InputFault[] {
  const schema = document.playbook.configSchema;
  return schema === undefined ? [] : schemaFaults(schema, config);
}

export const schemaFaults = (schema: JsonObject, value: Json): InputFault[] =>
  compileUserSchema(schema)
    .validate(value)
    .map(({ pointer, message }) => ({ pointer, message }));

/** A trigger's fixed input under what the occasion itself says. */
export function withInput(input: JsonObject | undefined, payload: Json): Json {
  if (input === undefined) return payload;
  const isObject = payload !== null && typeof payload === "object" && !Array.isArray(payload);
  return isObject ? { ...input, ...payload } : payload;
}
