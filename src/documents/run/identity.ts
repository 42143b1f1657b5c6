/**
 * Identities, derived and never made up: whoever does the same thing again comes to the same name for it (c.3, c.8).
 */
import type { Json } from "../model";
import { canonicalJson } from "../text/canonical-json";
import { sha256Base64Url, sha256Hex } from "../text/hash";
import type { RunStart } from "./model";

const derived = (kind: string, { tenant, runId }: RunStart, parts: readonly (string | number)[]): string =>
  sha256Base64Url([`opb:${kind}:v1`, tenant, runId, ...parts].join("\0"));

/** What a tool gets as its idempotency key. The attempt is not in it: a retry is the same effect. */
export const effectIdOf = (start: RunStart, stepKey: string, ordinal: number, tool: string): string =>
  derived("effect", start, [stepKey, ordinal, tool]);

/** One question to a model or one request to a tool, in one attempt. */
export const callIdOf = (
  start: RunStart,
  kind: "agent" | "tool",
  stepKey: string,
  ordinal: number,
  attempt: number,
): string => derived("call", start, [kind, stepKey, ordinal, attempt]);

/** One instance of a gate; `count` is that of the gates opened before it in the run. */
export const gateIdOf = (start: RunStart, name: string, count: number): string =>
  derived("gate", start, [name, count]);

/** SHA-256 of a value's canonical JSON, in hexadecimal. */
export const hashOf = (value: Json): string => sha256Hex(canonicalJson(value));

/** What an approval of a tool call covers: this tool with this input, and nothing else. */
export const toolHashOf = (tool: string, input: Json): string => `tool:${hashOf([tool, input])}`;

/** What an approval of an artifact covers: this content, under whatever type. */
export const artifactHashOf = (artifact: { sha256: string }): string => `artifact:${artifact.sha256}`;
